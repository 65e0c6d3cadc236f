"""The order of a key's assertions (R6): total, so that no two runs can differ."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.model.entity import Entity

AT = "_at"  # the instant that places a row in its chain
RANK = "_rank"
SPOKEN = "_spoken"  # false for a derived absence, which no source sent
ABSENCE = "absence"  # the operation of a derived absence; the log knows no such word

_TIES = ("source_file", "ingest_ts", "ingest_run_id")
_ASSERTION = ("sk", AT, RANK, "source_system", SPOKEN, "source_sequence", "record_hash")
INSTANT = ("sk", AT, RANK, "source_system")
WITHIN = ("source_sequence", SPOKEN, *_TIES, "record_hash")  # absence has no sequence, unless it is a truncate's
WHOLE = (Window.unboundedPreceding, Window.unboundedFollowing)
SO_FAR = (Window.unboundedPreceding, Window.currentRow)
BEFORE = (Window.unboundedPreceding, -1)


def known_at(received: DataFrame, moment: datetime) -> DataFrame:
    """Only what had been received by then (R29); the same for assertions and for load headers."""
    return received.where(F.col("ingest_ts") <= F.lit(moment))


def rank_of(source: Column, *, entity: Entity) -> Column:
    """The configured rank of a source, whatever it was when the row landed (R28)."""
    rank = F.lit(0)
    for name in entity.precedence:
        rank = F.when(source == name, entity.rank(name)).otherwise(rank)
    return rank


def add_order(assertions: DataFrame, *, entity: Entity) -> DataFrame:
    """The columns that order needs beside those of the log."""
    spoken = ~F.col("op").eqNullSafe(F.lit(ABSENCE))  # R17: absence sorts before all rows of its source at that instant
    rank = rank_of(F.col("source_system"), entity=entity)
    return assertions.withColumns({AT: F.col("source_event_ts"), RANK: rank, SPOKEN: spoken})


def together(rows: DataFrame, *, few: bool = False, places: int | None = None) -> DataFrame:
    """All rows of a key in one place, of so many; `few` rows all in one, which spares every shuffle after it."""
    if few:
        return rows.coalesce(1)
    return rows.repartition("sk") if places is None else rows.repartition(places, "sk")


def sort_chain(assertions: DataFrame) -> DataFrame:
    """Each key's assertions together and in order."""
    return assertions.sortWithinPartitions(*INSTANT, *WITHIN)


def merge_repeats(assertions: DataFrame, *, entity: Entity, few: bool = False, places: int | None = None) -> DataFrame:
    """Exact repeats as one assertion at its earliest place, with the number of its rows and their first and last receipt (R6)."""
    by_place = Window.partitionBy(*_ASSERTION).orderBy(*_TIES)
    repeats = by_place.rowsBetween(*WHOLE)
    rows = together(add_order(assertions, entity=entity), few=few, places=places)
    return (
        rows.withColumns(
            {
                "_place": F.row_number().over(by_place),
                "first_seen_ts": F.min("ingest_ts").over(repeats),
                "last_seen_ts": F.max("ingest_ts").over(repeats),
                "seen_count": F.sum(F.col(SPOKEN).cast("bigint")).over(repeats),
            }
        )
        .where(F.col("_place") == 1)
        .drop("_place")
    )


def collisions(assertions: DataFrame) -> DataFrame:
    """Rows of one source and instant that say different things and that no sequence orders (R6)."""
    place = Window.partitionBy("sk", "source_system", "source_event_ts", "source_sequence")
    differs = F.min("record_hash").over(place) != F.max("record_hash").over(place)
    return assertions.withColumn("_differs", differs).where("_differs").drop("_differs")


def suspected(assertions: DataFrame) -> DataFrame:
    """Places at which rows may collide, by numbers that stand for them, so that no text is shuffled: where there are none, nothing collides."""
    numbered = assertions.selectExpr(
        "xxhash64(sk, source_system, source_event_ts, source_sequence) AS place", "xxhash64(record_hash) AS record"
    )
    return numbered.groupBy("place").agg(F.min("record").alias("least"), F.max("record").alias("most")).where("least <> most")
