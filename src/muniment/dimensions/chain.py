"""The chain of a member: what holds of it from each instant on, out of all that was said of it, in whatever order it came (R8)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.dimensions.statements import DELETED, INFERRED, SEEN, by_receipt, said
from muniment.dimensions.types import AT, IS_LIVE, before, by_time, first, first_at, state
from muniment.model.dimension import Dimension, ScdColumn

NUMBER = "_number"  # the instants of a member, counted
PLACEHOLDER = "_placeholder"  # the instant of the fact that asked for a member nobody had described


def _member() -> WindowSpec:
    return Window.partitionBy("sk")


def _in_order() -> WindowSpec:
    """By time, then by receipt."""
    return _member().orderBy(AT, SEEN)


def chain_of(statements: DataFrame, *, dimension: Dimension, few: bool = False) -> DataFrame:
    """One row per member and instant, with what holds from then on; statements of whole members must be given."""
    rows = in_force(statements.coalesce(1) if few else statements.repartition("sk"))
    up_to_here = _in_order().rowsBetween(Window.unboundedPreceding, Window.currentRow)
    states = {state(c): F.last(quoted(said(c.name)), ignorenulls=True).over(up_to_here)["value"] for c in dimension.columns}
    firsts = {name: told for c in dimension.of_type(0) for name, told in _firsts(c).items()}
    spoken = F.count_if(~F.col(INFERRED)).over(_member())
    placed = rows.withColumns(
        {
            **states,
            **firsts,
            PLACEHOLDER: F.min(F.when(F.col(INFERRED), F.col(AT))).over(_member()),
            "_spoken": spoken,
        }
    )
    told = placed.where(~F.col(INFERRED) | (F.col("_spoken") == 0))
    return _numbered(_last_of_instant(told), dimension=dimension)


def in_force(statements: DataFrame) -> DataFrame:
    """Without what was said for an instant whose last word is a delete: it never held."""
    instant = Window.partitionBy("sk", AT).orderBy(SEEN).rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    return statements.withColumn("_ends", F.last(DELETED).over(instant)).where(F.col(DELETED) | ~F.col("_ends")).drop("_ends")


def _firsts(column: ScdColumn) -> dict[str, Column]:
    """The value said first, by receipt, and the instant it was said for; a null is no value yet."""
    value = quoted(said(column.name))["value"]
    order = F.when(value.isNotNull(), by_receipt())
    return {first(column): F.min_by(value, order).over(_member()), first_at(column): F.min_by(F.col(AT), order).over(_member())}


def _last_of_instant(rows: DataFrame) -> DataFrame:
    """Of what was said for one instant the last holds; what it leaves out is that of the others, for states run on."""
    return rows.withColumn("_next", F.lead(AT).over(_in_order())).where(~F.col("_next").eqNullSafe(F.col(AT))).drop("_next")


def _numbered(rows: DataFrame, *, dimension: Dimension) -> DataFrame:
    """Each instant with its number and with what held before it; a placeholder moves the beginning to the fact that asked for it."""
    befores = {before(c): F.lag(quoted(state(c))).over(by_time()) for c in dimension.columns}
    numbered = rows.withColumns({NUMBER: F.row_number().over(by_time()), IS_LIVE: ~F.col(DELETED), **befores})
    begins = (F.col(NUMBER) == 1) & F.col(IS_LIVE)
    return numbered.withColumn(AT, F.when(begins, F.least(AT, PLACEHOLDER)).otherwise(F.col(AT)))
