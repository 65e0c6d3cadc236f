"""Values of whatever came → the declared type, or the knowledge that they will not go (R19). Nothing is cut off or rounded on the way."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.gate.rows import UTC_JSON
from muniment.gate.times import from_text, utc_text

_NESTED = ("array<", "map<", "struct<")
_EXACT = ("tinyint", "smallint", "int", "bigint", "decimal")
_PLAIN = ("string", "boolean", "double", "float", *_EXACT)
_BROKEN = "__broken"


class Cast(NamedTuple):
    """A value in its declared type, and whether it would not go."""

    value: Column
    failed: Column


def cast(value: Column, kind: T.DataType, want: str) -> Cast:
    """The value as type `want` (a canonical type name)."""
    if kind.simpleString() == want:
        return Cast(value, F.lit(False))
    result = _from_text(value, want) if isinstance(kind, T.StringType) else _from_typed(value, kind, want)
    return Cast(result, value.isNotNull() & (result.isNull() | _lost(value, kind, result=result, want=want)))


def _from_text(text: Column, want: str) -> Column:
    if want.startswith(_NESTED):
        return _from_json(text, want)
    if want == "timestamp":
        return from_text(text)
    if want == "binary":
        return F.try_to_binary(text, F.lit("base64"))
    return text.try_cast(want)


def _from_json(text: Column, want: str) -> Column:
    """Null unless everything inside fits; Spark by itself puts a null where a field does not, and says nothing."""
    whole = F.concat(F.lit('{"v":'), text, F.lit("}"))
    parsed = F.from_json(whole, f"v {want}, {_BROKEN} string", {"columnNameOfCorruptRecord": _BROKEN, "timeZone": "UTC"})
    return F.when(parsed[_BROKEN].isNull(), parsed["v"])


def _from_typed(value: Column, kind: T.DataType, want: str) -> Column:
    if isinstance(kind, T.ArrayType | T.MapType | T.StructType):
        return _from_nested(F.to_json(value, UTC_JSON), want)
    if isinstance(kind, T.TimestampType):
        return _from_text(utc_text(value), want) if want != "date" else _from_text(F.substring(utc_text(value), 1, 10), "date")
    if isinstance(kind, T.DateType | T.TimestampNTZType):
        return _from_text(value.cast("string"), want)
    if isinstance(kind, T.DecimalType) and want == "string":
        return F.call_function("format_number", value, F.lit("0." + "0" * kind.scale if kind.scale else "0"))
    if isinstance(kind, T.NumericType | T.BooleanType) and want.startswith(_PLAIN):
        return value.try_cast(want)
    return F.lit(None).cast(want)


def _from_nested(text: Column, want: str) -> Column:
    if want == "string":
        return text
    return _from_json(text, want) if want.startswith(_NESTED) else F.lit(None).cast(want)


def _lost(value: Column, kind: T.DataType, *, result: Column, want: str) -> Column:
    """Whether digits were cut off: a decimal takes 1.005 as 1.01 and an integer takes 1.5 as 1 without a word."""
    if want.startswith("decimal") and isinstance(kind, T.StringType):
        return F.coalesce(_cut(value, result, scale=int(want.removesuffix(")").split(",")[1])), F.lit(False))
    if want.startswith(_EXACT) and isinstance(kind, T.FractionalType):
        return F.coalesce(result.try_cast(kind.simpleString()) != value, F.lit(True))
    return F.lit(False)


def _cut(text: Column, result: Column, *, scale: int) -> Column:
    """Whether a number's text has digits after the last place that the decimal keeps."""
    beyond = text.rlike(rf"\.\d{{{scale}}}\d*[1-9]")
    return F.when(text.rlike("[eE]"), text.try_cast("double") != result.try_cast("double")).otherwise(beyond)
