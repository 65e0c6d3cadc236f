"""What must hold of belief: every value was said by somebody, or set by hand, and all of it follows from the evidence (R20, R25)."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.belief.resolution import OVERRIDE
from muniment.canon.encode import encode_present, identifier
from muniment.canon.hashes import kinds_of
from muniment.evidence.lanes import difference
from muniment.evidence.slots import Slot, slots_of
from muniment.model.entity import Entity
from muniment.quality.invariants import examples
from muniment.quality.problems import Problem

CHECKS = ("said", "belief")
_SAID = ("assertion_id", "place", "text")


def unsaid(held: DataFrame, log: DataFrame, overrides: DataFrame | None, *, entity: Entity, table: str) -> Iterator[Problem]:
    """Every value that is not null names an assertion of the log that states it, or an override that sets it."""
    attributes = [slot for slot in slots_of(entity) if slot.attribute is not None]
    if not attributes:
        return
    believed = held.select("sk", F.explode(F.array_compact(F.array(*(_believed(slot, held) for slot in attributes)))).alias("v"))
    values = believed.select("sk", "v.*")
    stated = log.select("assertion_id", F.explode(F.array_compact(F.array(*(_stated(slot, log) for slot in attributes)))).alias("v"))
    lost = values.where(~F.col("by_hand")).join(stated.select("assertion_id", "v.*").distinct(), list(_SAID), "left_anti")
    yield from examples(lost, "said", table, "a value names no assertion of the log that states it")
    by_hand = values.where("by_hand")
    known = None if overrides is None else overrides.select(F.col("override_id").alias("assertion_id"))
    unknown = by_hand if known is None else by_hand.join(known, "assertion_id", "left_anti")
    yield from examples(unknown, "said", table, "a value was set by hand in an override that is not there")


def not_as_resolved(held: DataFrame, fresh: DataFrame, *, table: str) -> Iterator[Problem]:
    """The table is what the same evidence, rules and overrides give from nothing."""
    found = difference(held, fresh, identity=("sk", "effective_from")).rows.select(F.coalesce("before.sk", "after.sk").alias("sk"))
    yield from examples(found, "belief", table, "it differs from what the evidence and the rules give")


def _believed(slot: Slot, held: DataFrame) -> Column:
    origin = slot.of(F.col("origin"))
    fields = (F.lit(slot.place).alias("place"), origin["assertion_id"].alias("assertion_id"), _text(slot, held).alias("text"))
    by_hand = origin["rule"].eqNullSafe(F.lit(OVERRIDE)).alias("by_hand")
    return F.when(slot.column.isNotNull(), F.struct(*fields, by_hand))


def _stated(slot: Slot, log: DataFrame) -> Column:
    says = F.array_contains("asserted", slot.name) & slot.column.isNotNull()
    return F.when(says, F.struct(F.lit(slot.place).alias("place"), _text(slot, log).alias("text")))


def _text(slot: Slot, rows: DataFrame) -> Column:
    """A value of any type as one text."""
    return F.expr(encode_present(identifier(slot.name), kinds_of(rows.schema)[slot.name]))
