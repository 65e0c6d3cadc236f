"""Tables of loads as short lines that a person can write by hand."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.project import Project

Line = tuple[object, ...]


def day(number: int) -> str:
    """A day of March 2026."""
    return f"2026-03-{number:02d}"


def days(name: str) -> Column:
    """A time as the day of March that it is."""
    return F.dayofmonth(F.from_utc_timestamp(F.col(name), "UTC")).alias(name)


def lines(project: Project, name: str, *columns: str) -> list[Line]:
    """All rows of a load's table, sorted; times as days of March."""
    frame = project.table(f"silver.{name}")
    kinds = dict(frame.dtypes)
    rows = frame.select(*(days(each) if kinds[each] == "timestamp" else F.col(each) for each in columns)).collect()
    return sorted((tuple(row) for row in rows), key=lambda line: [(value is not None, str(value)) for value in line])


def counts(project: Project, name: str, data: object, at: int | str) -> tuple[int, ...]:
    """Load a slice; inserted, updated, unchanged, deleted, ignored, inferred deletes; and the identity holds whatever came."""
    done = project.load(name, data, at=day(at) if isinstance(at, int) else at)
    found = (done.inserted, done.updated, done.unchanged, done.deleted, done.ignored)
    assert done.received == sum(found)
    return (*found, done.inferred_deletes)
