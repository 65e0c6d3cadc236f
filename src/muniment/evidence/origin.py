"""Which assertion supplied a value: a version keeps that of values it took over; all others are its own assertion's."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import identifier, literal
from muniment.evidence.slots import Slot

FIELDS = ("source", "event_ts", "assertion_id")


def kept(shown: Column, opener: Column, slot: Slot) -> Column:
    """The origin of what a version shows, beside the assertion that opened it; one id is one assertion, so that of its own says nothing new.

    What the version states and does not show has an origin without fields: as received, its last row may not know what its first one said (R8).
    """
    found = F.struct(*(shown[name].alias(name) for name in FIELDS))
    is_own = shown["assertion_id"].eqNullSafe(opener["assertion_id"])
    return F.when(~is_own & (shown.isNotNull() | F.array_contains(opener["asserted"], slot.name)), found)


def is_own(name: str) -> str:
    """Whether a version's own assertion supplied this attribute."""
    return f"origin.{identifier(name)} IS NULL AND array_contains(asserted, {literal(name)})"


def stated_here(name: str) -> str:
    """What a version shows and its own assertion states, as a statement."""
    value = identifier(name)
    return f"named_struct('value', {value}, 'source', source_system, 'event_ts', source_event_ts, 'assertion_id', assertion_id)"


def with_origins(versions: DataFrame) -> DataFrame:
    """Versions with the origin of every value, as readers see them."""
    return versions.selectExpr(*shown(versions.schema))


def shown(versions: T.StructType) -> list[str]:
    """The columns of versions, as expressions, with the origin of every value."""
    return [_whole(field.dataType) if field.name == "origin" else identifier(field.name) for field in versions]


def _whole(origin: T.DataType) -> str:
    names = [field.name for field in origin] if isinstance(origin, T.StructType) else []
    own = "struct(source_system AS source, source_event_ts AS event_ts, assertion_id)"
    return f"struct({', '.join(f'{_origin(name, own)} AS {identifier(name)}' for name in names)}) AS origin"


def _origin(name: str, own: str) -> str:
    found = f"origin.{identifier(name)}"
    return f"CASE WHEN {is_own(name)} THEN {own} WHEN {found}.assertion_id IS NOT NULL THEN {found} END"
