"""Load: slices into a table by a strategy. A slice is prepared, looked at, compared with what could match, and goes in by one commit (R24)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.canon.encode import identifier
from muniment.canon.hashes import quoted
from muniment.errors import BadArgument
from muniment.lake.changes import Everything, On, Partitions, Replacement
from muniment.lake.errors import Outrun
from muniment.lake.failed import FAILED
from muniment.lake.retry import with_retry
from muniment.lake.tables import Lake, Table
from muniment.lake.trouble import summary
from muniment.ledger.runs import ensure, plain
from muniment.loads import marks, strategies
from muniment.loads.drift import Difference, drift_of, refuse_drift
from muniment.loads.errors import SliceRefused, TimeGoesBack, TooManyMissing
from muniment.loads.look import Look, look_at
from muniment.loads.pipeline import prepare
from muniment.loads.ranges import matching, within
from muniment.loads.recipe import INTERNAL, Recipe
from muniment.loads.result import COUNTS, Loaded, together
from muniment.loads.strategies import DELETED, IGNORED, INFERRED, INSERTED, UNCHANGED, UPDATED, Spec
from muniment.loads.watermarks import Reach
from muniment.model.load import Load, Strategy
from muniment.steps.kept import Kept, keeping
from muniment.steps.load_checks import Sifted, set_aside, sift, with_raw
from muniment.steps.load_records import KEY, finish, last_facts, recover
from muniment.steps.load_tables import make_table
from muniment.steps.slices import LoadRequest, Slice, find_slices, rows_of

_turns: defaultdict[str, Lock] = defaultdict(Lock)  # threads share the lake's lock; one table has one load at a time
_NONE = dict.fromkeys(COUNTS, 0)
_FEW = 100_000  # so many keys are sent to every core instead of being shuffled
_SMALL = 10_000  # so many rows are compared in one place


def load(lake: Lake, request: LoadRequest) -> Loaded:
    """Load one slice, or all that are new at the load's place, each in its own commit."""
    asked = request.load
    with _turns[lake.table(asked.table).identifier], lake.lock(f"load {asked.name}"):
        ensure(lake)
        recover(lake, asked)
        found = find_slices(lake, request)
        _refuse_one_time_for_many(request, len(found.new))
        done = [_loaded_once(lake, request, one) for one in found.new]
    said = (f"{found.skipped} slice{'s' if found.skipped > 1 else ''} loaded before, same place and content",) if found.skipped else ()
    nothing = Loaded(asked.name, "", request.at or clock.now(), skipped=found.skipped, messages=said)
    return together(done, nothing=nothing)


def _refuse_one_time_for_many(request: LoadRequest, slices: int) -> None:
    """Versions that began at one instant would take each other's place."""
    if request.at is not None and slices > 1 and request.load.is_historic:
        problem = f"{slices} slices of {request.load.name} are new, and versions of one instant would take each other's place"
        raise BadArgument(argument="at", problem=problem, advice="Load them one by one, each at its own time, or leave the time out.")


def live(lake: Lake, asked: Load) -> DataFrame:
    """What a load has made and is not gone; of a historic one the current versions."""
    rows = lake.table(asked.table).read()
    alive = rows.where(~F.col(asked.names.is_deleted))
    return alive.where(F.col(asked.names.is_current)) if asked.is_historic else alive


def _loaded_once(lake: Lake, request: LoadRequest, one: Slice) -> Loaded:
    return with_retry(lambda: _load(lake, request, one))


@dataclass(frozen=True, slots=True)
class _Work:
    """One slice under way: its recipe, the table as it was, and what that had said last."""

    lake: Lake
    recipe: Recipe
    table: Table
    number: int
    held: DataFrame | None
    kept: Kept
    last: Mapping[str, Any] | None = None

    @property
    def load(self) -> Load:
        return self.recipe.load

    @property
    def is_keyed(self) -> bool:
        """Whether all hashes in the table are of the key that the load has now, so that the key's own columns tell rows apart."""
        return self.last is not None and self.last.get("key") == list(self.load.key_names)


def _load(lake: Lake, request: LoadRequest, one: Slice) -> Loaded:
    started, run_id = clock.now(), clock.new_id()
    table = lake.table(request.load.table)
    there = table.exists()  # trouble while looking is an error and never a first run (R26)
    last = last_facts(table) if there else None
    at = request.at or started
    _refuse_earlier(request, at=plain(at), last=last)
    held = table.read(table.version()) if there else None
    with keeping() as kept:
        recipe = Recipe(request.load, at, run_id, None if held is None else held.schema, kept.keep)
        work = _Work(lake, recipe, table, last["number"] + 1 if last else 1, held, kept, last)
        facts = {"run": run_id, "started_at": plain(started), "at": plain(at), "files": [[f.place, f.size, f.sha256] for f in one.files]}
        return _into_table(work, one, facts=facts)


