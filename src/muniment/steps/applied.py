"""What an apply did, counted in one look."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.model.dimension import Dimension
from muniment.steps.keys import Keys
from muniment.steps.replacing import Change
from muniment.steps.results import Applied


def count_applied(dimension: Dimension, change: Change, keys: Keys) -> Applied:
    """Members and versions that differ."""
    ends = F.col("after").isNotNull() & ~F.col("after.is_current") & F.coalesce(F.col("before.is_current"), F.lit(True))
    members = change.rows.groupBy(F.coalesce("before.sk", "after.sk").alias("sk")).agg(
        F.count(F.lit(1)).alias("rows"),
        F.count_if(F.col("before").isNull()).alias("opened"),
        F.count_if(ends).alias("closed"),
    )
    met = members.join(_lives(change.before, "was"), "sk", "left").join(_lives(change.after, "is"), "sk", "left")
    is_new, is_gone = F.col("was").isNull(), F.col("was") & ~F.coalesce("is", F.lit(False))
    row = met.agg(
        F.sum("rows").alias("changed"),
        F.sum("opened").alias("opened"),
        F.sum("closed").alias("closed"),
        F.count_if(is_new).alias("inserted"),
        F.count_if(is_gone).alias("deleted"),
        F.count(F.lit(1)).alias("members"),
    ).first()
    if row is None or not row["members"]:
        return Applied(dimension.name, unchanged=keys.count())
    counts = {name: row[name] for name in ("changed", "opened", "closed", "inserted", "deleted")}
    updated = row["members"] - row["inserted"] - row["deleted"]
    return Applied(dimension.name, updated=updated, unchanged=keys.count() - row["members"], **counts)


def _lives(versions: DataFrame, name: str) -> DataFrame:
    """Whether a member has a current version; null where it has none at all."""
    return versions.groupBy("sk").agg(F.bool_or("is_current").alias(name))
