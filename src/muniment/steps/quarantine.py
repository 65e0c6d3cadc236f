"""Rows set aside: each with its reason and all that came, once, however often its delivery is tried (R19)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted, sha256
from muniment.columns import QUARANTINE
from muniment.gate.examine import RAW
from muniment.gate.reasons import BESIDE, Reason
from muniment.gate.rows import INSTANT
from muniment.gate.verdict import DETAIL, REASON
from muniment.lake.tables import Lake
from muniment.ledger.digest import digest_of
from muniment.steps.intake import Intake
from muniment.steps.request import Request

TABLE = "ops.quarantine"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in QUARANTINE)


def set_aside(lake: Lake, judged: DataFrame, *, request: Request, intake: Intake) -> None:
    """Append the refused rows of a delivery, less those that an earlier try of it set aside already."""
    bad = judged.where(F.col(REASON).isNotNull() & ~F.col(REASON).isin(*BESIDE))
    digests = lake.spark.createDataFrame([(f.place, f.sha256) for f in intake.files], "source_path string, __sha string")
    placed = bad.join(F.broadcast(digests), "source_path", "left")
    rows = placed.withColumn("quarantine_id", _identity(request)).select(
        "quarantine_id",
        F.lit(request.entity.name).alias("entity"),
        "source_system",
        quoted(REASON).alias("reason"),
        quoted(DETAIL).alias("detail"),
        quoted(RAW).alias("raw"),
        "source_type",
        "source_path",
        "source_file",
        F.coalesce(quoted(INSTANT), F.lit(request.as_of).cast("timestamp")).alias("as_of"),
        "ingest_run_id",
        "ingest_ts",
    )
    append_rows(lake, rows)


def set_aside_files(lake: Lake, request: Request, *, intake: Intake, run_id: str) -> None:
    """A file that cannot be read is set aside as one thing."""
    if not intake.refused:
        return
    rows = [
        (
            digest_of([request.entity.name, request.source.name, file.place, file.sha256]), request.entity.name, request.source.name,
            Reason.FILE_UNREADABLE.value, why, None, "file", file.place, file.name, file.instant or request.as_of, run_id, request.received_at,
        )
        for file, why in intake.refused.items()
    ]  # fmt: skip
    append_rows(lake, lake.spark.createDataFrame(rows, _SCHEMA))


def append_rows(lake: Lake, rows: DataFrame) -> None:
    """Append rows that are not there yet, by their ids."""
    table = lake.table(TABLE)
    fresh = rows.join(table.read().select("quarantine_id"), "quarantine_id", "left_anti")
    table.append(fresh.select(*(col.name for col in QUARANTINE)))


def _identity(request: Request) -> Column:
    """The same row of the same file or batch has the same id in every try; rows without either are new each time."""
    given = F.lit(request.batch_id) if request.batch_id is not None else F.col("ingest_run_id")
    same = Window.partitionBy("source_path", quoted(RAW)).orderBy(quoted(RAW))
    parts = (
        F.lit(request.entity.name), F.lit(request.source.name), F.coalesce("source_path", F.lit("")), F.coalesce(quoted("__sha"), given),
        F.coalesce(quoted(RAW), F.lit("")), F.row_number().over(same).cast("string"),
    )  # fmt: skip
    return sha256(F.concat_ws("\0", *parts))
