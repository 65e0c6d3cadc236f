"""SCD type 2 as document 001 has it, in the table it has it in: one MERGE closes what changed, an append opens the new versions; two commits."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

OPEN = "TIMESTAMP '9999-12-31 23:59:59 UTC'"
TRACKED = ("tier", "home", "score", "address", "city", "host")
OVERWRITTEN = ("first_name", "last_name", "birth_date", "phone", "email", "card")
COLUMNS = ("player_id", *TRACKED, *OVERWRITTEN, "effective_from", "effective_to", "is_current", "version")
_WRITTEN = (*COLUMNS, "change_reason", "change_source", "_hash")  # the surrogate key is Delta's to give

# Surrogate keys, a feed of changes and files that Delta puts in order by itself, as the document declares its table.
_TABLE = """CREATE TABLE delta.`{table}` (
  player_key BIGINT GENERATED ALWAYS AS IDENTITY, player_id STRING NOT NULL,
  tier STRING, home STRING, score INT, address STRING, city STRING, host STRING,
  first_name STRING, last_name STRING, birth_date DATE, phone STRING, email STRING, card STRING,
  effective_from TIMESTAMP NOT NULL, effective_to TIMESTAMP NOT NULL, is_current BOOLEAN NOT NULL, version INT NOT NULL,
  change_reason STRING, change_source STRING, _hash STRING
) USING DELTA TBLPROPERTIES (
  'delta.autoOptimize.optimizeWrite' = 'true', 'delta.autoOptimize.autoCompact' = 'true', 'delta.enableChangeDataFeed' = 'true'
)"""


def hashed(rows: DataFrame) -> DataFrame:
    """Rows with a hash of what makes versions, and why they come."""
    parts = (F.coalesce(F.col(name).cast("string"), F.lit("")) for name in TRACKED)
    why = {"change_reason": F.lit("source_load"), "change_source": F.lit("players")}
    return rows.withColumns({"_hash": F.sha2(F.concat_ws("|", *parts), 256), **why})


def make(members: DataFrame, table: Path) -> None:
    """The table as it stands before the batch: one version of each member."""
    members.sparkSession.sql(_TABLE.format(table=table))
    _append(hashed(members).withColumn("version", F.lit(1)), table)


def apply(spark: SparkSession, table: Path, batch: DataFrame) -> None:
    """Close, then append."""
    incoming, held = hashed(batch), spark.read.format("delta").load(str(table))
    current = held.where("is_current").select("player_id", F.col("_hash").alias("_hash_current"))
    changes = incoming.join(current, "player_id", "left").where("_hash_current IS NULL OR _hash <> _hash_current")
    changes.where("_hash_current IS NOT NULL").select("player_id", "changed_at").createOrReplaceTempView("to_close")
    spark.sql(
        f"MERGE INTO delta.`{table}` t USING to_close s ON t.player_id = s.player_id AND t.is_current"
        " WHEN MATCHED THEN UPDATE SET effective_to = s.changed_at, is_current = false"
    )
    newest = held.groupBy("player_id").agg(F.max("version").alias("newest"))
    _append(changes.join(newest, "player_id", "left").withColumn("version", F.coalesce(F.col("newest") + 1, F.lit(1))), table)


def _append(opened: DataFrame, table: Path) -> None:
    whole = opened.withColumnRenamed("changed_at", "effective_from").withColumns(
        {"effective_to": F.expr(OPEN), "is_current": F.lit(True), "version": F.col("version").cast("int")}
    )
    whole.select(*_WRITTEN).write.format("delta").mode("append").save(str(table))
