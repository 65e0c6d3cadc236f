"""SCD type 2 as it is usually taught on Delta: one MERGE closes what changed, an append opens the new versions; two commits, a hash to compare."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

OPEN = "TIMESTAMP '9999-12-31 23:59:59 UTC'"
TRACKED = ("tier", "home", "score", "address", "city", "host")
OVERWRITTEN = ("first_name", "last_name", "birth_date", "phone", "email", "card")
COLUMNS = ("player_id", *TRACKED, *OVERWRITTEN, "effective_from", "effective_to", "is_current", "version")


def hashed(rows: DataFrame) -> DataFrame:
    """Rows with a hash of what makes versions."""
    parts = (F.coalesce(F.col(name).cast("string"), F.lit("")) for name in TRACKED)
    return rows.withColumn("_hash", F.sha2(F.concat_ws("|", *parts), 256))


def make(members: DataFrame, table: Path) -> None:
    """The table as it stands before the batch: one version of each member."""
    first = hashed(members).withColumnRenamed("changed_at", "effective_from")
    whole = first.withColumns({"effective_to": F.expr(OPEN), "is_current": F.lit(True), "version": F.lit(1)})
    whole.select(*COLUMNS, "_hash").write.format("delta").mode("overwrite").save(str(table))


def apply(spark: SparkSession, table: Path, batch: DataFrame) -> None:
    """Close, then append."""
    incoming, held = hashed(batch), spark.read.format("delta").load(str(table))
    current = held.where("is_current").select("player_id", F.col("_hash").alias("_hash_current"))
    changes = incoming.join(current, "player_id", "left").where("_hash_current IS NULL OR _hash <> _hash_current").localCheckpoint()
    changes.where("_hash_current IS NOT NULL").select("player_id", "changed_at").createOrReplaceTempView("to_close")
    spark.sql(
        f"MERGE INTO delta.`{table}` t USING to_close s ON t.player_id = s.player_id AND t.is_current"
        " WHEN MATCHED THEN UPDATE SET effective_to = s.changed_at, is_current = false"
    )
    newest = held.groupBy("player_id").agg(F.max("version").alias("newest"))
    opened = changes.join(newest, "player_id", "left").withColumnRenamed("changed_at", "effective_from")
    opened = opened.withColumns(
        {"effective_to": F.expr(OPEN), "is_current": F.lit(True), "version": F.coalesce(F.col("newest") + 1, F.lit(1))}
    )
    opened.select(*COLUMNS, "_hash").write.format("delta").mode("append").save(str(table))
