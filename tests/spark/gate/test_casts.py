"""Values of other types go to the declared one whole or not at all, and moments mean the same in every session (R5, R19)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from muniment.gate.cast import cast
from muniment.gate.times import moment
from muniment.model.source import ColumnTime

from tests.spark.gate.gating import session

FAILS = object()
NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
CASES: list[tuple[str, Any, str, Any]] = [  # type it has, value, type it should have, what comes of it
    ("string", " 12 ", "int", 12),
    ("string", "1.5", "int", FAILS),
    ("string", "", "int", FAILS),
    ("string", "true", "boolean", True),
    ("string", "maybe", "boolean", FAILS),
    ("string", "0.10", "decimal(6,2)", Decimal("0.10")),
    ("string", "0.101", "decimal(6,2)", FAILS),
    ("string", "0.1000000000000000000001", "decimal(6,2)", FAILS),
    ("string", "1e-30", "decimal(6,2)", FAILS),
    ("string", "1e3", "decimal(6,2)", Decimal("1000.00")),
    ("string", "99999.00", "decimal(6,2)", FAILS),
    ("string", "9" * 38, "decimal(38,0)", Decimal("9" * 38)),
    ("string", "NaN", "double", "nan"),
    ("string", "-Infinity", "double", float("-inf")),
    ("string", "2026-07-01", "date", date(2026, 7, 1)),
    ("string", "July", "date", FAILS),
    ("string", "2026-07-01T14:00+02:00", "timestamp", NOON),
    ("string", "2026-07-01T12:00", "timestamp", NOON),
    ("string", "YWJj", "binary", bytearray(b"abc")),
    ("string", "%", "binary", FAILS),
    ("string", '["2026-07-01T12:00:00"]', "array<timestamp>", [NOON]),
    ("string", '{"a": 1', "struct<a:int>", FAILS),
    ("string", '{"a": "x"}', "struct<a:int>", FAILS),
    ("string", '["x"]', "array<int>", FAILS),
    ("string", '{"a": 1}', "map<string,int>", {"a": 1}),
    ("int", 1, "string", "1"),
    ("int", 5, "array<int>", FAILS),
    ("bigint", 2**31, "int", FAILS),
    ("bigint", 10**6, "decimal(6,2)", FAILS),
    ("double", 1.0, "int", 1),
    ("double", 1.5, "int", FAILS),
    ("double", float("nan"), "int", FAILS),
    ("double", 1.25, "decimal(6,2)", Decimal("1.25")),
    ("double", 1.255, "decimal(6,2)", FAILS),
    ("decimal(10,4)", Decimal("1.2500"), "decimal(6,2)", Decimal("1.25")),
    ("decimal(10,4)", Decimal("1.2501"), "decimal(6,2)", FAILS),
    ("decimal(10,4)", Decimal("1.2500"), "string", "1.2500"),
    ("decimal(38,10)", Decimal("1e-10"), "string", "0.0000000001"),
    ("timestamp", NOON, "string", "2026-07-01T12:00:00.000000Z"),
    ("timestamp", datetime(2026, 7, 1, 23, tzinfo=UTC), "date", date(2026, 7, 1)),
    ("timestamp", NOON, "int", FAILS),
    ("date", date(2026, 7, 1), "timestamp", datetime(2026, 7, 1, tzinfo=UTC)),
    ("boolean", True, "date", FAILS),
    ("array<int>", [1, None], "array<string>", ["1", None]),
    ("struct<at:timestamp,b:int>", (NOON, None), "string", '{"at":"2026-07-01T12:00:00.000000Z","b":null}'),
    ("struct<at:timestamp>", (NOON,), "map<string,timestamp>", {"at": NOON}),
    ("binary", bytearray(b"abc"), "int", FAILS),
]  # fmt: skip


def cell(value: Any) -> Any:
    """Instants as UTC and NaN as a word, so that the whole can be compared."""
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    if isinstance(value, list):
        return [cell(item) for item in value]
    if isinstance(value, dict):
        return {name: cell(item) for name, item in value.items()}
    return "nan" if value != value else value


@pytest.mark.parametrize(("zone", "ansi"), [("UTC", "true"), ("Asia/Tokyo", "false"), ("America/New_York", "true")])
def test_a_value_goes_whole_or_not_at_all(spark: SparkSession, zone: str, ansi: str) -> None:
    with session(spark, zone=zone, ansi=ansi):
        schema = ", ".join(f"c{number} {kind}" for number, (kind, *_) in enumerate(CASES))
        frame = spark.createDataFrame([tuple(value for _, value, _, _ in CASES), (None,) * len(CASES)], schema)
        casts = [cast(F.col(f"c{number}"), frame.schema[number].dataType, want) for number, (_, _, want, _) in enumerate(CASES)]
        columns = (c for n, each in enumerate(casts) for c in (each.value.alias(f"v{n}"), each.failed.alias(f"f{n}")))
        found, nulls = frame.select(*columns).collect()

    for number, (kind, value, want, expected) in enumerate(CASES):
        failed, got = found[f"f{number}"], found[f"v{number}"]
        assert (FAILS if failed else cell(got)) == expected, (kind, value, want, got)
        assert (nulls[f"f{number}"], nulls[f"v{number}"]) == (False, None), (kind, want)


LONDON = "Europe/London"
MOMENTS: list[tuple[str, Any, ColumnTime, str | None]] = [
    ("string", "2026-07-01", ColumnTime("t"), "2026-07-01T00:00:00"),
    ("string", "2026-07-01", ColumnTime("t", zone=LONDON), "2026-06-30T23:00:00"),
    ("string", "2026-07-01T09:00", ColumnTime("t", zone=LONDON), "2026-07-01T08:00:00"),
    ("string", "2026-07-01 09:00:01.5", ColumnTime("t", zone=LONDON), "2026-07-01T08:00:01.5"),
    ("string", "2026-07-01T09:00+02:00", ColumnTime("t", zone=LONDON), "2026-07-01T07:00:00"),
    ("string", "2026-07-01T09:00:00Z", ColumnTime("t", zone=LONDON), "2026-07-01T09:00:00"),
    ("string", "2026-07-01T09:00:00 America/New_York", ColumnTime("t"), "2026-07-01T13:00:00"),
    ("string", "01/07/2026 09:30", ColumnTime("t", "dd/MM/yyyy HH:mm", LONDON), "2026-07-01T08:30:00"),
    ("string", "01/07/2026 09:30 +0300", ColumnTime("t", "dd/MM/yyyy HH:mm xx", LONDON), "2026-07-01T06:30:00"),
    ("string", "2026-07-01", ColumnTime("t", "dd/MM/yyyy HH:mm", LONDON), None),
    ("string", "1782896400", ColumnTime("t", "unix"), "2026-07-01T09:00:00"),
    ("bigint", 1782896400123, ColumnTime("t", "unix_ms"), "2026-07-01T09:00:00.123"),
    ("bigint", 2**63 - 1, ColumnTime("t", "unix"), None),
    ("string", "9" * 31, ColumnTime("t", "unix"), None),
    ("double", float("nan"), ColumnTime("t", "unix"), None),
    ("date", date(2026, 7, 1), ColumnTime("t", zone=LONDON), "2026-06-30T23:00:00"),
    ("timestamp_ntz", datetime(2026, 7, 1, 9), ColumnTime("t", zone=LONDON), "2026-07-01T08:00:00"),  # noqa: DTZ001
    ("timestamp", NOON, ColumnTime("t", zone=LONDON), "2026-07-01T12:00:00"),
    ("int", 5, ColumnTime("t"), None),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "ansi"), [("UTC", "false"), ("Pacific/Auckland", "true"), ("America/Los_Angeles", "false")])
def test_a_moment_is_the_same_in_every_session(spark: SparkSession, zone: str, ansi: str) -> None:
    with session(spark, zone=zone, ansi=ansi):
        schema = ", ".join(f"c{number} {kind}" for number, (kind, *_) in enumerate(MOMENTS))
        frame = spark.createDataFrame([tuple(value for _, value, _, _ in MOMENTS)], schema)
        instants = [moment(F.col(f"c{n}"), frame.schema[n].dataType, spec=spec) for n, (_, _, spec, _) in enumerate(MOMENTS)]
        found = frame.select(*(F.unix_micros(instant) for instant in instants)).collect()[0]

    for micros, (kind, value, spec, expected) in zip(found, MOMENTS, strict=True):
        wanted = None if expected is None else round(datetime.fromisoformat(f"{expected}+00:00").timestamp() * 1e6)
        assert micros == wanted, (kind, value, spec)
