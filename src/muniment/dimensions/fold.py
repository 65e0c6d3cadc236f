"""Versions, past values and changes: three pure functions of a member's chain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.dimensions.chain import PLACEHOLDER
from muniment.dimensions.statements import EARLIER, INFERRED
from muniment.dimensions.types import AT, IS_LIVE, before, by_time, makes_versions, shown, state, whole
from muniment.model.dimension import Dimension, OpenEnd, ScdColumn
from muniment.model.dimension_tables import SENTINEL, SK, dimension_columns, past_columns

END = "_end"


def versions_of(chain: DataFrame, *, dimension: Dimension) -> DataFrame:
    """Every version of the members: `gold.<dimension>`, each with its `sk`."""
    values = {name: value for column in dimension.columns for name, value in shown(column).items()}
    opens = _opens([column for column in dimension.columns if makes_versions(column)])
    rows = _intervals(chain.withColumns({f"_shown_{name}": value for name, value in values.items()}), opens=opens)
    told = {
        dimension.surrogate: surrogate(_seed()),
        "version": F.row_number().over(by_time()) + F.max(EARLIER).over(whole()),
        "effective_from": F.col(AT),
        "effective_to": open_end(F.col(END), dimension=dimension),
        "is_current": F.col(END).isNull(),
        "is_inferred": F.col(INFERRED),
        **{name: quoted(f"_shown_{name}") for name in values},
    }
    columns = dict.fromkeys((SK, *dimension_columns(dimension)))
    return rows.select(*(told.get(col.name, quoted(col.name)).cast(col.type).alias(col.name) for col in columns))


def past_of(chain: DataFrame, *, dimension: Dimension) -> DataFrame:
    """The values that columns of type 4 no longer have: `gold.<dimension>_history`."""
    columns = dimension.of_type(4)
    rows = _intervals(chain, opens=_opens(columns)).where(F.col(END).isNotNull())
    told = {"effective_from": F.col(AT), "effective_to": F.col(END), **{column.name: quoted(state(column)) for column in columns}}
    return rows.select(*(told.get(col.name, quoted(col.name)).alias(col.name) for col in past_columns(dimension)))


def surrogate(seed: Column) -> Column:
    """63 bits of a hash of key and instant: the same in every rebuild, whoever computes it, and no number is ever given away again."""
    bits = F.conv(F.substring(F.sha2(F.concat("sk", F.lit(":"), F.unix_micros(seed).cast("string")), 256), 1, 16), 16, -10)
    return bits.cast("bigint").bitwiseAND(F.lit(2**63 - 1))


def open_end(end: Column, *, dimension: Dimension) -> Column:
    """The end as the dimension shows it."""
    return F.coalesce(end, sentinel()) if dimension.open_end is OpenEnd.SENTINEL else end


def sentinel() -> Column:
    """The end of what has none."""
    return F.lit(f"{SENTINEL} UTC").cast("timestamp")


def _opens(columns: Sequence[ScdColumn]) -> Column:
    """A live instant opens an interval where the one before was not live, or where one of these columns changes."""
    differ = [~quoted(state(column)).eqNullSafe(quoted(before(column))) for column in columns]
    changed = reduce(Column.__or__, differ, F.lit(False))
    return F.col(IS_LIVE) & (~F.coalesce(F.lag(IS_LIVE).over(by_time()), F.lit(False)) | changed)


def _intervals(chain: DataFrame, *, opens: Column) -> DataFrame:
    """The instants that open an interval, each with its end: the next that opens one, or a delete."""
    ends = ~F.col(IS_LIVE)
    marked = chain.withColumn("_opens", opens).where(F.col("_opens") | ends)
    return marked.withColumn(END, F.lead(AT).over(by_time())).where("_opens")


def _seed() -> Column:
    """The instant that a version's surrogate key comes from: its start, or that of the placeholder that facts know it by."""
    holds = (F.col(PLACEHOLDER) >= F.col(AT)) & (F.col(END).isNull() | (F.col(PLACEHOLDER) < F.col(END)))
    return F.when(F.coalesce(holds, F.lit(False)), F.col(PLACEHOLDER)).otherwise(F.col(AT))
