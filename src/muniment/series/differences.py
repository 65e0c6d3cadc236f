"""What is different about two tables, by key and column."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.canon.encode import encode, identifier
from muniment.canon.hashes import quoted
from muniment.series.checksum import DIGEST, with_digest


def column_problems(left: DataFrame, right: DataFrame) -> list[str]:
    """What is different about their columns: names, types, order."""
    ours, theirs = ({field.name: field.dataType.simpleString() for field in frame.schema} for frame in (left, right))
    problems = [f"'{name}' is only on the left" for name in ours if name not in theirs]
    problems += [f"'{name}' is only on the right" for name in theirs if name not in ours]
    problems += [f"'{name}' is {ours[name]} and {theirs[name]}" for name in ours if name in theirs and ours[name] != theirs[name]]
    if not problems and left.columns != right.columns:
        problems.append(f"the order is {', '.join(left.columns)} and {', '.join(right.columns)}")
    return problems


def differing(left: DataFrame, right: DataFrame, *, key: Sequence[str]) -> DataFrame:
    """One row for each key whose rows differ: how many each side has, and where both have one, the columns that differ."""
    names = left.columns
    sides = [_by_key(frame, key).alias(side) for frame, side in ((left, "l"), (right, "r"))]
    joined = sides[0].join(sides[1], F.col("l.key") == F.col("r.key"), "full_outer")
    other = joined.where(~F.col("l.digests").eqNullSafe(F.col("r.digests")))
    rows = {f"{side}_rows": F.coalesce(F.col(f"{short}.n"), F.lit(0)) for side, short in (("left", "l"), ("right", "r"))}
    differ = F.array_compact(F.array(*(_column(name, number) for number, name in enumerate(names))))
    one = (F.coalesce(F.col("l.n"), F.lit(0)) == 1) & (F.coalesce(F.col("r.n"), F.lit(0)) == 1)
    return other.select(
        F.coalesce("l.key", "r.key").alias("key"),
        *(value.alias(name) for name, value in rows.items()),
        F.when(one, differ).alias("columns"),
    )


def _by_key(frame: DataFrame, key: Sequence[str]) -> DataFrame:
    """The rows of one key together: their digests, sorted, and the values of one of them as text."""
    kinds = {field.name: field.dataType for field in frame.schema}
    named = F.concat_ws(", ", *(F.concat(F.lit(f"{name} "), F.coalesce(quoted(name).cast("string"), F.lit("null"))) for name in key))
    exact = F.expr("concat(" + ", ".join(encode(identifier(name), kinds[name]) for name in key) + ")")
    values = F.struct(*(_both(name, frame, number) for number, name in enumerate(frame.columns)))
    told = with_digest(frame, frame.columns).select(named.alias("key"), exact.alias("exact"), values.alias("values"), DIGEST)
    return told.groupBy("exact", "key").agg(
        F.count(F.lit(1)).alias("n"), F.array_sort(F.collect_list(DIGEST)).alias("digests"), F.first("values").alias("values")
    )


def _both(name: str, frame: DataFrame, number: int) -> Column:
    """A value as people read it, and as it is compared."""
    exact = F.expr(encode(identifier(name), frame.schema[name].dataType))
    return F.struct(quoted(name).cast("string").alias("shown"), exact.alias("exact")).alias(f"v{number}")


def _column(name: str, number: int) -> Column:
    left, right = (F.col(f"{side}.values")[f"v{number}"] for side in ("l", "r"))
    said = F.struct(F.lit(name).alias("name"), left["shown"].alias("left"), right["shown"].alias("right"))
    return F.when(left["exact"] != right["exact"], said)
