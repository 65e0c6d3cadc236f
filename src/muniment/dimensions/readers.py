"""Reading a dimension: at a time, and beside facts."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def covers(moment: Column, *, of: str = "") -> Column:
    """The version holds at that moment: from is inside, to is not (R5); an open end is the sentinel, or null. `of` stands before the names."""
    start, end = F.col(f"{of}effective_from"), F.col(f"{of}effective_to")
    return (start <= moment) & (end.isNull() | F.col(f"{of}is_current") | (end > moment))
