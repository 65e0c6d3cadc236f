"""How far each load has read its source: `ops.watermark`, which only grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.window import Window

from muniment import clock
from muniment.columns import WATERMARK
from muniment.lake.tables import Lake
from muniment.model.load import Load

TABLE = "ops.watermark"
_KEPT = {"delta.enableExpiredLogCleanup": "false"}  # the commits say how the watermarks stand
MOVED, RESET = "moved", "reset"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in WATERMARK)


@dataclass(frozen=True, slots=True)
class Mark:
    """One watermark as it is now; without a value nothing was read, or it was reset to none."""

    column: str
    value: str | None
    type: str

    @property
    def kind(self) -> T.DataType:
        """The type of the column that it follows."""
        return T.DataType.fromDDL(self.type)


@dataclass(frozen=True, slots=True)
class Cause:
    """What made watermarks move: a run at a time of processing, or a person with a reason."""

    kind: str
    run_id: str
    at: datetime | None = None
    by: str | None = None
    reason: str | None = None


def current(lake: Lake, load: Load) -> dict[str, Mark]:
    """The watermarks of a load as they stand, by column: the newest commit that moved one has them all."""
    table = lake.table(TABLE)
    said = table.last_metadata(_key(load)) if load.watermarks and table.exists() else None
    return {column: Mark(column, value, kind) for column, (value, kind) in (said or {}).items()}


def write(lake: Lake, load: Load, moves: Sequence[Mapping[str, Any]], *, cause: Cause) -> None:
    """Append what moved."""
    if not moves:
        return
    table = lake.table(TABLE)
    if not table.exists():
        table.create(WATERMARK, comment="How far each load has read its source, and how that came about", properties=_KEPT)
    now = clock.now()
    standing = {mark.column: [mark.value, mark.type] for mark in current(lake, load).values()}
    standing |= {move["column"]: [move["value"], move["type"]] for move in moves}
    rows = [
        (
            load.name, move["column"], move["value"], move["type"], move["before"],
            cause.kind, cause.at, now, cause.by, cause.reason, cause.run_id,
        )
        for move in moves
    ]  # fmt: skip
    table.append(lake.spark.createDataFrame(rows, _SCHEMA), txn=lake.once(f"watermark:{cause.run_id}"), metadata={_key(load): standing})


def _key(load: Load) -> str:
    return f"marks of {load.name}"


def history(lake: Lake, name: str | None = None, *, every: bool = False) -> DataFrame:
    """The watermarks as they stand, or all that became of them."""
    table = lake.table(TABLE)
    rows = table.read() if table.exists() else lake.spark.createDataFrame([], _SCHEMA)
    rows = rows if name is None else rows.where(F.col("load") == name)
    last = Window.partitionBy("load", "column").orderBy(F.desc("made_at"), F.desc("run_id"))
    newest = rows if every else rows.withColumn("__n", F.row_number().over(last)).where("__n = 1").drop("__n")
    return newest.orderBy("load", "column", "made_at")