def _refuse_earlier(request: LoadRequest, *, at: int, last: Mapping[str, Any] | None) -> None:
    if last is not None and at < last["at"]:
        times = (clock.from_micros(each) for each in (at, last["at"]))
        given, before = (moment.isoformat() for moment in times if moment)
        raise TimeGoesBack(load=request.load.name, at=given, last=before)


def _into_table(work: _Work, one: Slice, *, facts: Mapping[str, Any]) -> Loaded:
    raw = with_raw(rows_of(work.lake, work.load, one), load=work.load)
    if set(raw.columns) <= INTERNAL:  # no column, no row
        return _nothing(work, {**facts, "number": work.number, "watermarks": [], "messages": []})
    sifted, difference, look = _understood(work, raw)
    rows = sifted.rows
    kinds = {field.name: field.dataType for field in rows.schema}
    reach = Reach(work.load, marks.current(work.lake, work.load), kinds, look.highs)
    counts = {**_NONE, "received": look.received + sifted.waiting, "quarantined": sifted.waiting}
    said = {**facts, "number": work.number, "watermarks": reach.moves(), "messages": [*difference.told(), *sifted.messages]}
    if not look.received:
        set_aside(work.lake, sifted, recipe=work.recipe, one=one)
        return _nothing(work, said, counts)
    faults.point("load:start")
    table = make_table(work.table, rows, load=work.load, held=work.recipe.held)
    match = matching(work.load.key_names, table) if work.is_keyed else ()
    spec = Spec(work.load, work.recipe.at, table, frozenset(name for name in table if name not in kinds), work.recipe.volatile, match)
    infers = work.load.infers and work.held is not None and not sifted.keyless
    change = _change(work, rows, spec=spec, sight=_Sight(look, reach.window() if infers else None, sifted.aside))
    set_aside(work.lake, sifted, recipe=work.recipe, one=one)
    return _commit(work, change, {**said, "counts": {**counts, **change.counts}})


def _understood(work: _Work, raw: DataFrame) -> tuple[Sifted, Difference, Look]:
    """The slice prepared, sifted and looked at once; what it cannot be is said, and nothing was written."""
    name = work.load.name
    try:
        rows = prepare(raw, recipe=work.recipe)
        difference = drift_of(raw.schema, rows.schema, recipe=work.recipe)
        refuse_drift(difference, recipe=work.recipe)
        Reach(work.load, {}, {field.name: field.dataType for field in rows.schema}).refuse_unmarkable()
        sifted = sift(work.lake, rows, load=work.load, kept=work.kept)
        return sifted, difference, look_at(sifted.rows, load=work.load)
    except (AnalysisException, TypeError) as error:
        raise SliceRefused(
            load=name, done="prepared", problem=summary(error)[:300], advice="Look at its columns and expressions."
        ) from error
    except FAILED as error:
        raise SliceRefused(
            load=name, done="read through", problem=summary(error)[:300], advice="Mend the slice or the expression."
        ) from error


@dataclass(frozen=True, slots=True)
class _Change:
    """The rows that come, which rows go for them, and what that means."""

    rows: DataFrame
    where: Replacement
    counts: Mapping[str, int]
    is_nothing: bool = False


def _change(work: _Work, rows: DataFrame, *, spec: Spec, sight: _Sight) -> _Change:
    look = sight.look
    fresh = {"inserted": look.received - look.flagged, "ignored": look.flagged}
    if work.load.strategy is Strategy.FULL:
        return _whole(work, strategies.first(rows, spec=spec), spec=spec, counts=fresh)
    if work.held is None or (work.number == 1 and work.held.isEmpty()):  # a table that another hand filled is no first run
        return _Change(strategies.first(rows, spec=spec), Everything(), fresh, is_nothing=not fresh["inserted"])
    current = work.held.where(F.col(work.load.names.is_current)) if work.load.is_historic else work.held
    return _compared(work, strategies.with_columns(current, spec=spec), rows, spec=spec, sight=sight)


def _whole(work: _Work, rows: DataFrame, *, spec: Spec, counts: Mapping[str, int]) -> _Change:
    """All rows anew, or those of the slice's partitions; keys that moved here from another partition leave that one."""
    nothing = not counts["inserted"]
    if not work.load.partition or work.held is None:
        return _Change(rows, Everything(), counts, is_nothing=nothing)
    if set(work.load.partition) <= set(work.load.key_names):
        return _Change(rows, Partitions(), counts, is_nothing=nothing)
    stay = strategies.left_behind(work.held, rows, spec=spec)
    return _Change(rows.unionByName(stay), Partitions(), counts, is_nothing=nothing)


