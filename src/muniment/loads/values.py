"""Values of watermarks: read, written down, compared, and put into conditions, never as text that SQL would read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment import clock
from muniment.errors import BadArgument
from muniment.loads.recipe import instant

Value = datetime | date | int | float | Decimal | str
_READERS: dict[type[T.DataType], Callable[[str], Value]] = {
    T.TimestampType: clock.utc,
    T.TimestampNTZType: datetime.fromisoformat,
    T.DateType: date.fromisoformat,
    T.DecimalType: Decimal,
    T.FloatType: float,
    T.DoubleType: float,
    T.StringType: str,
    T.ByteType: int,
    T.ShortType: int,
    T.IntegerType: int,
    T.LongType: int,
}
_TIMES = (T.TimestampType, T.TimestampNTZType, T.DateType)


def can_mark(kind: T.DataType) -> bool:
    """Whether values of this type have an order that a watermark can follow."""
    return type(kind) in _READERS


def has_lag(kind: T.DataType) -> bool:
    """Whether one can go back from such a value by a duration."""
    return isinstance(kind, _TIMES)


def read_value(text: str, kind: T.DataType) -> Value:
    """A value from its text; a ValueError where it is none."""
    try:
        value = _READERS[type(kind)](text.strip())
    except (ValueError, InvalidOperation, BadArgument):
        raise ValueError(f"'{text}' is not a value of type {kind.simpleString()}") from None
    if isinstance(value, float | Decimal) and value != value:  # not a number has no place in an order
        raise ValueError("a watermark must be a number")
    return value


def write_value(value: Any, kind: T.DataType) -> str:
    """The text that `read_value` reads."""
    if isinstance(kind, T.StringType):
        return str(value)
    return value.isoformat() if isinstance(value, datetime | date) else str(value)


def back(value: Value, lag: timedelta | None) -> Value:
    """The value, less the lag; a day less begins any part of it."""
    if lag is None or not isinstance(value, date):
        return value
    return value - (lag if isinstance(value, datetime) else timedelta(days=-(-lag // timedelta(days=1))))


def literal(value: Value, kind: T.DataType) -> Column:
    """The value as a column of its type."""
    if isinstance(kind, T.TimestampType) and isinstance(value, datetime):
        return instant(value)
    return F.lit(write_value(value, kind)).cast(kind)


def highest(column: Column, kind: T.DataType) -> Column:
    """The largest value of a column, as text or microseconds that `from_highest` reads."""
    largest = F.max(column)
    return F.unix_micros(largest).cast("string") if isinstance(kind, T.TimestampType) else largest.cast("string")


def from_highest(text: str | None, kind: T.DataType) -> Value | None:
    """What `highest` found, or nothing; not a number is Spark's largest number, and no place to have read to."""
    if text is None or (text == "NaN" and not isinstance(kind, T.StringType)):
        return None
    return clock.from_micros(int(text)) if isinstance(kind, T.TimestampType) else read_value(text, kind)
