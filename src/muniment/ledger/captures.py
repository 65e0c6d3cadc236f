"""`ops.capture`: every capture that was ever noted, one row each, with what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import CAPTURE, CAPTURE_CHANGE
from muniment.lake.changes import Using
from muniment.lake.retry import with_retry
from muniment.lake.tables import Lake

TABLE, CHANGES = "ops.capture", "ops.capture_change"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in CAPTURE)
_MOMENTS = {col.name for col in CAPTURE if col.type == "timestamp"}


class CaptureStatus(StrEnum):
    PENDING = "pending"
    SUCCESS = "success"
    FAILED = "failed"
    QUARANTINED = "quarantined"
    DUPLICATE = "skipped_duplicate"
    INCOMPLETE = "skipped_incomplete"


ACCEPTED = frozenset({CaptureStatus.PENDING, CaptureStatus.SUCCESS, CaptureStatus.DUPLICATE})


@dataclass(frozen=True, slots=True)
class CaptureRow:
    """The columns of `ops.capture`."""

    capture_id: str
    entity: str
    source: str
    path: str
    records_path: str
    status: str
    reason: str | None
    capture_mode: str
    complete: bool
    captured_at: datetime
    effective_ts: datetime
    scope: tuple[str, ...]
    record_count: int
    expected_record_count: int | None = None
    content_sha256: str | None = None
    file_sha256: str | None = None
    manifest_sha256: str | None = None
    duplicate_of: str | None = None
    scd2_new: int | None = None
    scd2_modified: int | None = None
    scd2_delisted: int | None = None
    scd2_unchanged: int | None = None
    ingest_run_id: str | None = None
    registered_at: datetime | None = None
    settled_at: datetime | None = None

    @property
    def is_accepted(self) -> bool:
        return self.status in ACCEPTED

    @property
    def is_settled(self) -> bool:
        return self.ingest_run_id is not None or self.status not in ACCEPTED


def ensure(lake: Lake) -> None:
    """The tables of captures."""
    for name, columns in ((TABLE, CAPTURE), (CHANGES, CAPTURE_CHANGE)):
        if not lake.table(name).exists():
            lake.table(name).create(columns, comment="Muniment: captures")


def rows_of(lake: Lake, entity: str, source: str) -> list[CaptureRow]:
    """The captures of a source, by the instant they speak for."""
    table = lake.table(TABLE)
    if not table.exists():
        return []
    columns = [F.unix_micros(c.name).alias(c.name) if c.name in _MOMENTS else F.col(c.name) for c in CAPTURE]
    found = table.read().where((F.col("entity") == entity) & (F.col("source") == source)).select(*columns).collect()
    return sorted((_row(each.asDict()) for each in found), key=in_time)


def in_time(row: CaptureRow) -> tuple[datetime, datetime, str]:
    """The order in which captures speak."""
    return row.effective_ts, row.captured_at, row.path


def note(lake: Lake, rows: Sequence[CaptureRow]) -> None:
    """Add captures that are new."""
    if rows:
        lake.table(TABLE).append(_frame(lake, rows))


def settle(lake: Lake, rows: Sequence[CaptureRow]) -> None:
    """Replace rows by what is known of these captures now, in one commit."""
    if rows:
        table, frame = lake.table(TABLE), _frame(lake, rows)
        with_retry(lambda: table.replace(frame, where=Using(("capture_id",)), txn=f"captures:{clock.new_id()}", txn_version=1))


def _frame(lake: Lake, rows: Iterable[CaptureRow]) -> Any:
    return lake.spark.createDataFrame([tuple(_cell(getattr(row, each.name)) for each in fields(row)) for row in rows], _SCHEMA)


def _cell(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _row(values: dict[str, Any]) -> CaptureRow:
    moments = {name: clock.from_micros(values[name]) for name in _MOMENTS}
    return CaptureRow(**{**values, **moments, "scope": tuple(values["scope"] or ())})
