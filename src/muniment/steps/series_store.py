"""Partitions as they are recorded: one row of `ops.partition` publishes one; without it rows are as if they were not there."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import PARTITION
from muniment.decisions.marks import Family, marks_of
from muniment.lake.commits import Commit
from muniment.lake.tables import Lake
from muniment.ledger.runs import ensure
from muniment.model.series import Role, Series
from muniment.series.lineage import Standing, standing
from muniment.series.records import Partition, Quality
from muniment.steps.ran import Running, recover_record

TABLE = "ops.partition"
_seen: dict[tuple[str, str], tuple[Commit, tuple[Partition, ...]]] = {}  # what this process has read of a series, and as of which commit
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in PARTITION)


def ready(lake: Lake) -> None:
    """The tables that every change of a series needs; a run that was killed before its row is recorded."""
    ensure(lake)
    table = lake.table(TABLE)
    if not table.exists():
        table.create(PARTITION, comment="Muniment: partition", properties={"delta.enableExpiredLogCleanup": "false"})
    recover_record(lake, table)


def standing_of(lake: Lake, name: str) -> Standing:
    """All partitions of a series and what they are worth; records are few."""
    return standing(_partitions(lake, name), marks_of(lake, Family.SERIES, name))


def partition_rows(lake: Lake, name: str) -> DataFrame:
    """The records of a series."""
    table = lake.table(TABLE)
    rows = table.read() if table.exists() else lake.spark.createDataFrame([], _SCHEMA)
    return rows.where(F.col("series") == name)


def publish(lake: Lake, series: Series, partition: Partition, *, running: Running, quality: Quality = Quality.GOOD) -> Commit:
    """Write the record; of two that were made for one place at once only the first is (R24)."""
    p = partition
    row = (
        p.partition_id, series.name, p.role.value, p.start, p.end, p.generation, p.base, list(p.deltas), p.rows, p.deletes, p.checksum,
        [Decimal(lane) for lane in p.sums], quality.value, p.version, p.produced_by, p.produced_at,
    )  # fmt: skip
    once = f"series:{series.name}:{p.role.value}:{clock.micros(p.start)}:{p.generation}"
    said = running.said({"rows": p.rows})
    table = lake.table(TABLE)
    commit = table.append(lake.spark.createDataFrame([row], _SCHEMA), txn=lake.once(once), metadata=said)
    before, known = _seen.pop((table.identifier, series.name), (None, ()))
    if before is not None and commit.version == before.version + 1:
        _seen[table.identifier, series.name] = (commit, (*known, partition))
    return commit


def next_generation(found: Standing, role: Role, start: datetime) -> int:
    """The number of the next partition of this place."""
    held = found.at(role, start)
    return 1 if held is None else held.generation + 1


def _partitions(lake: Lake, name: str) -> tuple[Partition, ...]:
    """Read again only after a commit that this process has not seen."""
    table = lake.table(TABLE)
    newest = next(table.newest_first(), None) if table.exists() else None
    seen, known = _seen.get((table.identifier, name), (None, ()))
    if newest is None or newest.attempt is None or seen is None or seen.attempt != newest.attempt:
        known = _read(lake, name)
        if newest is not None:
            _seen[table.identifier, name] = (newest, known)
    return known


def _read(lake: Lake, name: str) -> tuple[Partition, ...]:
    times = {each: F.unix_micros(each).alias(each) for each in ("start_ts", "end_ts", "produced_at")}
    columns = [times.get(col.name, F.col(col.name)) for col in PARTITION]
    return tuple(_partition(row) for row in partition_rows(lake, name).select(*columns).collect())


def _partition(row: Row) -> Partition:
    start, end = (clock.from_micros(row[name]) or clock.now() for name in ("start_ts", "end_ts"))
    return Partition(
        row["partition_id"],
        Role(row["role"]),
        start,
        end,
        row["generation"],
        row["base"],
        tuple(row["deltas"] or ()),
        row["rows"],
        row["deletes"],
        row["checksum"],
        tuple(int(lane) for lane in row["sums"]),
        row["table_version"],
        row["produced_by"],
        clock.from_micros(row["produced_at"]),
    )
