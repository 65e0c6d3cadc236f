"""Facts beside dimensions: each fact meets the version that held at its time (R5); none is dropped, whatever it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.dimensions.readers import covers
from muniment.gate.cast import cast
from muniment.gate.times import moment
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import shown_columns
from muniment.model.source import ColumnTime

UNKNOWN = -1  # the member of facts that no version covers
UNCOVERED = "uncovered"
_DIM = "_dim_"


@dataclass(frozen=True, slots=True)
class Facing:
    """A dimension, its versions, and which columns of the facts lead to them."""

    dimension: Dimension
    versions: DataFrame
    key: Mapping[str, str]  # part of the dimension's key → column of the facts
    at: str

    def meet(self, facts: DataFrame, wanted: Iterable[str]) -> DataFrame:
        """The facts with these columns of the version that held then, under working names; nulls where none did."""
        names = [*self.key, "effective_from", "effective_to", "is_current", *wanted]
        versions = self.versions.select(*(quoted(name).alias(_DIM + name) for name in dict.fromkeys(names)))
        conditions = [self.part(facts, name) == quoted(_DIM + name) for name in self.key]
        return facts.join(versions, [*conditions, covers(self.instant(facts), of=_DIM)], "left")

    def part(self, facts: DataFrame, name: str) -> Column:
        """A part of the key as the facts have it, in the dimension's type."""
        kind = next(part.type for part in self.dimension.key if part.name == name)
        column = self.key[name]
        return cast(quoted(column), facts.schema[column].dataType, kind).value

    def instant(self, facts: DataFrame) -> Column:
        """When a fact happened."""
        return moment(quoted(self.at), facts.schema[self.at].dataType, spec=ColumnTime(self.at))


def stamp(facts: DataFrame, facing: Facing, *, repair: bool = False) -> DataFrame:
    """The facts with the surrogate key that was valid then, -1 where none was.

    With `repair` the facts have been stamped before: `previous_<surrogate>` holds the key they had, where it is not the right one.
    """
    name = facing.dimension.surrogate
    previous = f"previous_{name}"
    bare = facts.withColumnRenamed(name, "_stamped") if repair else facts.drop(name)
    met = facing.meet(bare, [name])
    key = F.coalesce(quoted(_DIM + name), F.lit(UNKNOWN))
    own = [quoted(column) for column in bare.columns if column != "_stamped"]
    if not repair:
        return met.select(*own, key.alias(name))
    was = F.when(~F.col("_stamped").eqNullSafe(key), F.coalesce("_stamped", F.lit(UNKNOWN)))
    return met.select(*own, key.alias(name), was.alias(previous))


def join_as_of(facts: DataFrame, facings: Iterable[Facing]) -> DataFrame:
    """The facts with all columns of several dimensions as they were then; `uncovered` names the dimensions that had no version for a fact."""
    missing: list[Column] = []
    rows = facts
    for number, facing in enumerate(facings):
        spec = facing.dimension
        wanted = [spec.surrogate, *(col.name for column in spec.columns for col in shown_columns(column))]
        lacks = F.when(quoted(_DIM + spec.surrogate).isNull(), F.lit(spec.name))
        met = facing.meet(rows, wanted).withColumn(f"_lacks{number}", lacks)
        shown = [_shown(name, rows=rows, spec=spec) for name in wanted]
        rows = met.select(*(quoted(name) for name in rows.columns), *shown, f"_lacks{number}")
        missing.append(F.col(f"_lacks{number}"))
    told = rows.withColumn(UNCOVERED, F.array_compact(F.array(*missing)))
    return told.drop(*(f"_lacks{number}" for number in range(len(missing))))


def _shown(name: str, *, rows: DataFrame, spec: Dimension) -> Column:
    """A column of a dimension; with the dimension's name before its own, where that is taken."""
    value = quoted(_DIM + name)
    value = F.coalesce(value, F.lit(UNKNOWN)) if name == spec.surrogate else value
    taken = {column.casefold() for column in rows.columns}
    return value.alias(f"{spec.name}_{name}" if name.casefold() in taken else name)


def uncovered(facts: DataFrame, facing: Facing) -> DataFrame:
    """The facts that no version covers, and why not."""
    name = facing.dimension.surrogate
    firsts = facing.versions.groupBy(*(quoted(part).alias(f"_first_{part}") for part in facing.key)).agg(
        F.min("effective_from").alias("_first")
    )
    lacking = facing.meet(facts, [name]).where(quoted(_DIM + name).isNull()).select(*(quoted(column) for column in facts.columns))
    met = lacking.join(firsts, [facing.part(facts, part) == quoted(f"_first_{part}") for part in facing.key], "left")
    keyless = F.lit(False)
    for part in facing.key:
        keyless = keyless | facing.part(facts, part).isNull()
    why = (
        F.when(keyless, "it has no key")
        .when(facing.instant(facts).isNull(), "it has no time")
        .when(F.col("_first").isNull(), "nobody has described this key")
        .when(facing.instant(facts) < F.col("_first"), "it is before the first version")
        .otherwise("the member was gone then")
    )
    return met.select(*(quoted(column) for column in facts.columns), why.alias("why"))


def unheard_of(facts: DataFrame, facing: Facing, *, at: str) -> DataFrame:
    """The keys of facts that no version has, with the time of the first fact: members to be inferred."""
    keys = facts.select(*(facing.part(facts, part).alias(part) for part in facing.key), facing.instant(facts).alias(at))
    whole = keys.dropna()
    known = facing.versions.select(*(quoted(part) for part in facing.key)).distinct()
    return whole.join(known, list(facing.key), "left_anti").groupBy(*(quoted(part) for part in facing.key)).agg(F.min(at).alias(at))
