"""What became of captures once they were landed: status, what they changed, the change log. Found again from the tables, so that a crash loses nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.captures.changes import DELISTED, LOOK, MODIFIED, NEW, UNCHANGED, changes_of
from muniment.captures.delistings import CONFLICT
from muniment.captures.pages import Mode
from muniment.columns import CAPTURE_CHANGE
from muniment.evidence.loads import ACCEPTED, verdicts
from muniment.evidence.statements import absent_sources
from muniment.gate.fields import Fields
from muniment.lake.changes import Using
from muniment.lake.tables import Lake
from muniment.ledger import captures as ledger
from muniment.ledger.captures import CaptureRow, CaptureStatus
from muniment.ledger.runs import TABLE as RUNS
from muniment.model.tables import load_name, log_name
from muniment.steps.evidence import accepted_at
from muniment.steps.lists import Known, shown_by_lists
from muniment.steps.position import newest
from muniment.steps.register import previous_of

SNAPSHOT_COUNTS = "the snapshot counts"
_COUNTED = {NEW: "scd2_new", MODIFIED: "scd2_modified", DELISTED: "scd2_delisted", UNCHANGED: "scd2_unchanged"}


@dataclass(frozen=True, slots=True)
class _Load:
    """What the header of a capture's load came to."""

    load_id: str
    is_accepted: bool
    why: str | None


def settle(lake: Lake, fields: Fields, root: Path) -> list[CaptureRow]:
    """Settle all captures of a source that were landed and not settled yet, and those that somebody has accepted since."""
    with lake.lock(f"captures {fields.entity.name} {fields.source.name}"):
        rows = ledger.rows_of(lake, fields.entity.name, fields.source.name)
        waiting = [row for row in rows if row.ingest_run_id is None and row.is_accepted]
        runs = _runs(lake, fields, [row.records_path for row in waiting])
        held = [row for row in rows if row.status == CaptureStatus.QUARANTINED and row.ingest_run_id is not None]
        loads = _loads(lake, fields, [row.records_path for row in (*waiting, *held) if row in held or row.records_path in runs])
        settled = [_settled(row, runs[row.records_path], loads.get(row.records_path)) for row in waiting if row.records_path in runs]
        settled += [done for row in held if (done := _settled(row, row.ingest_run_id or "", loads.get(row.records_path))).is_accepted]
        counted = _counted(lake, fields, settled, Known(root, rows))
        faults.point("captures:after-changes")
        ledger.settle(lake, counted)
    return counted


def _runs(lake: Lake, fields: Fields, places: Sequence[str]) -> dict[str, str]:
    """The run that landed each file."""
    if not places:
        return {}
    mine = (F.col("entity") == fields.entity.name) & (F.col("source") == fields.source.name) & (F.col("step") == "land")
    files = lake.table(RUNS).read().where(mine & (F.col("status") == "done")).select("run_id", F.explode("files.path").alias("path"))
    wanted = F.broadcast(lake.spark.createDataFrame([(place,) for place in places], "path string"))
    return {row["path"]: row["run_id"] for row in files.join(wanted, "path", "left_semi").orderBy("run_id").collect()}


def _loads(lake: Lake, fields: Fields, places: Sequence[str]) -> dict[str, _Load]:
    """What was decided about the absence of each capture, where its source's absence counts (R17)."""
    if not places or fields.source.name not in absent_sources(fields.entity):
        return {}
    headers = lake.table(load_name(fields.entity)).read().where(F.col("source_system") == fields.source.name)
    judged = verdicts(headers, accepted_at(lake, fields.entity, newest(lake, fields.entity).decision), entity=fields.entity)
    worst = judged.groupBy("load_id").agg(F.min(F.col("verdict") == ACCEPTED).alias("ok"), F.max("why").alias("why"))
    files = headers.select("load_id", F.explode("files").alias("path")).distinct()
    wanted = F.broadcast(lake.spark.createDataFrame([(place,) for place in places], "path string"))
    found = files.join(wanted, "path", "left_semi").join(worst, "load_id").collect()
    return {row["path"]: _Load(row["load_id"], row["ok"], row["why"]) for row in found}


def _settled(row: CaptureRow, run_id: str, load: _Load | None) -> CaptureRow:
    done = replace(row, ingest_run_id=run_id, settled_at=clock.now())
    if load is not None and not load.is_accepted and row.capture_mode == Mode.FULL_SNAPSHOT:
        advice = f"muniment quarantine accept {row.entity} {load.load_id[:12]} --by NAME --reason WHY"
        return replace(done, status=CaptureStatus.QUARANTINED, reason=f"held: {load.why}; what it lacks says nothing until: {advice}")
    return done if row.status == CaptureStatus.DUPLICATE else replace(done, status=CaptureStatus.SUCCESS, reason=None)


