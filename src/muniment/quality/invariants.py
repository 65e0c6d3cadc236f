"""What must hold of every timeline (R25), and that it follows from the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.evidence.lanes import VERSION, difference
from muniment.evidence.origin import with_origins
from muniment.evidence.slots import IS_DELETED, slots_of
from muniment.model.entity import Deletes, Entity
from muniment.quality.problems import Problem

CHECKS = ("current", "intervals", "origin", "fold")
_EXAMPLES = 3
_CHAIN = ("effective_from", "precedence_rank", "source_system")


def broken_chains(versions: DataFrame, *, entity: Entity, table: str, order: Sequence[str] = _CHAIN) -> Iterator[Problem]:
    """One current row per key, no overlap, no gap, no null interval."""
    key = Window.partitionBy("sk")
    chain = key.orderBy(*order)
    is_open = ~F.col(IS_DELETED) if entity.history.deletes is Deletes.CLOSE else F.lit(True)
    last = F.lead("effective_from").over(chain).isNull()
    told = versions.select(
        "sk",
        (F.count_if("is_current").over(key) != F.count_if(last & is_open).over(key)).alias("current"),
        (~F.col("is_current").eqNullSafe(F.col("effective_to").isNull() & is_open)).alias("flag"),
        (~F.col("effective_to").eqNullSafe(F.lead("effective_from").over(chain))).alias("intervals"),
        F.col("effective_from").isNull().alias("empty"),
    )
    yield from examples(told.where("current OR flag"), "current", table, "it has no current row, or more than one")
    yield from examples(told.where("intervals"), "intervals", table, "its versions overlap, or leave a gap")
    yield from examples(told.where("empty"), "intervals", table, "a version has no beginning")


def lost_origins(versions: DataFrame, log: DataFrame, *, entity: Entity, table: str) -> Iterator[Problem]:
    """Every value names an assertion that is in the log."""
    origins = F.array(*(slot.of(F.col("origin"))["assertion_id"] for slot in slots_of(entity) if slot.attribute is not None))
    named = with_origins(versions).select("sk", F.explode(F.array_distinct(F.array_compact(origins))).alias("assertion_id"))
    lost = named.join(log.select("assertion_id").distinct(), "assertion_id", "left_anti")
    yield from examples(lost, "origin", table, "a value comes from an assertion that is not in the log")


def not_as_folded(held: DataFrame, fresh: DataFrame, *, table: str, identity: Sequence[str] = VERSION) -> Iterator[Problem]:
    """The table is what a fresh fold of the same evidence gives."""
    found = difference(held, fresh, identity=identity).rows.select(F.coalesce("before.sk", "after.sk").alias("sk"))
    yield from examples(found, "fold", table, "it differs from a fresh fold of the log")


def sampled(rows: DataFrame, *, share: int) -> DataFrame:
    """The rows of one key in `share`; always the same ones, because a key's hash decides."""
    return rows if share <= 1 else rows.where(_bucket() % share == 0)


def _bucket() -> Column:
    return F.conv(F.substring("sk", 1, 8), 16, 10).cast("bigint")


def examples(found: DataFrame, check: str, table: str, detail: str) -> Iterator[Problem]:
    """A few of the keys that a check found."""
    for row in found.select("sk").distinct().limit(_EXAMPLES).collect():
        yield Problem(check, f"{table} sk {row['sk']}", detail)
