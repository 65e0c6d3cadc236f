"""The canonical encoding (R1): type-tagged, length-prefixed text that two different values never share.

`<tag><bytes of text>:<text>`, where tag and text follow from the type: SPEC.md, *Canonical form*, has the table.
Written as SQL, because a tree of columns takes a call to the JVM for each of its nodes, and these trees are on every row's way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyspark.sql import types as T

VERSION = 1
NULL = "n0:"

_INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_PLAIN = re.compile(r"[A-Za-z0-9 _.:,#-]*")


def identifier(name: str) -> str:
    """A column by its exact name, whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A text; what a session's settings could read otherwise goes in as bytes."""
    return f"'{text}'" if _PLAIN.fullmatch(text) else f"decode(X'{text.encode().hex()}', 'UTF-8')"


def encode(value: str, kind: T.DataType, depth: int = 0) -> str:
    """The canonical text of an expression's value, a null included."""
    return f"coalesce({encode_present(value, kind, depth)}, {literal(NULL)})"


def encode_present(value: str, kind: T.DataType, depth: int = 0) -> str:
    """The canonical text of an expression's value; null for a null, so that callers can leave it out."""
    tag, text = _tag_and_text(value, kind, depth)
    return _tagged(tag, text)


def encode_fields(fields: Sequence[tuple[str, str]]) -> str:
    """Names and already encoded values as one struct, in the order of the names; a field whose encoding is null is left out."""
    pairs = [f"coalesce(concat({literal(_name(name))}, {encoded}), '')" for name, encoded in sorted(fields)]
    return _tagged("r", f"concat({', '.join(pairs)})" if pairs else "''")


def encode_items(items: Sequence[str]) -> str:
    """Already encoded items as one array: an array of a known length needs no lambda, which Spark would interpret row by row."""
    return _tagged("a", f"concat({', '.join(items)})" if items else "''")


def encode_sequence(name: str, places: int) -> str:
    """A sequence of that many places, as the gate makes it; of none it is null."""
    kind = T.DecimalType(38, 0)
    return encode_items([encode(f"get({name}, {place})", kind) for place in range(places)]) if places else literal(NULL)


def encode_among(name: str, names: Sequence[str]) -> str:
    """A list of some of these names, in their order."""
    return encode_items([f"if(array_contains({name}, {literal(each)}), {literal(_name(each))}, '')" for each in names])


def _tagged(tag: str, text: str) -> str:
    return f"concat('{tag}', cast(octet_length({text}) AS string), ':', {text})"


def _name(name: str) -> str:
    return f"s{len(name.encode())}:{name}"


def _tag_and_text(value: str, kind: T.DataType, depth: int) -> tuple[str, str]:
    as_text = f"cast({value} AS string)"
    if isinstance(kind, T.StringType):
        return "s", value
    if isinstance(kind, T.BooleanType):
        return "b", as_text
    if isinstance(kind, _INTEGERS):
        return "i", as_text
    if isinstance(kind, T.DecimalType):
        return "m", _decimal_text(value, kind.scale)
    if isinstance(kind, T.FloatType | T.DoubleType):
        return "f", _double_text(f"cast({value} AS double)")
    if isinstance(kind, T.DateType):
        return "d", f"cast(unix_date({value}) AS string)"
    if isinstance(kind, T.TimestampType):
        return "t", f"cast(unix_micros({value}) AS string)"
    if isinstance(kind, T.TimestampNTZType):
        return "u", as_text
    if isinstance(kind, T.BinaryType):
        return "x", f"lower(hex({value}))"
    return _nested(value, kind, depth)


def _nested(value: str, kind: T.DataType, depth: int) -> tuple[str, str]:
    item = f"item{depth}"  # its own name at each depth, so that no lambda hides another
    if isinstance(kind, T.ArrayType):
        return "a", f"array_join(transform({value}, {item} -> {encode(item, kind.elementType, depth + 1)}), '')"
    if isinstance(kind, T.MapType):
        key, content = (encode(f"{item}.{part}", each, depth + 1) for part, each in (("key", kind.keyType), ("value", kind.valueType)))
        return "p", f"array_join(array_sort(transform(map_entries({value}), {item} -> concat({key}, {content}))), '')"
    if isinstance(kind, T.StructType):
        fields = sorted(kind.fields, key=lambda field: field.name)
        parts = (f"{literal(_name(f.name))}, {encode(f'({value}).{identifier(f.name)}', f.dataType, depth + 1)}" for f in fields)
        return "r", f"CASE WHEN {value} IS NOT NULL THEN concat({', '.join(parts)}) END"
    raise TypeError(f"no canonical form for {kind.simpleString()}")


def _double_text(value: str) -> str:
    """Java's `%a`, which is exact; -0.0 + 0.0 is 0.0. A null would be formatted as the word null."""
    return f"CASE WHEN {value} IS NOT NULL THEN format_string('%a', {value} + 0D) END"


def _decimal_text(value: str, scale: int) -> str:
    """Plain digits without trailing zeros; a cast to text would depend on `spark.sql.ansi.enabled`."""
    return f"format_number({value}, '{'0.' + '#' * scale if scale else '0'}')"
