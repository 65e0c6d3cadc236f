"""Values of watermarks are read by their type or refused; nothing of them is ever text that SQL reads."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from pyspark.sql import types as T

from muniment.loads.ranges import within
from muniment.loads.values import Value, back, can_mark, read_value, write_value

INJECTION = "2026-01-01' OR '1'='1"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("2026-03-01T10:00+01:00", T.TimestampType(), datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01T09:00", T.TimestampType(), datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01", T.DateType(), date(2026, 3, 1)),
        ("2026-03-01T09:00:00", T.TimestampNTZType(), datetime(2026, 3, 1, 9)),  # noqa: DTZ001 - it has no zone
        ("17", T.LongType(), 17),
        ("1.50", T.DecimalType(8, 2), Decimal("1.50")),
        ("it's", T.StringType(), "it's"),
    ],
)
def test_a_value_is_read_by_the_type_of_its_column_and_written_down_so_that_it_is_read_again(
    text: str, kind: T.DataType, value: Value
) -> None:
    assert read_value(text, kind) == value
    assert read_value(write_value(value, kind), kind) == value


@pytest.mark.parametrize("kind", [T.TimestampType(), T.DateType(), T.LongType(), T.DecimalType(8, 2), T.DoubleType(), T.TimestampNTZType()])
@pytest.mark.parametrize("text", [INJECTION, "1; DROP TABLE x", "", "NaN", "none"])
def test_what_is_no_value_of_the_type_is_refused(text: str, kind: T.DataType) -> None:
    with pytest.raises(ValueError, match=r"is not a value of type|must be a number"):
        read_value(text, kind)


def test_a_lag_goes_back_by_at_least_what_it_says() -> None:
    hour = timedelta(hours=1)
    assert back(datetime(2026, 3, 1, 9, tzinfo=UTC), hour) == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert back(date(2026, 3, 2), hour) == date(2026, 3, 1)
    assert back(17, None) == 17


def test_maps_and_truths_have_no_order() -> None:
    assert not can_mark(T.BooleanType())
    assert not can_mark(T.ArrayType(T.StringType()))


def test_a_range_of_keys_holds_only_what_every_session_reads_in_one_way() -> None:
    kinds = {"n": T.LongType(), "d": T.DateType(), "s": T.StringType()}
    assert within({"n": ("-3", "3"), "d": ("2026-01-01", "2026-01-04")}, kinds) == (
        "`n` BETWEEN -3 AND 3 AND `d` BETWEEN DATE'2026-01-01' AND DATE'2026-01-04'"
    )
    assert within({"s": ("A-1", "B 2")}, kinds, alias="t.") == "t.`s` BETWEEN 'A-1' AND 'B 2'"
    assert within({"d": ("0000-12-31", "2026-01-04")}, kinds) == "true"
    assert within({"s": ("a' OR true --", "b")}, kinds) == "true"
    assert within({"s": ("a\\", "b")}, kinds) == "true"


def test_a_wide_range_is_rounded_outwards_so_that_slices_alike_need_no_new_code() -> None:
    kinds = {"n": T.LongType(), "d": T.DateType()}
    one, other = (within({"n": ends}, kinds) for ends in (("17", "1999983"), ("3", "2001234")))
    assert one == other == "`n` BETWEEN 0 AND 2097152"
    edge = str(2**63 - 1)
    assert within({"n": (str(-(2**63)), edge)}, kinds) == f"`n` BETWEEN {-(2**63)} AND {edge}"
    assert within({"d": ("0001-01-01", "9999-12-31")}, kinds) == "`d` BETWEEN DATE'0001-01-01' AND DATE'9999-12-31'"
