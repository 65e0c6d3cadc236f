"""What people set by hand, in the types of the attributes and ready to lie on top of what the sources say (R20)."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.belief.candidates import OVERRIDES
from muniment.evidence.slots import Slot, slots_of
from muniment.gate.cast import cast
from muniment.model.entity import Entity


def in_force(records: DataFrame, *, entity: Entity, known_at: datetime | None = None) -> DataFrame:
    """The rows of `ops.override` that hold: made by then, and not withdrawn by then (R29)."""
    mine = records.where(F.col("entity") == entity.name)
    if known_at is not None:
        mine = mine.where(F.col("made_at") <= F.lit(known_at))
    ended = mine.where(F.col("withdraws").isNotNull()).select(F.col("withdraws").alias("override_id"))
    return mine.where(F.col("withdraws").isNull()).join(ended, "override_id", "left_anti")


def by_key(overrides: DataFrame, *, entity: Entity) -> DataFrame:
    """One row per key with its overrides, the one made last at the end."""
    given = F.struct(*(_given(slot).alias(f"s{slot.place}") for slot in slots_of(entity)))
    member = F.struct("made_at", "override_id", "start_ts", "end_ts", given.alias("given"))
    listed = overrides.groupBy("sk").agg(F.collect_list(member).alias(OVERRIDES))
    return listed.withColumn(OVERRIDES, F.array_sort(OVERRIDES, _by_making))


def typed(text: Column, slot: Slot) -> Column:
    """A text as a value of the slot; null where it will not go."""
    kind = "boolean" if slot.attribute is None else slot.attribute.type
    return cast(text, T.StringType(), kind).value


def _given(slot: Slot) -> Column:
    """Wrapped, because a person may set null."""
    is_given = F.map_contains_key("given", F.lit(slot.name))
    return F.when(is_given, F.struct(typed(F.col("given")[slot.name], slot).alias("value")))


def _by_making(one: Column, other: Column) -> Column:
    first, second = (F.struct(each["made_at"], each["override_id"]) for each in (one, other))
    return F.when(first < second, -1).when(first > second, 1).otherwise(0)
