"""Derive: history from the log. Reads what is new, recomputes the keys it touches, changes only what differs, in one commit (R8, R24)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.evidence.lanes import difference
from muniment.evidence.order import collisions
from muniment.lake.changes import On
from muniment.lake.commits import Commit
from muniment.lake.errors import Outrun
from muniment.lake.retry import with_retry
from muniment.lake.tables import Lake
from muniment.ledger.runs import Run, ensure, record
from muniment.model.entity import Entity
from muniment.model.tables import history_columns, history_name, log_name
from muniment.steps.errors import HistoryShapeChanged
from muniment.steps.evidence import Evidence, evidence_at
from muniment.steps.finish import recover
from muniment.steps.kept import keeping
from muniment.steps.keys import keys_of
from muniment.steps.position import Position, newest, reached
from muniment.steps.results import Derived
from muniment.steps.shape import changed, shape
from muniment.steps.touched import Touched, touched_by


def derive(lake: Lake, entity: Entity) -> Derived:
    """Bring the history up to the log."""
    with lake.lock(f"derive {entity.name}"):
        log = lake.table(log_name(entity))
        if not log.exists():
            return Derived(entity.name)
        ensure(lake)
        recover(lake, entity)
        return with_retry(lambda: _derive(lake, entity))


def rebuild(lake: Lake, entity: Entity) -> Derived:
    """The same table again, from the log alone."""
    with lake.lock(f"rebuild {entity.name}"):
        ensure(lake)
        return with_retry(lambda: _rebuild(lake, entity))


def _derive(lake: Lake, entity: Entity) -> Derived:
    history = lake.table(history_name(entity))
    was, now = reached(history), newest(lake, entity)
    if was.number == 0:
        return _rebuild(lake, entity)
    differs = changed(was.settings, shape(entity))
    if differs:
        raise HistoryShapeChanged(entity=entity.name, settings=", ".join(differs))
    if (was.log, was.load, was.decision) == (now.log, now.load, now.decision):
        return Derived(entity.name)
    history.create(history_columns(entity))
    return _apply(lake, entity, was=was, now=replace(now, number=was.number + 1, settings=shape(entity)))


def _apply(lake: Lake, entity: Entity, *, was: Position, now: Position) -> Derived:
    started = clock.now()
    evidence = evidence_at(lake, entity, now)
    table = lake.table(history_name(entity))
    with keeping() as kept:
        touched = touched_by(lake, evidence, table.read(table.version()), was=was, kept=kept)
        after = kept.keep(touched.after)
        changes = kept.keep(difference(touched.before, after).rows)
        result = _count(entity, changes, touched)
        if result.changed:
            changed = keys_of(changes.select(F.coalesce("before.sk", "after.sk").alias("sk")))
            _commit(lake, entity, changed.of(after), where=On(touched.replaced(changed)), now=now)
            _record(lake, entity, result, started=started)
        return result


def _commit(lake: Lake, entity: Entity, rows: DataFrame, *, where: On, now: Position) -> None:
    table = lake.table(history_name(entity))
    names = [col.name for col in history_columns(entity)]
    faults.point("derive:before-commit")
    made = table.replace(
        rows.select(*(F.col(f"`{name}`") for name in names)),
        where=where,
        txn=f"derive:{table.name}",
        txn_version=now.number,
        metadata=now.said(),
    )
    _refuse_outrun(made, table.name, now)
    faults.point("derive:after-commit")


def _refuse_outrun(made: Commit, table: str, now: Position) -> None:
    """Another derive took this number first; what was computed here is void and is computed again."""
    if made.repeated:
        raise Outrun(table=table, txn=f"derive:{table}", txn_version=now.number)


def _count(entity: Entity, changes: DataFrame, touched: Touched) -> Derived:
    opened = F.count_if(F.col("before").isNull())
    closed = F.count_if(F.col("before.effective_to").isNull() & F.col("before").isNotNull() & F.col("after.effective_to").isNotNull())
    keys = F.count_distinct(F.coalesce("before.sk", "after.sk"))
    row = changes.agg(F.count(F.lit(1)).alias("rows"), opened.alias("opened"), closed.alias("closed"), keys.alias("keys")).first()
    touches = touched.keys.count()
    return Derived(
        entity.name,
        keys=touches,
        opened=row["opened"] if row else 0,
        closed=row["closed"] if row else 0,
        repaired=touched.repairs.count(),
        late=touched.late,
        collisions=touched.collisions,
        unchanged=touches - (row["keys"] if row else 0),
        changed=row["rows"] if row else 0,
    )


def _rebuild(lake: Lake, entity: Entity) -> Derived:
    started = clock.now()
    table = lake.table(history_name(entity))
    table.create(history_columns(entity), comment=f"The timeline of {entity.name}: derived, never edited by hand", partition=["is_head"])
    was = reached(table)
    now = replace(newest(lake, entity), number=was.number + 1, settings=shape(entity))
    evidence = evidence_at(lake, entity, now)
    names = [F.col(f"`{col.name}`") for col in history_columns(entity)]
    faults.point("derive:before-commit")
    made = table.overwrite(evidence.fold().select(*names), txn=f"derive:{table.name}", txn_version=now.number, metadata=now.said())
    _refuse_outrun(made, table.name, now)
    faults.point("derive:after-commit")
    result = _counted(entity, evidence, table.read())
    _record(lake, entity, result, started=started)
    return result


def _counted(entity: Entity, evidence: Evidence, history: DataFrame) -> Derived:
    sums = (F.count(F.lit(1)).alias("rows"), F.count_distinct("sk").alias("keys"), F.count("effective_to").alias("closed"))
    row = history.agg(*sums).first()
    rows, keys, closed = (row["rows"], row["keys"], row["closed"]) if row else (0, 0, 0)
    found = collisions(evidence.rows).count()
    return Derived(entity.name, keys=keys, opened=rows, closed=closed, collisions=found, changed=rows)


def _record(lake: Lake, entity: Entity, result: Derived, *, started: datetime) -> None:
    finished = clock.now()
    table = lake.table(history_name(entity))
    run = Run(
        clock.new_id(),
        "derive",
        entity.name,
        started_at=started,
        finished_at=finished,
        seconds=(finished - started).total_seconds(),
        counts=result.counts(),
        writes={table.name: table.version()},
    )
    record(lake, run)
