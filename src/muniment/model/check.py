"""Checks on rows before they enter; they mean the same in every family."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum


class OnFail(StrEnum):
    WARN = "warn"
    QUARANTINE = "quarantine"
    MARK = "mark"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class NotNull:
    attribute: str
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class Accepted:
    attribute: str
    values: tuple[object, ...]
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class Range:
    """The value lies between two bounds, both allowed."""

    attribute: str
    least: int | float | None = None
    greatest: int | float | None = None
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class Pattern:
    """The value's text matches a regular expression from end to end."""

    attribute: str
    expression: str
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class Unique:
    """No other row of the same delivery, or partition, has these values."""

    columns: tuple[str, ...]
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class Refers:
    """The value is there in a column of another table."""

    attribute: str
    table: str
    column: str
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class Fresh:
    """The newest row of a source is not older than that."""

    source: str
    within: timedelta
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class SqlCheck:
    """A predicate over key and attributes; null counts as passed, as in SQL's own CHECK."""

    predicate: str
    on_fail: OnFail = OnFail.WARN


Check = NotNull | Accepted | Range | Pattern | Unique | Refers | Fresh | SqlCheck


@dataclass(frozen=True, slots=True)
class RowBand:
    """The number of rows is not further than a share from the median of the last good partitions of the same role."""

    within: float
    last: int = 7
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class NullShare:
    """At most this share of the rows has no value there."""

    column: str
    most: float
    on_fail: OnFail = OnFail.WARN


@dataclass(frozen=True, slots=True)
class SameChecksum:
    """The rows are those of a table, or of the same partition of another series."""

    table: str | None = None
    series: str | None = None
    on_fail: OnFail = OnFail.WARN


SeriesCheck = Check | RowBand | NullShare | SameChecksum
