"""Reading a dimension: at a time, and beside facts."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.model.dimension import Dimension


def covers(moment: Column, *, dimension: Dimension, of: str = "") -> Column:
    """The version holds at that moment: from is inside, to is not (R5); an open end is the sentinel, or null."""
    start, end = F.col(f"{of}effective_from"), F.col(f"{of}effective_to")
    return (start <= moment) & (end.isNull() | F.col(f"{of}is_current") | (end > moment))
