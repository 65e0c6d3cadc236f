"""Values set by hand and their withdrawals, kept apart from evidence: only ever added to (R20, R29)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import Row
from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import OVERRIDE
from muniment.lake.tables import Lake

TABLE = "ops.override"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in OVERRIDE)


@dataclass(frozen=True, slots=True)
class Override:
    """One row of `ops.override`; with `withdraws` the end of another."""

    entity: str
    sk: str
    key: str
    made_by: str
    reason: str
    given: Mapping[str, str | None] | None = None
    start_ts: datetime | None = None
    end_ts: datetime | None = None
    withdraws: str | None = None


def record_override(lake: Lake, override: Override) -> str:
    """Add it and return its id."""
    name = clock.new_id()
    given = None if override.given is None else dict(override.given)
    row = (
        name, override.entity, override.sk, override.key, given, override.start_ts, override.end_ts, override.made_by, override.reason,
        clock.now(), override.withdraws,
    )  # fmt: skip
    lake.table(TABLE).append(lake.spark.createDataFrame([row], _SCHEMA), metadata={"override": name})
    return name


def override_row(lake: Lake, override_id: str) -> Row | None:
    """An override by its id, with its withdrawal if there is one; its times also in microseconds."""
    table = lake.table(TABLE)
    if not table.exists():
        return None
    rows = table.read()
    ended = rows.where(F.col("withdraws") == override_id).select(F.col("override_id").alias("withdrawal")).limit(1)
    mine = rows.where((F.col("override_id") == override_id) & F.col("withdraws").isNull())
    micros = {f"{name}_micros": F.unix_micros(f"{name}_{unit}") for name, unit in (("made", "at"), ("start", "ts"), ("end", "ts"))}
    return mine.withColumns(micros).join(ended, how="left").first()
