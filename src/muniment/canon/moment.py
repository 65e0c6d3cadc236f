"""A time that is another in each run, for plans that are the same in all of them.

Spark writes a time that stands in a plan into the code it compiles: each run would compile the same code anew, and run it cold. To what is in an
array that code only refers.
"""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import Column
from pyspark.sql import functions as F


def of_run(moment: datetime | None, *, beside: Column) -> Column:
    """The time, twice in an array: which of the two is taken goes by a column of data, so that Spark does not work the value out beforehand."""
    value = F.lit(moment).cast("timestamp")
    return F.get(F.array(value, value), beside.isNull().cast("int"))
