"""Stamping: facts get the surrogate keys of their time; a key that nobody has described yet may become a member that is completed later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.dimensions import stamping
from muniment.dimensions.stamping import Facing
from muniment.dimensions.statements import INFER
from muniment.errors import BadArgument
from muniment.gate.examine import Receipt
from muniment.lake.schema import kind_of
from muniment.lake.tables import Lake
from muniment.model.dimension import Dimension, Unmatched
from muniment.model.dimension_tables import dimension_columns, dimension_name
from muniment.model.names import find
from muniment.model.source import ColumnTime, LoadType, Source
from muniment.steps.apply import Given, apply
from muniment.steps.land import land
from muniment.steps.request import Request

FactKey = str | Sequence[str] | Mapping[str, str]
FACTS = Source("facts", event_time=ColumnTime("__at"), load=LoadType.PARTIAL)  # who asks for members that nobody has described


@dataclass(frozen=True, slots=True)
class Stamping:
    """What a caller of `stamp` asks for."""

    root: Path
    facts: DataFrame
    key: FactKey | None
    at: str
    repair: bool = False


def stamp(lake: Lake, dimension: Dimension, asked: Stamping) -> DataFrame:
    """The facts with the surrogate keys that were valid then; lazy but for members that are inferred."""
    if asked.repair and dimension.surrogate not in asked.facts.columns:
        advice = f"Stamp them first; the column is called {dimension.surrogate}."
        raise BadArgument(argument="repair", problem="these facts were never stamped", advice=advice)
    facing = facing_of(lake, dimension, asked.facts, key=asked.key, at=asked.at)
    if dimension.unmatched is Unmatched.INFER and _infer(lake, dimension, asked, facing):
        facing = facing_of(lake, dimension, asked.facts, key=asked.key, at=asked.at)
    return stamping.stamp(asked.facts, facing, repair=asked.repair)


def uncovered(lake: Lake, dimension: Dimension, asked: Stamping) -> DataFrame:
    """The facts that no version covers, and why not."""
    return stamping.uncovered(asked.facts, facing_of(lake, dimension, asked.facts, key=asked.key, at=asked.at))


def as_of_join(lake: Lake, dimensions: Sequence[tuple[Dimension, str]], facts: DataFrame) -> DataFrame:
    """The facts with the columns of several dimensions as they were then; the facts have each dimension's key under its own name."""
    return stamping.join_as_of(facts, [facing_of(lake, spec, facts, key=None, at=at) for spec, at in dimensions])


def facing_of(lake: Lake, dimension: Dimension, facts: DataFrame, *, key: FactKey | None, at: str) -> Facing:
    """The dimension as these facts meet it; a column that they lack is the caller's mistake."""
    columns = {name: name for name in facts.columns}
    parts = {part: find("column", name, columns) for part, name in _parts(dimension, key).items()}
    table = lake.table(dimension_name(dimension))
    nobody = lake.spark.createDataFrame([], kind_of(dimension_columns(dimension)))
    return Facing(dimension, table.read() if table.exists() else nobody, parts, find("column", at, columns))


def _parts(dimension: Dimension, key: FactKey | None) -> dict[str, str]:
    names = [part.name for part in dimension.key]
    given = [key] if isinstance(key, str) else list(key) if key is not None else names
    if isinstance(key, Mapping):
        return {name: find("part of the key", name, key) for name in names}
    if len(given) != len(names):
        raise BadArgument(
            argument="key", problem=f"{dimension.name} has the key {', '.join(names)}", advice="Name a column of the facts for each."
        )
    return dict(zip(names, given, strict=True))


def _infer(lake: Lake, dimension: Dimension, asked: Stamping, facing: Facing) -> bool:
    """Make members of the keys that no version has; whether there were any."""
    keys = stamping.unheard_of(asked.facts, facing, at="__at").persist()
    try:
        if keys.isEmpty():
            return False
        entity = dimension.spoken_of
        with_facts = replace(entity, sources=(*entity.sources, FACTS))
        land(lake, Request(with_facts, FACTS, asked.root, clock.now(), keys, sift=_inferred))
        apply(lake, dimension, Given(asked.root))
        return True
    finally:
        keys.unpersist()


def _inferred(judged: DataFrame, _: Receipt) -> DataFrame:
    return judged.withColumn("op", F.lit(INFER))
