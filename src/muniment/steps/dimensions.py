"""Reading dimensions, alone and beside facts; all of it lazy."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.dimensions.readers import covers
from muniment.lake.tables import Lake
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import dimension_name


def dimension(lake: Lake, spec: Dimension, *, as_of: datetime | None = None) -> DataFrame:
    """All versions, or those that hold at a time."""
    rows = lake.table(dimension_name(spec)).read()
    return rows if as_of is None else rows.where(covers(F.lit(as_of), dimension=spec))
