"""The usual null-key MERGE on Delta, and mack, which wraps it: one chain per key, whole rows, in order."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

TIMES = ("effective_from", "effective_to", "is_current")


def columns(names: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of such a table: what is compared, and the interval."""
    return ("id", *names, "is_deleted", *TIMES)


def arrived(history: DataFrame) -> DataFrame:
    """Versions as batches leave them: in the order they came, not beside those of their key."""
    return history.repartitionByRange("effective_from").sortWithinPartitions("effective_from")


def make(spark: SparkSession, folder: Path, history: DataFrame, *, vectors: bool) -> None:
    """The table as batches leave it."""
    writer = arrived(history).write.format("delta").option("delta.enableDeletionVectors", str(vectors).lower())
    writer.mode("overwrite").save(str(folder))


def staged(events: DataFrame) -> DataFrame:
    """A batch of whole rows as updates."""
    return events.withColumn("is_deleted", F.col("op") == "d").withColumnRenamed("at", "effective_from").drop("op")


def merge(spark: SparkSession, folder: Path, events: DataFrame, *, names: tuple[str, ...]) -> None:
    """Close what changed and insert what is new; a row that changes something comes twice, once with a null key."""
    compared = (*names, "is_deleted")
    updates = staged(events)
    changed = " OR ".join(f"NOT t.{name} <=> s.{name}" for name in compared)
    current = spark.read.format("delta").load(str(folder)).where("is_current")
    again = updates.alias("s").join(current.alias("t"), F.expr(f"s.id = t.id AND ({changed})")).selectExpr("NULL AS merge_key", "s.*")
    updates.selectExpr("id AS merge_key", "*").unionByName(again).createOrReplaceTempView("staged_updates")
    listed = ", ".join(("id", *compared, "effective_from"))
    values = ", ".join(f"s.{name}" for name in ("id", *compared, "effective_from"))
    spark.sql(
        f"MERGE INTO delta.`{folder}` t USING staged_updates s ON t.id = s.merge_key AND t.is_current"
        f" WHEN MATCHED AND ({changed}) THEN UPDATE SET is_current = false, effective_to = s.effective_from"
        f" WHEN NOT MATCHED THEN INSERT ({listed}, effective_to, is_current) VALUES ({values}, NULL, true)"
    )


def has_mack() -> bool:
    """Is mack installed?"""
    return find_spec("mack") is not None


def mack(spark: SparkSession, folder: Path, events: DataFrame, *, names: tuple[str, ...]) -> None:
    """The same through mack's `type_2_scd_generic_upsert`."""
    from delta.tables import DeltaTable
    from mack import type_2_scd_generic_upsert

    updates = staged(events).select("id", *names, "is_deleted", "effective_from")
    type_2_scd_generic_upsert(
        DeltaTable.forPath(spark, str(folder)), updates, "id", [*names, "is_deleted"], "is_current", "effective_from", "effective_to"
    )
