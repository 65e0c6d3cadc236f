"""What was said of members, as one form: rows of a dimension's log, or intervals of belief."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.canon.encode import identifier
from muniment.canon.hashes import quoted
from muniment.dimensions.types import AT
from muniment.model.dimension import Dimension

GOING_ON = (0, 1, 2, 6)  # types whose versions hold all that is needed to go on from them
INFER = "infer"  # the operation of a placeholder that a fact asked for
SEEN = "_seen"  # the order of receipt
DELETED = "_deleted"
INFERRED = "_inferred"
EARLIER = "_earlier"  # how many versions the member has before those that are given


def said(column: str) -> str:
    """The working column with what a statement says of a column: a struct, so that a stated null is no missing statement (R11)."""
    return f"_said_{column}"


def by_receipt() -> Column:
    """The order of receipt; of what came together the earlier in time is first."""
    return F.struct(F.col(SEEN)["ingest_ts"], F.col(SEEN)["ingest_run_id"], F.col(AT), F.col(SEEN)["tie"])


def from_log(log: DataFrame, *, dimension: Dimension) -> DataFrame:
    """Rows of `bronze.<dimension>_log` as statements; exact repeats once."""
    tie = F.xxhash64(*(quoted(column.name) for column in dimension.columns), F.col("op"))  # only rows of one instant and one run need it
    receipt = F.struct("ingest_ts", "ingest_run_id", tie.alias("tie"))
    stated = {c.name: F.when(F.array_contains("asserted", c.name), F.struct(quoted(c.name).alias("value"))) for c in dimension.columns}
    return log.select(
        "sk",
        *_key(dimension),
        F.col("source_event_ts").alias(AT),
        receipt.alias(SEEN),
        F.col("op").eqNullSafe("delete").alias(DELETED),
        F.col("op").eqNullSafe(INFER).alias(INFERRED),
        F.lit(0).alias(EARLIER),
        *_named(stated),
    )


def from_belief(belief: DataFrame, *, dimension: Dimension) -> DataFrame:
    """Intervals of `silver.<entity>_history` as statements: each says everything from its start on. What is first in time is first of all."""
    known = {c.name: quoted(c.name).cast(c.type) for c in dimension.columns}
    stated = {name: F.when(~F.col("is_deleted"), F.struct(value.alias("value"))) for name, value in known.items()}
    receipt = F.struct(F.col("effective_from").alias("ingest_ts"), F.lit("").alias("ingest_run_id"), F.lit(0).cast("bigint").alias("tie"))
    return belief.select(
        "sk",
        *_key(dimension),
        F.col("effective_from").alias(AT),
        receipt.alias(SEEN),
        F.col("is_deleted").alias(DELETED),
        F.lit(False).alias(INFERRED),
        F.lit(0).alias(EARLIER),
        *_named(stated),
    )


def from_versions(versions: DataFrame, *, dimension: Dimension) -> DataFrame:
    """Versions of whole members as if they had been said: with what comes later they fold to what everything would, for types in `GOING_ON`.

    Every change of such a column opened a version, or is the latest of its kind on all of them. Of a member that changes nothing in its closed
    versions (`restates`) the current one is enough.
    """
    chain = Window.partitionBy("sk").orderBy("effective_from")
    begun = F.struct(
        F.lit(None).cast("timestamp").alias("ingest_ts"), F.lit(None).cast("string").alias("ingest_run_id"), _none("bigint").alias("tie")
    )
    stated = {c.name: F.struct(quoted(c.name).alias("value")) for c in dimension.columns}
    earlier = F.min("version").over(Window.partitionBy("sk")) - 1
    rows = versions.withColumns({"_next": F.lead("effective_from").over(chain), EARLIER: earlier})
    live = rows.select(
        "sk",
        *_key(dimension),
        F.col("effective_from").alias(AT),
        begun.alias(SEEN),
        _flag(False, DELETED),
        _flag(False, INFERRED),
        EARLIER,
        *_named(stated),
    )
    ended = rows.where(~F.col("is_current") & (F.col("_next").isNull() | (F.col("_next") > F.col("effective_to"))))
    nothing = {name: F.lit(None).cast(live.schema[said(name)].dataType) for name in stated}
    gone = ended.select(
        "sk",
        *_key(dimension),
        F.col("effective_to").alias(AT),
        begun.alias(SEEN),
        _flag(True, DELETED),
        _flag(False, INFERRED),
        EARLIER,
        *_named(nothing),
    )
    return live.unionByName(gone)


def needing_past(news: DataFrame, heads: DataFrame, *, dimension: Dimension) -> DataFrame:
    """What is new of members that cannot go on from their current version alone: there is none, or a value changes that closed versions show too."""
    shown = dimension.of_type(0, 1)
    known = heads.selectExpr("sk", "true AS _there", *(f"{identifier(c.name)} AS {identifier(_held(c.name))}" for c in shown))
    met = news.join(known, "sk", "left")
    return met.where(" OR ".join(["_there IS NULL", *(_restates(c.name) for c in shown)])).select(*news.columns)


def _restates(name: str) -> str:
    stated, held = identifier(said(name)), identifier(_held(name))
    return f"({stated} IS NOT NULL AND NOT {stated}.value <=> {held})"


def _held(name: str) -> str:
    return f"_held_{name}"


def _none(kind: str) -> Column:
    return F.lit(None).cast(kind)


def _flag(value: bool, name: str) -> Column:
    return F.lit(value).alias(name)


def _key(dimension: Dimension) -> list[Column]:
    return [quoted(part.name) for part in dimension.key]


def _named(stated: dict[str, Column]) -> Iterable[Column]:
    return (value.alias(said(name)) for name, value in stated.items())
