"""The façade people import: verbs that only put the parts below together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from muniment import clock
from muniment.arrival.streams import Limits
from muniment.belief.explanation import Explanation
from muniment.captures.diff import Diff, DiffSpec
from muniment.captures.pages import Fetch, Mode, mode_of
from muniment.config import load_project
from muniment.config.rules import read_rules
from muniment.decisions.marks import Effect
from muniment.errors import BadArgument, choice
from muniment.gate.fields import Fields
from muniment.lake import session
from muniment.lake.location import Location
from muniment.lake.tables import Lake
from muniment.loads import marks
from muniment.loads.result import Loaded
from muniment.loads.watermarks import told
from muniment.model.dimension import Dimension
from muniment.model.entity import Entity, Kind
from muniment.model.load import Load
from muniment.model.names import find
from muniment.model.project import ProjectModel
from muniment.model.series import Series
from muniment.model.source import Absence
from muniment.quality.problems import Verification
from muniment.steps import believe, dimensions, readers, stamp, timeline
from muniment.steps.accept import accept
from muniment.steps.apply import Given, apply, rebuild_dimension
from muniment.steps.auditing import Author
from muniment.steps.capture import Captured, Shot, capture, declared_fetch
from muniment.steps.captured import land
from muniment.steps.derive import derive
from muniment.steps.diff import Side, diff_sets, spec_of
from muniment.steps.load import live, load
from muniment.steps.load_status import load_status
from muniment.steps.maintain import maintain, maintain_dimension, maintain_load
from muniment.steps.marking import Marked, mark_run, unmark_run
from muniment.steps.mend import Repaired, Verified, repair_dimension, verify_dimension
from muniment.steps.monitor import monitor
from muniment.steps.override import Wish, override, withdraw
from muniment.steps.pin import pin, pins
from muniment.steps.release import Verdict, decide_rows, release
from muniment.steps.replay import Replayed, replay
from muniment.steps.request import Request
from muniment.steps.resolve import Ruling, rebuild_all, resolve
from muniment.steps.results import Applied, Derived, Landed, Maintained, Pinned, Released, Resolved
from muniment.steps.run import Described, Run, Scene, chosen, plan, run, stages_of
from muniment.steps.series import SeriesVerbs
from muniment.steps.series_scene import Scene as SeriesScene
from muniment.steps.slices import LoadRequest
from muniment.steps.stamp import FactKey, Stamping
from muniment.steps.stream import Batch, Stream, StreamPlan, stream
from muniment.steps.verify import verify
from muniment.steps.watermarks import reset
from muniment.steps.what_if import Comparison, compare_rules
from muniment.steps.why import why

Moment = datetime | str
Key = timeline.Key


class Project:
    """A project and the lake behind it."""

    def __init__(self, model: ProjectModel, spark: SparkSession | None = None) -> None:
        self.model = model
        self.spark = session.adopt(spark) if spark is not None else session.start(model.spark)
        self.lake = Lake(self.spark, Location.of(model.lake, model.root))

    @classmethod
    def open(cls, path: str | Path = ".", target: str | None = None, spark: SparkSession | None = None) -> Project:
        """A project by its file or its folder; `spark` runs it on a session of yours."""
        return cls(load_project(path, target), spark)

    def entity(self, name: str) -> Entity:
        """An entity by its name."""
        return find("entity", name, {entity.name: entity for entity in self.model.entities})

    def land(
        self,
        entity: str,
        source: str,
        data: object = None,
        *,
        as_of: Moment | None = None,
        received_at: Moment | None = None,
        batch_id: str | None = None,
        scope: Mapping[str, object] | None = None,
        complete: bool | None = None,
        dry_run: bool = False,
    ) -> Landed:
        """Take rows into the log, through the gate: a DataFrame, dicts, a path, or what is new at the source's place."""
        found = self.entity(entity)
        request = Request(
            entity=found,
            source=found.source(source),
            root=self.model.root,
            received_at=_moment(received_at, "received_at") or clock.now(),
            data=data,
            as_of=_moment(as_of, "as_of"),
            batch_id=batch_id,
            scope=scope,
            complete=complete,
            dry_run=dry_run,
            receipt_given=received_at is not None,
            alerts=self.model.alerts,
        )
        return land(self.lake, request)

    def capture(
        self,
        entity: str,
        source: str,
        fetch: Fetch | None = None,
        *,
        mode: str = Mode.FULL_SNAPSHOT,
        captured_at: Moment | None = None,
        scope: Mapping[str, object] | None = None,
    ) -> Captured:
        """Fetch all pages of an API, by default as the configuration says, and keep them as they came; `land` takes them from there."""
        found = self.entity(entity)
        shot = Shot(
            fetch or declared_fetch(self.model, found, found.source(source)), mode_of(mode), _moment(captured_at, "captured_at"), scope
        )
        return self.capture_many(entity, source, [shot])[0]

    def capture_many(self, entity: str, source: str, shots: Sequence[Shot]) -> list[Captured]:
        """Several captures, noted in one commit."""
        found = self.entity(entity)
        return capture(self.lake, Fields(found, found.source(source)), self.model.root, shots)

    def diff(
        self,
        previous: Side,
        current: Side,
        spec: DiffSpec | None = None,
        *,
        entity: str | None = None,
        source: str | None = None,
        delisted: DataFrame | None = None,
    ) -> Diff:
        """Compare two sets, frames or captures by path: new, modified with old and new, delisted, unchanged; nothing is written."""
        fields = Fields(self.entity(entity), self.entity(entity).source(source)) if entity and source else None
        declared = spec or (spec_of(self.entity(entity), fields.source if fields else None) if entity else None)
        if declared is None:
            raise BadArgument(argument="spec", problem="nothing says what to compare by", advice="Give a DiffSpec, or an entity.")
        return diff_sets(self.lake, self.model.root, (previous, current), fields=fields, spec=declared, delisted=delisted)

    def replay(self, entity: str, *, into: str | Path | None = None) -> Replayed:
        """All captures again in their true order into a new history beside the lake, and what differs."""
        return replay(self.lake, self.entity(entity), self.model.root, into=None if into is None else Path(into))

    def captures(self, entity: str | None = None) -> DataFrame:
        """Every capture and what became of it, by the instant it speaks for."""
        return readers.captures(self.lake, entity=self.entity(entity).name if entity else None)

    def change_log(self, entity: str) -> DataFrame:
        """What each capture showed to be listed, modified or delisted, with the captures it follows from."""
        return readers.change_log(self.lake, entity=self.entity(entity).name)

    def stream(
        self,
        entity: str,
        *,
        available_now: bool = False,
        max_files: int = 1000,
        max_messages: int = 100_000,
        on_batch: Callable[[Batch], None] | None = None,
    ) -> Stream:
        """Land and derive what comes at the places of an entity's sources; `available_now`: what is there, and end."""
        plan = StreamPlan(self.entity(entity), self.model, Limits(max_files, max_messages), available_now, on_batch or (lambda _: None))
        return stream(self.lake, plan)

    def derive(self, entity: str) -> Derived:
        """Bring the history up to the log."""
        return derive(self.lake, self.entity(entity))

    def rebuild(self, entity: str) -> Derived:
        """The same history, and belief where there is one, again from the log alone."""
        return rebuild_all(self.lake, self.entity(entity))

    def rebuild_dimension(self, name: str, *, by: str | None = None, reason: str | None = None) -> Applied:
        """The same dimension again, from all that was said of its members."""
        return rebuild_dimension(self.lake, self._dimension(name), Author(by, reason))

    def run(self, *names: str, select: str | None = None, exclude: str | None = None) -> Run:
        """Land what is new at each source's place, derive, resolve, apply and load, in order; a failure stops only what depends on it."""
        return run(self._scene, stages_of(chosen(self._described, names, select=select, exclude=exclude)))

    def plan(self, *names: str, select: str | None = None, exclude: str | None = None) -> Run:
        """What `run` would do, from the same stages; nothing is written."""
        return plan(self._scene, stages_of(chosen(self._described, names, select=select, exclude=exclude)))

    def load(self, name: str, slice: object = None, *, at: Moment | None = None) -> Loaded:  # noqa: A002 - the name people type
        """Load a slice into its table by the load's strategy: a DataFrame, dicts, a path, or what is new at its place."""
        return load(self.lake, LoadRequest(self.load_of(name), self.model.root, slice, _moment(at, "at")))

    def loaded(self, name: str) -> DataFrame:
        """What a load has made: live rows, and of a historic one those that are current; `table` has all there is."""
        return live(self.lake, self.load_of(name))

    def next_read(self, name: str) -> str:
        """How the source of a load is to be read next, in words."""
        return told(self.load_of(name), marks.current(self.lake, self.load_of(name)))

    def watermarks(self, name: str | None = None, *, every: bool = False) -> DataFrame:
        """How far loads have read their sources; `every`: all that became of it, with who and why."""
        return marks.history(self.lake, self.load_of(name).name if name else None, every=every)

    def reset_watermark(self, name: str, column: str, value: Moment | None = None, *, by: str, reason: str) -> str | None:
        """Set a watermark by hand: to a value of its type, or to none, so that everything is read again."""
        return reset(self.lake, self.load_of(name), column, value, verdict=Verdict(by, reason))

    def history(self, entity: str, key: Key | None = None, *, as_of: Moment | None = None, known_at: Moment | None = None) -> DataFrame:
        """The timeline of all keys or one; at a time; as known at a time."""
        return timeline.history(self.lake, self._asked(entity, key, as_of, known_at))

    def resolve(self, entity: str, *, by: str | None = None, reason: str | None = None) -> Resolved:
        """Bring belief up to the log and to the declared rules; `by` and `reason` are kept with rules that changed."""
        return resolve(self.lake, self.entity(entity), ruling=Ruling(by, reason))

    def belief(
        self,
        entity: str,
        key: Key | None = None,
        *,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        include_deleted: bool = False,
    ) -> DataFrame:
        """What is believed at a time, by default now: one row per live entity; as known at a time."""
        return believe.belief(self.lake, self._asked(entity, key, as_of, known_at), include_deleted=include_deleted)

    def belief_history(self, entity: str, key: Key | None = None, *, known_at: Moment | None = None) -> DataFrame:
        """Belief over time, of all keys or one; as known at a time."""
        return believe.belief_history(self.lake, self._asked(entity, key, None, known_at))

    def why(self, entity: str, key: Key, attribute: str, *, as_of: Moment | None = None, known_at: Moment | None = None) -> Explanation:
        """Why something is believed: the winner, the losers, the rule, and the file and run of each."""
        return why(self.lake, self._asked(entity, key, as_of, known_at), attribute)

    def override(
        self,
        entity: str,
        key: Key,
        values: Mapping[str, object],
        *,
        start: Moment | None = None,
        end: Moment | None = None,
        by: str,
        reason: str,
    ) -> str:
        """Set values by hand for a time, on top of all that sources say, and return the override's id."""
        found = self.entity(entity)
        wish = Wish(key, values, _moment(start, "start"), _moment(end, "end"))
        made = override(self.lake, found, wish, verdict=Verdict(by, reason))
        resolve(self.lake, found)
        return made

    def mark(self, entity: str, run_id: str, *, reason: str, by: str, exclude: bool = False) -> Marked:
        """Say that a landed run is bad: derive stops before it, or with `exclude` the tables become as if it had never landed."""
        effect = Effect.EXCLUDE if exclude else Effect.HOLD
        return mark_run(self.lake, self.entity(entity), run_id, effect=effect, verdict=Verdict(by, reason))

    def unmark(self, entity: str, run_id: str, *, reason: str, by: str) -> Marked:
        """Say that a landed run was good after all: the tables become as if it had never been marked."""
        return unmark_run(self.lake, self.entity(entity), run_id, verdict=Verdict(by, reason))

    def withdraw(self, override_id: str, *, by: str, reason: str) -> None:
        """Withdraw an override: what was believed without it is believed again."""
        resolve(self.lake, self.entity(withdraw(self.lake, override_id, verdict=Verdict(by, reason))))

    def compare_rules(self, entity: str, rules: str | Path) -> Comparison:
        """What the rules of another file would change; nothing is written."""
        found = self.entity(entity)
        return compare_rules(self.lake, found, read_rules(self.model.root / rules, found))

    def pin(
        self,
        entity: str,
        name: str,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        *,
        by: str | None = None,
        reason: str | None = None,
    ) -> Pinned:
        """Keep an answer by name, with the proof of how it was made; the same again proves that it is still so."""
        return pin(self.lake, self._asked(entity, None, as_of, known_at), name, ruling=Ruling(by, reason))

    def pins(self, entity: str | None = None) -> DataFrame:
        """The answers that are kept; their rows are in `silver.<entity>_pin`."""
        return pins(self.lake, self.entity(entity).name if entity else None)

    def changes(self, entity: str, key: Key | None = None, *, since: Moment | None = None, until: Moment | None = None) -> DataFrame:
        """What changed: attribute, old, new, source, event time, received."""
        found = self.entity(entity)
        if found.kind is Kind.EVENT:
            raise BadArgument(argument="entity", problem=f"{entity} has facts, which never change", advice="Look at its history.")
        versions = timeline.history(self.lake, timeline.Asked(found, key))
        return timeline.changes(versions, entity=found, since=_moment(since, "since"), until=_moment(until, "until"))

    def quarantine(self, entity: str | None = None, include_decided: bool = False) -> DataFrame:
        """Rows that were set aside and why; `status` says whether they wait, were released or rejected."""
        known = {each: each for each in (*self._entities, *(load.name for load in self.model.loads))}
        name = find("entity", entity, known) if entity else None
        return readers.quarantine(self.lake, entity=name, include_decided=include_decided)

    def release(self, ids: Sequence[str], *, by: str, reason: str) -> Released:
        """Land rows from quarantine, once; what could never be read stays there."""
        return release(self.lake, self._entities, list(ids), verdict=Verdict(by, reason))

    def reject(self, ids: Sequence[str], *, by: str, reason: str) -> int:
        """Decide that rows stay out for good; they are kept."""
        return decide_rows(self.lake, "reject", list(ids), verdict=Verdict(by, reason))

    def accept(self, load_id: str, *, by: str, reason: str) -> str:
        """Let the absence of a held load count (R17)."""
        return accept(self.lake, self.model.entities, load_id, verdict=Verdict(by, reason))

    def status(self) -> DataFrame:
        """One row per source, its contract, what it landed, what waits, when it was last heard; and one per load, with its rows and watermarks."""
        sources = readers.status(self.lake, self.model.entities)
        return sources.unionByName(load_status(self.lake, self.model.loads)).orderBy("entity", "source") if self.model.loads else sources

    def runs(self, entity: str | None = None) -> DataFrame:
        """Every run, or those of one thing that is declared, newest first."""
        known = {each.name: each.name for each in self._described}
        return readers.runs(self.lake, entity=find("entity", entity, known) if entity else None)

    def verify(self, *names: str, every_key: bool = False) -> Verification:
        """Check that nothing was edited and that tables follow from what is kept: of entities, loads and series by name, or of all.

        A very large log is folded again for a share of its keys.
        """
        things: tuple[Entity | Load | Series, ...] = (*self.model.entities, *self.model.loads, *self.model.series)
        known = {each.name: each for each in things}
        chosen = [find("entity", name, known) for name in names] or list(known.values())
        return verify(self.lake, chosen, root=self.model.root, every_key=every_key)

    def monitor(self, entity: str) -> DataFrame:
        """How well each source keeps time, per run: late rows, lags, ties, repeats; what is odd is said in `warning`."""
        return monitor(self.lake, self.entity(entity))

    def maintain(
        self, entity: str | None = None, *, vacuum: bool = False, retention: timedelta | None = None, many: int = 200
    ) -> list[Maintained]:
        """Compact and clean the tables of an entity, a dimension or a load, or of all."""
        named = [each for each in self.model.dimensions if entity in (None, each.name)]
        loads = [each for each in self.model.loads if entity in (None, each.name)]
        chosen = [self.entity(entity)] if entity and not named and not loads else [] if entity else list(self.model.entities)
        settings = {"many": many, "clean": vacuum, **({"retention": retention} if retention is not None else {})}
        done = [one for each in chosen for one in maintain(self.lake, each, **settings)]  # type: ignore[arg-type]
        done += [one for each in named for one in maintain_dimension(self.lake, each, **settings)]  # type: ignore[arg-type]
        return [*done, *(one for each in loads for one in maintain_load(self.lake, each, **settings))]  # type: ignore[arg-type]

    def apply(
        self,
        dimension: str,
        data: object = None,
        *,
        at: Moment | None = None,
        absence: str | None = None,
        by: str | None = None,
        reason: str | None = None,
    ) -> Applied:
        """Bring a dimension up to these rows, or to what is believed; `absence="deletes"`: who is not among them is gone."""
        given = Given(self.model.root, data, _moment(at, "at"), choice(Absence, absence, "absence"), Author(by, reason))
        return apply(self.lake, self._dimension(dimension), given)

    def dimension(self, name: str, as_of: Moment | None = None, *, unknown: bool = False) -> DataFrame:
        """All versions of a dimension, or those that hold at a time; `unknown`: and the member -1, so that a plain join keeps every fact."""
        return dimensions.dimension(self.lake, self._dimension(name), as_of=_moment(as_of, "as_of"), unknown=unknown)

    def stamp(self, dimension: str, facts: DataFrame, key: FactKey | None = None, at: str = "", *, repair: bool = False) -> DataFrame:
        """The facts with the surrogate key that was valid then, -1 where none was; `repair`: stamped ones again, with the key they had."""
        return stamp.stamp(self.lake, self._dimension(dimension), Stamping(self.model.root, facts, key, at, repair))

    def uncovered(self, dimension: str, facts: DataFrame, key: FactKey | None = None, at: str = "") -> DataFrame:
        """The facts that no version covers, and why not."""
        return stamp.uncovered(self.lake, self._dimension(dimension), Stamping(self.model.root, facts, key, at))

    def as_of_join(self, facts: DataFrame, dimensions: Mapping[str, str]) -> DataFrame:
        """The facts with the columns of dimensions as they were at the time in a column: {dimension: column}; none is dropped."""
        return stamp.as_of_join(self.lake, [(self._dimension(name), at) for name, at in dimensions.items()], facts)

    def verify_dimension(self, name: str, facts: DataFrame | None = None) -> Verified:
        """Check that a dimension is what all that was said makes of it; with stamped facts also their keys."""
        return verify_dimension(self.lake, self._dimension(name), facts=facts)

    def repair_dimension(self, name: str, *, by: str | None = None, reason: str | None = None, plan: bool = False) -> Repaired:
        """Mend what `verify_dimension` finds and keep what is taken out; `plan`: only say what would happen."""
        return repair_dimension(self.lake, self._dimension(name), author=Author(by, reason), plan=plan)

    def dimension_statistics(self, name: str) -> DataFrame:
        """How often each column of a dimension changes, and whether it should age otherwise."""
        return dimensions.statistics(self.lake, self._dimension(name))

    def series(self, name: str) -> SeriesVerbs:
        """A series by its name, with its verbs."""
        known = {each.name: each for each in self.model.series}
        return SeriesVerbs(SeriesScene(self.lake, find("series", name, known), self.model.root, self.model.alerts, known))

    def table(self, name: str) -> DataFrame:
        """Any table by the name a person sees; a bare name will do where it is unique."""
        return readers.table(self.lake, name)

    def sql(self, query: str) -> DataFrame:
        """A query over the tables by the names a person sees."""
        return readers.sql(self.lake, query)

    def _asked(self, entity: str, key: Key | None, as_of: Moment | None, known_at: Moment | None) -> timeline.Asked:
        return timeline.Asked(self.entity(entity), key, _moment(as_of, "as_of"), _moment(known_at, "known_at"))

    def _dimension(self, name: str) -> Dimension:
        return find("dimension", name, {dimension.name: dimension for dimension in self.model.dimensions})

    @property
    def _scene(self) -> Scene:
        dimensions = {each.name: each for each in self.model.dimensions}
        loads = {each.name: each for each in self.model.loads}
        return Scene(self.lake, self.model.root, self._entities, dimensions, loads, self.model.alerts)

    @property
    def _described(self) -> tuple[Described, ...]:
        return (*self.model.entities, *self.model.dimensions, *self.model.loads)

    def load_of(self, name: str) -> Load:
        """A load by its name."""
        return find("load", name, {each.name: each for each in self.model.loads})

    @property
    def _entities(self) -> dict[str, Entity]:
        return {entity.name: entity for entity in (*self.model.entities, *(each.spoken_of for each in self.model.dimensions))}


def _moment(given: Moment | None, argument: str) -> datetime | None:
    return None if given is None else clock.utc(given, argument)
