"""Comparison: null-safe everywhere (R3), on the form that the entity declares as equal (R2)."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import encode_present, identifier, literal
from muniment.model.attribute import Attribute

_WHITE = " \t\n\r\x0b\x0c"


def same(left: Column, right: Column) -> Column:
    """Equal, or both null (R3)."""
    return left.eqNullSafe(right)


def comparable(value: str, kind: T.DataType, *, attribute: Attribute) -> str:
    """The value as it is compared: trimmed and rounded as declared (R2); maps, which Spark cannot compare, in canonical form."""
    declared = declared_form(value, attribute)
    return encode_present(declared, kind) if _has_map(kind) else declared


def declared_form(value: str, attribute: Attribute) -> str:
    """An expression, trimmed and rounded as the attribute declares."""
    if attribute.trim:
        value = f"btrim({value}, {literal(_WHITE)})"
    if attribute.scale is not None:
        value = f"round({value}, {attribute.scale})"
    return value


def comparables(kind: T.StructType) -> Column:
    """All columns of a row as they are compared null-safely (R3); those with maps in canonical form."""
    fields = (encode_present(identifier(f.name), f.dataType) if _has_map(f.dataType) else identifier(f.name) for f in kind)
    return F.expr(f"struct({', '.join(fields)})")


def _has_map(kind: T.DataType) -> bool:
    if isinstance(kind, T.MapType):
        return True
    if isinstance(kind, T.ArrayType):
        return _has_map(kind.elementType)
    return isinstance(kind, T.StructType) and any(_has_map(field.dataType) for field in kind.fields)
