"""Reading dimensions, alone and beside facts; all of it lazy."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.dimensions.readers import covers
from muniment.dimensions.stamping import UNKNOWN
from muniment.lake.tables import Lake
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import audit_name, dimension_name, named_by


def dimension(lake: Lake, spec: Dimension, *, as_of: datetime | None = None, unknown: bool = False) -> DataFrame:
    """All versions, or those that hold at a time; `unknown`: and the member of facts that no version covers, so that a plain join keeps them."""
    rows = lake.table(dimension_name(spec)).read()
    held = rows if as_of is None else rows.where(covers(F.lit(as_of)))
    nobody = lake.spark.range(1).select(F.lit(UNKNOWN).cast("bigint").alias(spec.surrogate), F.lit(True).alias("is_current"))
    return held.unionByName(nobody, allowMissingColumns=True) if unknown else held


OFTEN = 10  # changes per member that make many versions
_ADVICE = "it makes many versions: type 4 keeps its past values apart, type 1 keeps none, and what changes with every load is a fact"


def statistics(lake: Lake, spec: Dimension) -> DataFrame:
    """One row per column: how often it changed, in how many members, and whether it should age otherwise; rows and members stand beside."""
    columns = lake.spark.createDataFrame([(column.name, column.scd) for column in spec.columns], "attribute string, scd int")
    members = F.count_distinct(*(quoted(name) for name in named_by(spec)))
    whole = lake.table(dimension_name(spec)).read().agg(F.count(F.lit(1)).alias("rows"), members.alias("members"))
    updates = lake.table(audit_name(spec)).read().where("change_type = 'update'").groupBy("attribute")
    counted = updates.agg(F.count(F.lit(1)).alias("changes"), F.count_distinct("sk").alias("members_changed"))
    met = columns.join(counted, "attribute", "left").na.fill(0).crossJoin(whole)
    per_member = F.round(F.col("changes") / F.greatest("members", F.lit(1)), 2)
    warning = F.when(F.col("scd").isin(2, 6) & (per_member >= OFTEN), F.lit(_ADVICE))
    told = met.withColumns(
        {"versions_per_member": F.round(F.col("rows") / F.greatest("members", F.lit(1)), 2), "changes_per_member": per_member}
    )
    return told.withColumn("warning", warning).orderBy(F.desc("changes"), "attribute")
