"""The canonical encoding (R1): type-tagged, length-prefixed text that two different values never share.

`<tag><bytes of text>:<text>`, where tag and text follow from the type: SPEC.md, *Canonical form*, has the table.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

VERSION = 1
NULL = "n0:"

_INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)


def encode(value: Column, kind: T.DataType) -> Column:
    """The canonical text of a value, a null included."""
    return F.coalesce(encode_present(value, kind), F.lit(NULL))


def encode_present(value: Column, kind: T.DataType) -> Column:
    """The canonical text of a value; null for a null, so that callers can leave it out."""
    tag, text = _tag_and_text(value, kind)
    return _tagged(tag, text)


def encode_fields(fields: Sequence[tuple[str, Column]]) -> Column:
    """Names and already encoded values as one struct, in the order of the names; a field whose encoding is null is left out."""
    pairs = [F.coalesce(F.concat(F.lit(_name(name)), encoded), F.lit("")) for name, encoded in sorted(fields, key=lambda field: field[0])]
    return _tagged("r", F.concat(*pairs) if pairs else F.lit(""))


def _tagged(tag: str, text: Column) -> Column:
    return F.concat(F.lit(tag), F.octet_length(text).cast("string"), F.lit(":"), text)


def _name(name: str) -> str:
    return f"s{len(name.encode())}:{name}"


def _tag_and_text(value: Column, kind: T.DataType) -> tuple[str, Column]:
    if isinstance(kind, T.StringType):
        return "s", value
    if isinstance(kind, T.BooleanType):
        return "b", value.cast("string")
    if isinstance(kind, _INTEGERS):
        return "i", value.cast("string")
    if isinstance(kind, T.DecimalType):
        return "m", _decimal_text(value, kind.scale)
    if isinstance(kind, T.FloatType | T.DoubleType):
        return "f", _double_text(value.cast("double"))
    if isinstance(kind, T.DateType):
        return "d", F.unix_date(value).cast("string")
    if isinstance(kind, T.TimestampType):
        return "t", F.unix_micros(value).cast("string")
    if isinstance(kind, T.TimestampNTZType):
        return "u", value.cast("string")
    if isinstance(kind, T.BinaryType):
        return "x", F.lower(F.hex(value))
    return _nested(value, kind)


def _nested(value: Column, kind: T.DataType) -> tuple[str, Column]:
    if isinstance(kind, T.ArrayType):
        element = kind.elementType
        return "a", F.array_join(F.transform(value, lambda item: encode(item, element)), "")
    if isinstance(kind, T.MapType):
        key, item = kind.keyType, kind.valueType
        entries = F.transform(F.map_entries(value), lambda e: F.concat(encode(e["key"], key), encode(e["value"], item)))
        return "p", F.array_join(F.array_sort(entries), "")
    if isinstance(kind, T.StructType):
        fields = sorted(kind.fields, key=lambda field: field.name)
        parts = [F.concat(F.lit(_name(f.name)), encode(value.getField(f.name), f.dataType)) for f in fields]
        return "r", F.when(value.isNotNull(), F.concat(*parts))
    raise TypeError(f"no canonical form for {kind.simpleString()}")


def _double_text(value: Column) -> Column:
    """Java's `%a`, which is exact; -0.0 + 0.0 is 0.0. A null would be formatted as the word null."""
    return F.when(value.isNotNull(), F.format_string("%a", value + F.lit(0.0)))


def _decimal_text(value: Column, scale: int) -> Column:
    """Plain digits without trailing zeros; a cast to text would depend on `spark.sql.ansi.enabled`."""
    return F.call_function("format_number", value, F.lit("0." + "#" * scale if scale else "0"))
