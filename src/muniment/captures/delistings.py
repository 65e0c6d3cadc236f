"""What a list of delistings shows: whose end is news, and what it says is gone while the snapshot beside it lists it. Pure."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.captures.changes import DELISTED, UNCHANGED, shown_columns
from muniment.gate.rows import PATH
from muniment.model.entity import Entity

CONFLICT = "conflict"
LIST = f"{PATH} string, capture_id string, path string, prev_path string, snapshot string"


def delistings_of(listed: DataFrame, log: DataFrame, lists: DataFrame, *, entity: Entity) -> DataFrame:
    """One row per record of each list, in the shape of `changes_of`.

    `listed` are the lists' records as the gate sees them, `log` the rows of their source, `lists` each list with the newest snapshot at or
    before it. A key that this snapshot lists at or after the date of its end is a conflict: it is reported, and the snapshot counts.
    """
    named = listed.join(F.broadcast(lists), PATH)
    there = log.where(~F.coalesce("is_deleted", F.lit(False))).select(
        "sk", F.col("source_path").alias("snapshot"), F.col("source_event_ts").alias("_there_at")
    )
    seen = there.groupBy("sk", "snapshot").agg(F.max("_there_at").alias("_there_at"))
    earlier = log.where("is_deleted").groupBy("assertion_id").agg(F.min("ingest_ts").alias("_first_heard"))
    met = named.join(seen, ["sk", "snapshot"], "left").join(earlier, "assertion_id", "left")
    conflict = F.coalesce(F.col("_there_at") >= F.col("source_event_ts"), F.lit(False))
    known = F.coalesce(F.col("_first_heard") < F.col("ingest_ts"), F.lit(False))
    kind = F.when(conflict, CONFLICT).when(known, UNCHANGED).otherwise(DELISTED)
    return met.withColumn("at", F.col("source_event_ts")).select(*shown_columns(entity, change_type=kind))
