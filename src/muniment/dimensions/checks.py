"""What may be wrong with a dimension's table: each defect a name and a function that finds the members that have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.dimensions.fold import sentinel
from muniment.evidence.lanes import difference
from muniment.model.dimension import Dimension, OpenEnd


@dataclass(frozen=True, slots=True)
class Suspect:
    """A table, and what all that was said makes of it."""

    dimension: Dimension
    held: DataFrame
    fresh: DataFrame
    facts: DataFrame | None = None


def two_currents(suspect: Suspect) -> DataFrame:
    """More than one version of a member is current."""
    return suspect.held.groupBy("sk").agg(F.count_if("is_current").alias("n")).where("n > 1")


def overlaps(suspect: Suspect) -> DataFrame:
    """A version begins before the one before it ends."""
    return _with_next(suspect.held).where(F.col("_next") < F.coalesce("effective_to", sentinel()))


def gaps(suspect: Suspect) -> DataFrame:
    """Time between two versions in which the member was not gone."""
    held, fresh = (
        _with_next(rows).where("effective_to < _next").select("sk", "effective_to", "_next") for rows in (suspect.held, suspect.fresh)
    )
    return held.join(fresh, ["sk", "effective_to", "_next"], "left_anti")


def wrong_flags(suspect: Suspect) -> DataFrame:
    """A version says that it is current and has ended, or the other way round."""
    return suspect.held.where(~F.col("is_current").eqNullSafe(_is_open(suspect.dimension)))


def ends_before_start(suspect: Suspect) -> DataFrame:
    """A version ends at its start or before it, or has no start."""
    return suspect.held.where((F.col("effective_to") <= F.col("effective_from")) | F.col("effective_from").isNull())


def wrong_surrogates(suspect: Suspect) -> DataFrame:
    """Two versions share a surrogate key, or one has another than its own."""
    name = suspect.dimension.surrogate
    shared = suspect.held.withColumn("_n", F.count(F.lit(1)).over(Window.partitionBy(quoted(name)))).where("_n > 1").select("sk")
    own = suspect.fresh.select("sk", "effective_from", quoted(name).alias("_own"))
    other = suspect.held.join(own, ["sk", "effective_from"]).where(~quoted(name).eqNullSafe(F.col("_own"))).select("sk")
    return shared.unionByName(other)


def orphans(suspect: Suspect) -> DataFrame:
    """Facts have a surrogate key that no version has; -1 is nobody's."""
    name = suspect.dimension.surrogate
    if suspect.facts is None:
        return suspect.held.limit(0)
    lost = suspect.facts.where(quoted(name) != -1).join(suspect.held.select(quoted(name)), name, "left_anti")
    return lost.select(F.concat(F.lit(f"{name} "), quoted(name).cast("string")).alias("sk")).distinct()


def changed_originals(suspect: Suspect) -> DataFrame:
    """A column of type 0 is not what was said first."""
    names = [column.name for column in suspect.dimension.of_type(0)]
    if not names:
        return suspect.held.limit(0)
    first = suspect.fresh.where("version = 1").select("sk", *(quoted(name).alias(f"_first_{name}") for name in names))
    differs = [~quoted(name).eqNullSafe(quoted(f"_first_{name}")) for name in names]
    return suspect.held.join(first, "sk").where(reduce(Column.__or__, differs))


def drift(suspect: Suspect) -> DataFrame:
    """The table is not what all that was said makes of it."""
    found = difference(suspect.held, suspect.fresh, identity=("sk", "effective_from")).rows
    twice = suspect.held.groupBy("sk", "effective_from").count().where("count > 1").select("sk")
    return found.select(F.coalesce("before.sk", "after.sk").alias("sk")).unionByName(twice)


CHECKS: Mapping[str, Callable[[Suspect], DataFrame]] = {
    "two_currents": two_currents,
    "overlaps": overlaps,
    "gaps": gaps,
    "wrong_flags": wrong_flags,
    "ends_before_start": ends_before_start,
    "surrogates": wrong_surrogates,
    "orphans": orphans,
    "originals": changed_originals,
    "drift": drift,
}


def _chain() -> WindowSpec:
    return Window.partitionBy("sk").orderBy("effective_from", "version")


def _with_next(versions: DataFrame) -> DataFrame:
    return versions.withColumn("_next", F.lead("effective_from").over(_chain()))


def _is_open(dimension: Dimension) -> Column:
    end = F.col("effective_to")
    return end.isNull() if dimension.open_end is OpenEnd.NONE else F.coalesce(end == sentinel(), F.lit(False))
