"""How loads stand: what they have made, how far they have read, what waits; one row for each, in the form of `status`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.lake.tables import Lake
from muniment.loads import marks
from muniment.model.load import Load
from muniment.steps.load import live
from muniment.steps.load_checks import SLICE
from muniment.steps.readers import quarantine, runs

_DECLARED = "entity string, source string, contract string, note string"


def load_status(lake: Lake, loads: Sequence[Load]) -> DataFrame:
    """One row per load: its strategy, the rows that went in, those that wait, its last run, its live rows and its watermarks."""
    declared = lake.spark.createDataFrame([(each.name, SLICE, f"load {each.strategy}", _read_to(lake, each)) for each in loads], _DECLARED)
    done = runs(lake).where(F.col("step") == "load").groupBy("entity")
    entered = F.sum(F.col("counts")["received"] - F.coalesce(F.col("counts")["quarantined"], F.lit(0)))
    counted = done.agg(entered.alias("landed"), F.max("received_at").alias("last_received"))
    waiting = quarantine(lake).groupBy("entity").agg(F.count(F.lit(1)).alias("quarantined"))
    joined = declared.join(counted, "entity", "left").join(waiting, "entity", "left").join(_rows(lake, loads), "entity", "left")
    zero = {name: F.coalesce(name, F.lit(0)) for name in ("landed", "quarantined")}
    told = F.concat_ws("; ", F.concat(F.format_number("rows", 0), F.lit(" rows")), "note")
    note = F.when(F.col("last_received").isNull(), "nothing was loaded yet").otherwise(told)
    shaped = joined.withColumns({**zero, "note": note, "last_event": F.lit(None).cast("timestamp")})
    return shaped.select("entity", "source", "contract", "landed", "quarantined", "last_received", "last_event", "note")


def _read_to(lake: Lake, load: Load) -> str | None:
    standing = marks.current(lake, load).values()
    return "; ".join(f"{mark.column} read to {mark.value or 'none'}" for mark in standing) or None


def _rows(lake: Lake, loads: Sequence[Load]) -> DataFrame:
    """How many live rows each table has; of a historic one the current versions."""
    there = [each for each in loads if lake.table(each.table).exists()]
    counted = [live(lake, each).agg(F.count(F.lit(1)).alias("rows")).withColumn("entity", F.lit(each.name)) for each in there]
    none = lake.spark.createDataFrame([], "rows bigint, entity string")
    return reduce(DataFrame.unionByName, counted, none)
