"""Derive: history from the log. Reads what is new, recomputes the keys it touches, changes only what differs, in one commit (R8, R24)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from muniment import faults
from muniment.evidence.lanes import VERSION, Difference, difference
from muniment.evidence.order import collisions, suspected, together
from muniment.evidence.slots import only
from muniment.lake.changes import Everything, On, Replacement, Where
from muniment.lake.retry import with_retry
from muniment.lake.schema import aligned, kind_of, statistics
from muniment.lake.tables import Lake
from muniment.ledger.rules import keep_rules
from muniment.ledger.runs import ensure
from muniment.model.entity import Entity, Kind
from muniment.model.tables import derived_columns, derived_name, log_name, searched
from muniment.steps.errors import HistoryShapeChanged
from muniment.steps.evidence import Evidence, evidence_at
from muniment.steps.finish import recover
from muniment.steps.kept import Kept, keeping
from muniment.steps.keys import FEW, Keys, keys_of, no_keys
from muniment.steps.news import asserted
from muniment.steps.position import Position, due, heard_nothing, reached
from muniment.steps.ran import Running, recover_record, replace_rows
from muniment.steps.refold import refolded
from muniment.steps.results import Derived
from muniment.steps.shape import changed, shape
from muniment.steps.touched import Touched, facts_touched_by, touched_by

_PLACE = 32 * 1024 * 1024  # of the log's files: some ten times as much, once it is rows beside each other
_SHARING = 4  # so many places make one file of each partition


def derive(lake: Lake, entity: Entity) -> Derived:
    """Bring the history up to the log."""
    with lake.lock(f"derive {entity.name}"):
        log = lake.table(log_name(entity))
        if not log.exists():
            return Derived(entity.name)
        ensure(lake)
        recover(lake, entity)
        recover_record(lake, lake.table(derived_name(entity)))
        return with_retry(lambda: _derive(lake, entity))


def rebuild(lake: Lake, entity: Entity) -> Derived:
    """The same table again, from the log alone."""
    with lake.lock(f"rebuild {entity.name}"):
        if not lake.table(log_name(entity)).exists():
            return Derived(entity.name)
        ensure(lake)
        recover_record(lake, lake.table(derived_name(entity)))
        return with_retry(lambda: _rebuild(lake, entity))


def _derive(lake: Lake, entity: Entity) -> Derived:
    table = lake.table(derived_name(entity))
    was, settings = reached(table), shape(entity)
    now = due(lake, entity, was=was)
    if was.number == 0:
        return _rebuild(lake, entity)
    _refuse_other_shape(lake, entity, was=was, now=now)
    if heard_nothing(was, now):
        return Derived(entity.name, held=tuple(now.held))
    table.create(derived_columns(entity))
    rules = was.rules if was.settings == settings else keep_rules(lake, entity.name, settings)
    step = _apply if was.excluded == now.excluded else _refold
    done = step(lake, entity, was=was, now=replace(now, number=was.number + 1, settings=settings, rules=rules))
    return replace(done, held=tuple(now.held))


def _refuse_other_shape(lake: Lake, entity: Entity, *, was: Position, now: Position) -> None:
    """Say what `rebuild` would do, which takes a whole fold, and do nothing (R28)."""
    differs = changed(was.settings, shape(entity))
    if not differs:
        return
    fresh = evidence_at(lake, entity, now).fold()
    held = aligned(lake.table(derived_name(entity)).read(), kind_of(derived_columns(entity)))
    shared = [name for name in fresh.columns if name in held.columns and name != "precedence_rank"]  # a rank alone changes no history
    found = difference(only(held, shared), only(fresh, shared), identity=_identity(entity))
    keys = found.rows.select(F.coalesce("before.sk", "after.sk").alias("sk")).distinct().count()
    raise HistoryShapeChanged(entity=entity.name, settings=", ".join(differs), keys=keys, all=held.select("sk").distinct().count())


def _apply(lake: Lake, entity: Entity, *, was: Position, now: Position) -> Derived:
    running = Running("derive", entity.name)
    evidence = evidence_at(lake, entity, now)
    table = lake.table(derived_name(entity))
    with keeping() as kept:
        touch = facts_touched_by if entity.kind is Kind.EVENT else touched_by
        touched = touch(lake, evidence, aligned(table.read(table.version()), kind_of(derived_columns(entity))), was=was, kept=kept)
        change = _change(touched, kind_of(derived_columns(entity)), kept=kept)
        result, vanished = _count(entity, change.rows, touched)
        if result.changed:
            wholes = keys_of(change.vanished) if vanished else no_keys(change.added)
            said = {**now.said(), **running.said(result.counts())}
            _commit(lake, entity, _coming(change, touched.after, wholes), where=On(touched.replaced(wholes)), said=said)
            _record(lake, entity, result, running)
        return result


def _refold(lake: Lake, entity: Entity, *, was: Position, now: Position) -> Derived:
    """Fold again what a mark, or its end, touches; keys that nothing is left of go."""
    running = Running("derive", entity.name)
    evidence, table = evidence_at(lake, entity, now), lake.table(derived_name(entity))
    with keeping() as kept:
        keys = refolded(lake, evidence, was=was, kept=kept)
        if keys is None or keys.are_none:
            return _rebuild(lake, entity) if keys is None else Derived(entity.name)
        before = keys.of(aligned(table.read(table.version()), kind_of(derived_columns(entity))))
        after = kept.keep(replace(evidence, rows=kept.now(keys.of(asserted(evidence.rows, entity=entity)))).fold(few=True))
        changes = difference(before, after, identity=_identity(entity))
        result, _ = _count(entity, changes.rows, Touched(keys, keys, before, after, identity=_identity(entity)))
        _commit(lake, entity, after, where=Where(keys.sql("sk")), said={**now.said(), **running.said(result.counts())})
        _record(lake, entity, result, running)
    return result


def _change(touched: Touched, kind: StructType, *, kept: Kept) -> Difference:
    """What differs, computed once: counting and the commit look at it again and again. Of a row that goes, what is asked about it stays."""
    few = touched.keys.are_few
    found = [] if touched.stepped is None else [touched.stepped]
    if touched.before is not None and touched.after is not None:
        before, after = (together(rows, few=True) if few else rows for rows in (touched.before, touched.after))
        found.append(difference(before, after, identity=touched.identity, kind=kind).rows)
    asked = F.struct(*(f"before.{name}" for name in ("sk", "effective_to") if name in kind.names))
    sides = [rows.select(F.when(F.col("before").isNotNull(), asked).alias("before"), "after") for rows in found]
    return Difference(kept.keep(reduce(DataFrame.unionByName, sides)))


def _coming(change: Difference, after: DataFrame | None, wholes: Keys) -> DataFrame:
    """The rows to write: those that differ; where a row goes and none takes its place, all of its key."""
    if wholes.are_none or after is None:
        return change.added
    if wholes.are_short:
        return wholes.apart(change.added).unionByName(wholes.of(after))
    return after.join(change.rows.select(F.coalesce("before.sk", "after.sk").alias("sk")).distinct(), "sk", "left_semi")


def _commit(lake: Lake, entity: Entity, rows: DataFrame, *, where: Replacement, said: Mapping[str, Any]) -> None:
    """Put rows in the place of those they replace, and say beside them how far was read and by which run."""
    table = lake.table(derived_name(entity))
    shaped = only(rows, (col.name for col in derived_columns(entity)))
    faults.point("derive:before-commit")
    replace_rows(table, shaped, where=where, step="derive", said=said)
    faults.point("derive:after-commit")


def _count(entity: Entity, changes: DataFrame, touched: Touched) -> tuple[Derived, int]:
    """What changes, and how many rows go that none takes the place of; all of it in one look."""
    ended = F.col("before.effective_to").isNull() & F.col("before").isNotNull() & F.col("after.effective_to").isNotNull()
    sums = {
        "rows": F.count(F.lit(1)),
        "opened": F.count_if(F.col("before").isNull()),
        "vanished": F.count_if(F.col("after").isNull()),
        "closed": F.lit(0) if entity.kind is Kind.EVENT else F.count_if(ended),
        "keys": F.count_distinct(F.coalesce("before.sk", "after.sk")),
    }
    counted = changes.agg(*(value.cast("bigint").alias(name) for name, value in sums.items()))
    is_counted = touched.keys.are_few or touched.keys.number is not None
    others = {"collided": touched.collided, "touched": None if is_counted else touched.keys.rows}
    for name, rows in others.items():
        if rows is not None:
            counted = counted.unionByName(rows.agg(F.count(F.lit(1)).alias(name)), allowMissingColumns=True)
    found: Counter[str] = Counter()
    for row in counted.collect():
        found.update({name: value for name, value in row.asDict().items() if value})
    touches = touched.keys.count() if is_counted else found["touched"]
    result = Derived(
        entity.name,
        keys=touches,
        opened=found["opened"],
        closed=found["closed"],
        repaired=touched.repaired,
        late=touched.late,
        collisions=found["collided"],
        unchanged=touches - found["keys"],
        changed=found["rows"],
    )
    return result, found["vanished"]


def _rebuild(lake: Lake, entity: Entity) -> Derived:
    running = Running("derive", entity.name)
    table = lake.table(derived_name(entity))
    partition = [] if entity.kind is Kind.EVENT else ["is_head"]
    columns, comment = derived_columns(entity), f"{entity.name} as its log says: derived, never edited by hand"
    table.create(columns, comment=comment, partition=partition, properties=statistics(searched(entity, columns)))
    settings = shape(entity)
    rules = keep_rules(lake, entity.name, settings)
    now = replace(due(lake, entity, was=Position()), number=reached(table).number + 1, settings=settings, rules=rules)
    evidence = evidence_at(lake, entity, now)
    with keeping() as kept:
        few = evidence.rows.limit(FEW + 1).count() <= FEW
        rows = kept.now(evidence.fold(few=True)) if few else _folded(lake, evidence)
        _commit(lake, entity, rows, where=Everything(), said={**now.said(), **running.said({})})
        result = _counted(entity, evidence, rows if few else table.read())
    _record(lake, entity, result, running)
    return result


def _folded(lake: Lake, evidence: Evidence) -> DataFrame:
    """A fold of a large log, a part at a time that is sorted without going through the disk; some of them share a file."""
    usual = int(lake.spark.conf.get("spark.sql.shuffle.partitions") or 1)
    size = sum(file.size or 0 for file in lake.table(log_name(evidence.entity)).files(evidence.at.log))
    places = size // _PLACE
    if places <= usual:
        return evidence.fold()
    return evidence.fold(places=places).coalesce(max(places // _SHARING // usual, 1) * usual)


def _counted(entity: Entity, evidence: Evidence, derived: DataFrame) -> Derived:
    """What a whole table has; of each key one version is open, and a fact is a row (R5)."""
    closed = F.lit(0) if entity.kind is Kind.EVENT else F.count("effective_to")
    row = derived.agg(F.count(F.lit(1)).alias("rows"), closed.alias("closed")).first()
    rows, ended = (row["rows"], row["closed"]) if row else (0, 0)
    return Derived(entity.name, keys=rows - ended, opened=rows, closed=ended, collisions=_collided(evidence.rows), changed=rows)


def _collided(rows: DataFrame) -> int:
    """How many rows nothing but where they came from could order (R6); mostly there are none, and a narrow look tells so."""
    return 0 if suspected(rows).isEmpty() else collisions(rows).count()


def _record(lake: Lake, entity: Entity, result: Derived, running: Running) -> None:
    table = lake.table(derived_name(entity))
    running.record(lake, result.counts(), writes={table.name: table.version()})
    faults.point("derive:after-run")


def _identity(entity: Entity) -> tuple[str, ...]:
    return ("sk",) if entity.kind is Kind.EVENT else VERSION
