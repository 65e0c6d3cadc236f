"""Timelines as short lines that a person can write by hand."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

Line = tuple[object, ...]


def day(number: int) -> str:
    """A day of March 2026."""
    return f"2026-03-{number:02d}"


def lines(versions: DataFrame, *names: str) -> list[Line]:
    """Key, source, first day, last day (None: open), then some columns; in the order of the chain."""
    ordered = versions.orderBy("id", "effective_from", "precedence_rank", "source_system")
    first, last = (
        F.to_date(F.from_utc_timestamp(F.col(name).cast("timestamp"), "UTC")).cast("string") for name in ("effective_from", "effective_to")
    )
    return [tuple(row) for row in ordered.select("id", "source_system", first, last, *names).collect()]


def of(found: Iterable[Line], *keys: str) -> list[Line]:
    """The lines of some keys."""
    return [line for line in found if line[0] in keys]