def _counted(lake: Lake, fields: Fields, settled: Sequence[CaptureRow], around: Known) -> list[CaptureRow]:
    """The same with what each capture changed, counted from the rows in the log."""
    fresh = {row.capture_id: row for row in settled if row.is_accepted and row.capture_mode in (Mode.FULL_SNAPSHOT, Mode.DELISTINGS)}
    snapshots = {name: row for name, row in fresh.items() if row.capture_mode == Mode.FULL_SNAPSHOT}
    known = [fresh.get(row.capture_id, row) for row in around.rows if row.capture_mode == Mode.FULL_SNAPSHOT]
    parts = [_snapshot_changes(lake, fields, snapshots, known)] if snapshots else []
    parts += shown_by_lists(lake, fields, [row for row in fresh.values() if row.capture_mode == Mode.DELISTINGS], Known(around.root, known))
    if not parts:
        return list(settled)
    changes = reduce(DataFrame.unionByName, parts).persist()
    try:
        counts: dict[str, dict[str, Any]] = {}
        for row in (
            changes.groupBy("capture_id", "change_type").agg(F.count(F.lit(1)).alias("n"), F.min("natural_key").alias("such")).collect()
        ):
            counts.setdefault(row["capture_id"], {}).update(_told(row))
        _log(lake, fields, changes)
    finally:
        changes.unpersist()
    zero = dict.fromkeys(_COUNTED.values(), 0)
    return [replace(row, **{**zero, **counts.get(row.capture_id, {})}) if row.capture_id in fresh else row for row in settled]


def _told(row: Row) -> dict[str, Any]:
    if row["change_type"] != CONFLICT:
        return {_COUNTED[row["change_type"]]: row["n"]}
    said = f"{row['n']} of its keys are listed by the snapshot beside it at or after the date of their end, such as {row['such']}"
    return {"reason": f"{said}; {SNAPSHOT_COUNTS}"}


def _snapshot_changes(lake: Lake, fields: Fields, fresh: Mapping[str, CaptureRow], known: Sequence[CaptureRow]) -> DataFrame:
    looks = _looks(fresh, known)
    frame = lake.spark.createDataFrame(looks, LOOK)
    return changes_of(_rows(lake, fields, known, looks), frame, entity=fields.entity, scope=fields.source.scope)


def _looks(fresh: Mapping[str, CaptureRow], known: Iterable[CaptureRow]) -> list[tuple[object, ...]]:
    """The captures in question and the accepted one before each of them, one row per scope."""
    rows = [row for row in known if row.is_accepted and (row.ingest_run_id is not None or row.capture_id in fresh)]
    wanted: dict[tuple[str, str], tuple[object, ...]] = {}
    for row in fresh.values():
        before = previous_of(row, rows)
        for scope in row.scope:
            wanted[scope, row.capture_id] = (scope, row.effective_ts, row.capture_id, row.path, before.path if before else None, True)
        if before is not None:
            for scope in before.scope:
                wanted.setdefault((scope, before.capture_id), (scope, before.effective_ts, before.capture_id, before.path, None, False))
    return list(wanted.values())


def _rows(lake: Lake, fields: Fields, known: Iterable[CaptureRow], looks: Sequence[tuple[object, ...]]) -> DataFrame:
    wanted = {str(look[2]) for look in looks}
    mine = [row for row in known if row.capture_id in wanted]
    first, last = min(row.effective_ts for row in mine), max(row.effective_ts for row in mine)
    log = lake.table(log_name(fields.entity)).read().where((F.col("source_system") == fields.source.name) & (F.col("load_type") == "FULL"))
    inside = log.where(F.col("source_event_ts").between(F.lit(first), F.lit(last)))
    places = lake.spark.createDataFrame([(row.records_path,) for row in mine], "source_path string")
    return inside.join(F.broadcast(places), "source_path", "left_semi")


def _log(lake: Lake, fields: Fields, changes: DataFrame) -> None:
    """The change log; what was noted of these captures before is replaced, so that a second try adds nothing."""
    told = changes.where(F.col("change_type") != UNCHANGED).withColumns(
        {"entity": F.lit(fields.entity.name), "source": F.lit(fields.source.name)}
    )
    if not told.isEmpty():
        shaped = told.select(*(F.col(col.name) for col in CAPTURE_CHANGE))
        lake.table(ledger.CHANGES).replace(shaped, where=Using(("capture_id",)), txn=f"changes:{clock.new_id()}", txn_version=1)
