"""Values of every type that canonical text has to keep apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from pyspark.sql import types as T

_HOUR = timezone(timedelta(hours=1))
_NTZ = datetime(2026, 3, 29, 1, 30)  # noqa: DTZ001 - a time without a zone is what is meant

INNER = T.StructType([T.StructField("z", T.IntegerType()), T.StructField("a", T.StringType())])
NESTED = T.StructType([T.StructField("ß", T.DoubleType()), T.StructField("in", INNER), T.StructField("Zoo", T.ArrayType(INNER))])

VECTORS: Mapping[str, tuple[T.DataType, Sequence[Any]]] = {
    "text": (
        T.StringType(),
        [
            "", "null", "NULL", "n0:", "1", "s1:a", "a_b", "a|b", "a\0b", " a ", "\n\t", "é", "e\u0301", "日本", "🙂", "s0:s0:", "x" * 70_000,
        ],
    ),
    "yes": (T.BooleanType(), [True, False]),
    "tiny": (T.ByteType(), [0, 1, -128, 127]),
    "small": (T.ShortType(), [0, 1, -32768, 32767]),
    "whole": (T.IntegerType(), [0, 1, -1, 2**31 - 1, -(2**31)]),
    "long": (T.LongType(), [0, 1, -1, 2**63 - 1, -(2**63)]),
    "money": (T.DecimalType(18, 4), [Decimal(t) for t in ("0", "1", "1.0", "1.5", "-1.50", "100", "0.0001", "-0.0100", "99999999999999.9999", "-0.0")]),
    "huge": (T.DecimalType(38, 0), [Decimal("9" * 38), Decimal("-" + "9" * 38), Decimal(10**37), Decimal(0)]),
    "fine": (T.DecimalType(38, 37), [Decimal("1e-37"), Decimal("-9." + "9" * 37), Decimal("0.1")]),
    "real": (
        T.DoubleType(),
        [
            0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 1e308, 5e-324, -2.2250738585072009e-308, 2.2250738585072014e-308,
            float("nan"), float("inf"), float("-inf"), 1e23, 2.0**53,
        ],
    ),
    "half": (T.FloatType(), [0.0, -0.0, 0.5, -2.25, 2.0**-149, 2.0**127, float("nan"), float("inf"), float("-inf")]),
    "day": (T.DateType(), [date(1970, 1, 1), date(1969, 12, 31), date(2026, 3, 29), date(1582, 10, 15), date(1, 1, 1), date(9999, 12, 31)]),
    "at": (
        T.TimestampType(),
        [
            datetime(1970, 1, 1, tzinfo=UTC), datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
            datetime(2026, 10, 25, 1, 30, tzinfo=_HOUR), datetime(1900, 1, 1, tzinfo=UTC), datetime(2199, 12, 31, 23, 59, 59, 1, UTC),
        ],
    ),
    "clock": (T.TimestampNTZType(), [_NTZ, _NTZ.replace(microsecond=1), _NTZ.replace(microsecond=120_000), _NTZ.replace(year=1960)]),
    "bytes": (T.BinaryType(), [bytearray(b""), bytearray(b"\0"), bytearray(range(256)), bytearray(b"abc")]),
    "list": (T.ArrayType(T.StringType()), [[], [None], [""], ["a", "b"], ["b", "a"], ["a,b"], ["a", None, "b"], ["s1:b"]]),
    "numbers": (T.ArrayType(T.ArrayType(T.DecimalType(9, 2))), [[], [[]], [None], [[Decimal("1.10"), None]], [[Decimal("1.1")], [Decimal(-2)]]]),
    "struct": (INNER, [(1, "a"), (None, None), (None, ""), (1, None)]),
    "nested": (NESTED, [(1.5, (1, "x"), [(2, "y"), None, (None, None)]), (None, None, None), (-0.0, (0, ""), [])]),
    "map": (
        T.MapType(T.StringType(), T.IntegerType()),
        [{}, {"a": 1}, {"a": None}, {"b": 2, "a": 1}, {"a": 1, "b": 2}, {"aa": 1, "a": 11}, {"ü": 1, "z": 2, "": 3}],
    ),
    "days": (
        T.MapType(T.DateType(), T.ArrayType(T.DoubleType())),
        [{date(2026, 1, 2): [1.0, -0.0], date(1969, 1, 1): None}, {date(1969, 1, 1): None, date(2026, 1, 2): [1.0, 0.0]}],
    ),
}  # fmt: skip

SCHEMA = T.StructType([T.StructField(name, kind) for name, (kind, _) in VECTORS.items()])
ROWS = list(zip_longest(*(values for _, values in VECTORS.values())))  # shorter columns end in nulls
