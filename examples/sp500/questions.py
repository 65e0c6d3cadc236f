"""What one asks of an index: who was in it, who left and came back, what changed in truth, and when most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muniment.project import Project

from examples.sp500.days import Day

ENTITY = "member"


def members(project: Project, day: str) -> DataFrame:
    """Who was in the index on a day, as known then."""
    return project.history(ENTITY, as_of=day, known_at=day).select("symbol", "name", "sector").orderBy("symbol")


def came_back(project: Project) -> DataFrame:
    """Tickers that left and were listed again later: `left` and `back`."""
    chain = Window.partitionBy("symbol").orderBy("effective_from")
    versions = project.history(ENTITY).withColumn("left", F.lag("effective_to").over(chain))
    back = versions.where(F.col("left") < F.col("effective_from"))
    return back.select("symbol", "name", "left", F.col("effective_from").alias("back")).orderBy("left", "symbol")


def sector_changes(project: Project, days: Sequence[Day]) -> DataFrame:
    """Changes of sector, and whether the source changed its columns on that day."""
    turns = [(day.published,) for before, day in pairwise(days) if before.columns != day.columns]
    turned = project.spark.createDataFrame(turns, "effective_from timestamp").withColumn("with_columns", F.lit(True))
    changes = project.changes(ENTITY).where((F.col("attribute") == "sector") & F.col("old").isNotNull())
    told = changes.join(F.broadcast(turned), "effective_from", "left").withColumn("with_columns", F.coalesce("with_columns", F.lit(False)))
    return told.select("symbol", "effective_from", "old", "new", "with_columns").orderBy("effective_from", "symbol")


def months(project: Project) -> DataFrame:
    """How many came and went in each month, the busiest first; the first list is not news."""
    log = project.change_log(ENTITY).where(F.col("prev_snapshot_path").isNotNull())
    month = F.date_format(F.from_utc_timestamp(F.col("effective_ts"), "UTC"), "yyyy-MM").alias("month")
    came, went = (
        F.count(F.when(F.col("change_type") == kind, True)).alias(name) for kind, name in (("new_listing", "came"), ("delisting", "went"))
    )
    return log.groupBy(month).agg(came, went).orderBy(F.desc(F.col("came") + F.col("went")), "month")
