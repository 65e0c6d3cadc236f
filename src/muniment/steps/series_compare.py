"""Compare two tables: columns first, then counts and checksums, and only where these differ the rows, by key and column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from muniment.series.checksum import sums_of
from muniment.series.differences import column_problems, differing

EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that differs: a row that one side lacks has no column."""

    key: str
    column: str | None
    left: str | None
    right: str | None
    rows: tuple[int, int] = (1, 1)  # how often the row is there


@dataclass(frozen=True, slots=True)
class Compared:
    """Two tables held against each other; with other columns there are no checksums to speak of."""

    equal: bool
    rows: tuple[int, int] | None = None
    checksums: tuple[str, str] | None = None
    columns: tuple[str, ...] = ()  # what is different about the columns
    differing: int = 0  # keys with a difference
    examples: tuple[Difference, ...] = ()


def compare(left: DataFrame, right: DataFrame, *, key: Sequence[str], examples: int = EXAMPLES) -> Compared:
    """Whether two frames hold the same rows, as often each, in whatever order."""
    problems = column_problems(left, right)
    if problems:
        return Compared(False, columns=tuple(problems))
    ours, theirs = sums_of(left), sums_of(right)
    rows, checksums = (ours.rows, theirs.rows), (ours.checksum, theirs.checksum)
    if checksums[0] == checksums[1]:
        return Compared(True, rows, checksums)
    found = differing(left, right, key=key)
    shown = found.orderBy("key").limit(examples).collect()
    told = [one for row in shown for one in _told(row.asDict(recursive=True))]
    return Compared(False, rows, checksums, (), found.count(), tuple(told))


def _told(row: dict[str, object]) -> list[Difference]:
    counts = (int(str(row["left_rows"])), int(str(row["right_rows"])))
    columns = row["columns"]
    if not isinstance(columns, list) or not columns or 0 in counts:
        return [Difference(str(row["key"]), None, None, None, counts)]
    return [Difference(str(row["key"]), each["name"], each["left"], each["right"], counts) for each in columns]
