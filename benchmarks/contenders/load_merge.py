"""Merge and historic loads as document 003 has them: a MERGE by a hash of the key, on a table as Delta makes it by itself."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment import clock

_SYSTEM = ("pk", "source_hash", "is_deleted", "last_seen")
_VALIDITY = ("valid_from", "valid_to", "is_current")


def make(folder: Path, rows: DataFrame, *, names: tuple[str, ...], historic: bool) -> None:
    """The table after its first slice."""
    prepared(rows, names=names, historic=historic).write.format("delta").mode("overwrite").save(str(folder))


def prepared(rows: DataFrame, *, names: tuple[str, ...], historic: bool) -> DataFrame:
    """A slice with the system columns."""
    now = F.lit(clock.now())
    text = F.concat_ws("_", *(F.col(name).cast("string") for name in ("id", *names)))
    system = {
        "pk": F.sha2(F.col("id").cast("string"), 256),
        "source_hash": F.sha2(text, 256),
        "is_deleted": F.coalesce(F.col("op") == "D", F.lit(False)),
        "last_seen": now,
    }
    validity = {"valid_from": now, "valid_to": F.lit(None).cast("timestamp"), "is_current": F.lit(True)}
    return rows.withColumns(system | (validity if historic else {})).drop("op")


def merge(spark: SparkSession, folder: Path, rows: DataFrame, *, names: tuple[str, ...]) -> None:
    """One row per key."""
    prepared(rows, names=names, historic=False).createOrReplaceTempView("load_slice")
    spark.sql(
        f"MERGE INTO delta.`{folder}` t USING load_slice s ON t.pk = s.pk"
        " WHEN MATCHED AND s.is_deleted THEN UPDATE SET is_deleted = true, last_seen = s.last_seen"
        " WHEN MATCHED AND t.source_hash <> s.source_hash THEN UPDATE SET *"
        " WHEN MATCHED THEN UPDATE SET last_seen = s.last_seen"
        " WHEN NOT MATCHED AND NOT s.is_deleted THEN INSERT *"
    )


def historic(spark: SparkSession, folder: Path, rows: DataFrame, *, names: tuple[str, ...]) -> None:
    """A version per change: a row that changes something comes twice, once with a null key."""
    slice_rows = prepared(rows, names=names, historic=True).where("NOT is_deleted").persist()
    current = spark.read.format("delta").load(str(folder)).where("is_current").select("pk", "source_hash")
    again = (
        slice_rows.alias("s")
        .join(current.alias("t"), F.expr("s.pk = t.pk AND s.source_hash <> t.source_hash"))
        .selectExpr("NULL AS merge_key", "s.*")
    )
    slice_rows.selectExpr("pk AS merge_key", "*").unionByName(again).createOrReplaceTempView("load_slice")
    columns = ("id", *names, *_SYSTEM, *_VALIDITY)
    spark.sql(
        f"MERGE INTO delta.`{folder}` t USING load_slice s ON t.pk = s.merge_key AND t.is_current"
        " WHEN MATCHED AND t.source_hash <> s.source_hash THEN UPDATE SET is_current = false, valid_to = s.valid_from"
        f" WHEN NOT MATCHED THEN INSERT ({', '.join(columns)}) VALUES ({', '.join(f's.{name}' for name in columns)})"
    )
    slice_rows.unpersist()
