"""Rows of a series: the net change of some deltas, and a base with that change on it."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.model.series import Series
from muniment.series.checksum import DIGEST, with_digest

DELETED = "is_deleted"
PARTITION = "partition_id"
_NUMBER = "__number"


def net_change(deltas: DataFrame, *, series: Series, place: str) -> DataFrame:
    """The last word on each key: by the delta's place, by the declared order, nulls first, and then by content, so that no two runs differ."""
    names = [name for name in deltas.columns if name != place]
    last = [quoted(place).desc(), *(quoted(name).desc_nulls_last() for name in series.order if name in names), F.col(DIGEST).desc()]
    newest = Window.partitionBy(*map(quoted, series.key_names)).orderBy(*last)
    numbered = with_digest(deltas, names).withColumn(_NUMBER, F.row_number().over(newest))
    return numbered.where(F.col(_NUMBER) == 1).drop(_NUMBER, place, DIGEST)


def apply_change(base: DataFrame, change: DataFrame, *, series: Series) -> DataFrame:
    """The base without the keys that changed, and what they are now."""
    return without(base, change, series=series).unionByName(coming(change, base.columns))


def without(base: DataFrame, change: DataFrame, *, series: Series) -> DataFrame:
    """The rows of all other keys."""
    return base.join(change.select(*map(quoted, series.key_names)), list(series.key_names), "left_anti").select(*map(quoted, base.columns))


def going(base: DataFrame, change: DataFrame, *, series: Series) -> DataFrame:
    """The rows of a base that a change takes the place of."""
    return base.join(change.select(*map(quoted, series.key_names)), list(series.key_names), "left_semi").select(*map(quoted, base.columns))


def coming(change: DataFrame, names: Sequence[str]) -> DataFrame:
    """The rows that a change leaves."""
    return change.where(~quoted(DELETED)).select(*map(quoted, names))


def same_key(series: Series, left: str, right: str) -> str:
    """The condition that two rows are of one key; a key is never null."""
    return " AND ".join(f"{left}.`{name}` = {right}.`{name}`" for name in series.key_names)


def is_keyless(series: Series) -> Column:
    """A row without a whole key."""
    return F.array_contains(F.array(*(quoted(name).isNull() for name in series.key_names)), F.lit(True))
