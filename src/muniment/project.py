"""The façade people import: verbs that only put the parts below together; those of a family stand in `verbs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from muniment import clock
from muniment.arrival.streams import Limits
from muniment.config import load_project
from muniment.decisions.marks import Effect
from muniment.errors import BadArgument
from muniment.lake.maintenance import MANY
from muniment.model.entity import Entity, Kind
from muniment.model.load import Load
from muniment.model.names import find
from muniment.model.series import Series
from muniment.quality.problems import Verification
from muniment.steps import readers, timeline
from muniment.steps.accept import accept
from muniment.steps.captured import land
from muniment.steps.derive import derive
from muniment.steps.load_status import load_status
from muniment.steps.maintain import maintain, maintain_dimension, maintain_load
from muniment.steps.marking import Marked, mark_run, unmark_run
from muniment.steps.monitor import monitor
from muniment.steps.release import Verdict, decide_rows, release
from muniment.steps.request import Request
from muniment.steps.resolve import rebuild_all
from muniment.steps.results import Derived, Landed, Maintained, Released
from muniment.steps.run import Described, Run, Scene, chosen, plan, run, stages_of
from muniment.steps.series_scene import Scene as SeriesScene
from muniment.steps.stream import Batch, Stream, StreamPlan, stream
from muniment.steps.verify import verify
from muniment.verbs.belief import BeliefVerbs
from muniment.verbs.captures import CaptureVerbs
from muniment.verbs.dimensions import DimensionVerbs
from muniment.verbs.loads import LoadVerbs
from muniment.verbs.opened import Key, Moment, moment
from muniment.verbs.series import SeriesVerbs


class Project(BeliefVerbs, CaptureVerbs, DimensionVerbs, LoadVerbs):
    """A project and the lake behind it."""

    @classmethod
    def open(cls, path: str | Path = ".", target: str | None = None, spark: SparkSession | None = None) -> Project:
        """A project by its file or its folder; `spark` runs it on a session of yours."""
        return cls(load_project(path, target), spark)

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
            received_at=moment(received_at, "received_at") or clock.now(),
            data=data,
            as_of=moment(as_of, "as_of"),
            batch_id=batch_id,
            scope=scope,
            complete=complete,
            dry_run=dry_run,
            receipt_given=received_at is not None,
            alerts=self.model.alerts,
        )
        return land(self.lake, request)

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

    def run(self, *names: str, select: str | None = None, exclude: str | None = None) -> Run:
        """Land what is new at each source's place, derive, resolve, apply and load, in order; a failure stops only what depends on it."""
        return run(self._scene, stages_of(chosen(self._described, names, select=select, exclude=exclude)))

    def plan(self, *names: str, select: str | None = None, exclude: str | None = None) -> Run:
        """What `run` would do, from the same stages; nothing is written."""
        return plan(self._scene, stages_of(chosen(self._described, names, select=select, exclude=exclude)))

    def history(self, entity: str, key: Key | None = None, *, as_of: Moment | None = None, known_at: Moment | None = None) -> DataFrame:
        """The timeline of all keys or one; at a time; as known at a time."""
        return timeline.history(self.lake, self.asked(entity, key, as_of, known_at))

    def mark(self, entity: str, run_id: str, *, reason: str, by: str, exclude: bool = False) -> Marked:
        """Say that a landed run is bad: derive stops before it, or with `exclude` the tables become as if it had never landed."""
        effect = Effect.EXCLUDE if exclude else Effect.HOLD
        return mark_run(self.lake, self.entity(entity), run_id, effect=effect, verdict=Verdict(by, reason))

    def unmark(self, entity: str, run_id: str, *, reason: str, by: str) -> Marked:
        """Say that a landed run was good after all: the tables become as if it had never been marked."""
        return unmark_run(self.lake, self.entity(entity), run_id, verdict=Verdict(by, reason))

    def changes(self, entity: str, key: Key | None = None, *, since: Moment | None = None, until: Moment | None = None) -> DataFrame:
        """What changed: attribute, old, new, source, event time, received."""
        found = self.entity(entity)
        if found.kind is Kind.EVENT:
            raise BadArgument(argument="entity", problem=f"{entity} has facts, which never change", advice="Look at its history.")
        versions = timeline.history(self.lake, timeline.Asked(found, key))
        return timeline.changes(versions, entity=found, since=moment(since, "since"), until=moment(until, "until"))

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
        self, entity: str | None = None, *, vacuum: bool = False, retention: timedelta | None = None, many: int = MANY
    ) -> list[Maintained]:
        """Compact and clean the tables of an entity, a dimension or a load, or of all."""
        named = [each for each in self.model.dimensions if entity in (None, each.name)]
        loads = [each for each in self.model.loads if entity in (None, each.name)]
        chosen = [self.entity(entity)] if entity and not named and not loads else [] if entity else list(self.model.entities)
        settings = {"many": many, "clean": vacuum, **({"retention": retention} if retention is not None else {})}
        done = [one for each in chosen for one in maintain(self.lake, each, **settings)]  # type: ignore[arg-type]
        done += [one for each in named for one in maintain_dimension(self.lake, each, **settings)]  # type: ignore[arg-type]
        return [*done, *(one for each in loads for one in maintain_load(self.lake, each, **settings))]  # type: ignore[arg-type]

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

    @property
    def _scene(self) -> Scene:
        dimensions = {each.name: each for each in self.model.dimensions}
        loads = {each.name: each for each in self.model.loads}
        return Scene(self.lake, self.model.root, self._entities, dimensions, loads, self.model.alerts)

    @property
    def _described(self) -> tuple[Described, ...]:
        return (*self.model.entities, *self.model.dimensions, *self.model.loads)

    @property
    def _entities(self) -> dict[str, Entity]:
        return {entity.name: entity for entity in (*self.model.entities, *(each.spoken_of for each in self.model.dimensions))}