@dataclass(frozen=True, slots=True)
class _Sight:
    """How far a slice sees: the ranges of its keys, the window in which it should have everything, and the rows that were set aside."""

    look: Look
    window: Column | None
    aside: DataFrame | None = None

    def near(self, spec: Spec, alias: str = "") -> str:
        """A condition on the rows that may change; what is inferred may have any key."""
        return "true" if self.window is not None else within(self.look.ranges, spec.columns, alias=alias)


def _compared(work: _Work, held: DataFrame, rows: DataFrame, *, spec: Spec, sight: _Sight) -> _Change:
    """Only rows whose key may be in the slice are read, and only rows that change, or were seen again, are written."""
    names, look = work.load.names, sight.look
    keys = rows.select(*map(quoted, spec.by))
    touched = held.where(sight.near(spec)).join(F.broadcast(keys) if look.received <= _FEW else keys, list(spec.by), "left_semi")
    compared = strategies.compare(touched, rows, spec=spec, window=sight.window, few=look.received <= _SMALL)
    if sight.window is not None:
        missed = held if sight.aside is None else held.join(sight.aside.select(names.sk), names.sk, "left_anti")  # those came
        compared = compared.unionByName(strategies.gone(missed, rows, window=sight.window, spec=spec))
    compared = work.kept.keep(compared)
    counts = _counted(compared)
    _refuse_too_many(work.load, counts)
    lane = f" AND t.{names.is_current}" if work.load.is_historic else ""
    same = " AND ".join(f"t.{identifier(name)} = s.{identifier(name)}" for name in spec.by)
    where = On(f"{same}{lane} AND {sight.near(spec, 't.')}")
    changed = sum(counts[name] for name in (INSERTED, UPDATED, UNCHANGED, DELETED, INFERRED))
    return _Change(strategies.outcome(compared, spec=spec), where, _named(counts), is_nothing=not changed)


def _counted(compared: DataFrame) -> Counter[str]:
    """What became of each row, and how many live rows the window had, in one look."""
    verdict, inside = strategies.VERDICT, strategies.INSIDE
    found: Counter[str] = Counter()
    for row in compared.groupBy(verdict).agg(F.count(F.lit(1)).alias("n"), F.count_if(inside).alias(inside)).collect():
        found.update({row[verdict]: row["n"], inside: row[inside]})
    return found


def _refuse_too_many(load: Load, counts: Counter[str]) -> None:
    if counts[INFERRED] > load.max_deleted * counts[strategies.INSIDE]:
        raise TooManyMissing(load=load.name, missing=counts[INFERRED], all=counts[strategies.INSIDE], share=load.max_deleted)


def _named(counts: Counter[str]) -> dict[str, int]:
    found = {name: counts[name] for name in (INSERTED, UPDATED, UNCHANGED, DELETED, IGNORED)}
    return {**found, "inferred_deletes": counts[INFERRED]}


def _commit(work: _Work, change: _Change, facts: dict[str, Any]) -> Loaded:
    """One commit, with all that the load has to say; then what it owes."""
    if change.is_nothing:
        finish(work.lake, work.load, facts, version=None)
        return _loaded(work, facts)
    txn = f"load:{work.table.name}"
    if work.is_keyed or isinstance(change.where, Everything):
        facts = {**facts, "key": list(work.load.key_names)}
    faults.point("load:before-commit")
    made = work.table.replace(change.rows, where=change.where, txn=txn, txn_version=work.number, metadata={KEY: facts})
    if made.repeated:
        raise Outrun(table=work.table.name, txn=txn, txn_version=work.number)
    faults.point("load:after-commit")
    finish(work.lake, work.load, facts, version=made.version)
    return _loaded(work, facts)


def _nothing(work: _Work, facts: Mapping[str, Any], counts: Mapping[str, int] = _NONE) -> Loaded:
    """A slice of which no row enters leaves the table as it is."""
    why = "every row was set aside" if counts["received"] else "the slice is empty"
    said = {**facts, "counts": counts, "messages": [*facts["messages"], f"{why}; the table stays as it is"]}
    finish(work.lake, work.load, said, version=None)
    return _loaded(work, said)


def _loaded(work: _Work, facts: Mapping[str, Any]) -> Loaded:
    moved = {move["column"]: move["value"] for move in facts["watermarks"]}
    return Loaded(
        work.load.name,
        facts["run"],
        work.recipe.at,
        **facts["counts"],
        slices=1,
        watermarks=moved,
        messages=tuple(facts["messages"]),
    )
