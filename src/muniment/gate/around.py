"""Checks that look beyond one row: at the other rows of a delivery, and at other tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.canon.hashes import listed, quoted
from muniment.model.check import Refers, Unique
from muniment.model.entity import Entity

SETS = "__sets"  # the names of the checks of this kind that the row fails
_FOUND = "__found"


def look_around(rows: DataFrame, tables: Mapping[str, DataFrame], *, entity: Entity) -> DataFrame:
    """Adds which of these checks each row fails, where there are such; `tables` are those that `refers_to` names. A null fails none."""
    found: list[tuple[Column, str]] = []
    for number, check in enumerate(entity.checks):
        if isinstance(check, Unique):
            same = Window.partitionBy(*map(quoted, check.columns))
            whole = reduce(and_, (quoted(name).isNotNull() for name in check.columns))
            rows = rows.withColumn(f"{_FOUND}{number}", whole & (F.count(F.lit(1)).over(same) > 1))
            found.append((quoted(f"{_FOUND}{number}"), f"unique {', '.join(check.columns)}"))
        if isinstance(check, Refers):
            rows = _meet(rows, tables[check.table], check, name=f"{_FOUND}{number}")
            lost = quoted(check.attribute).isNotNull() & quoted(f"{_FOUND}{number}").isNull()
            found.append((lost, f"reference {check.attribute}"))
    if not found:
        return rows
    return rows.withColumn(SETS, listed(found)).drop(*(f"{_FOUND}{number}" for number in range(len(entity.checks))))


def looks_around(entity: Entity) -> bool:
    """Whether it has such checks."""
    return any(isinstance(check, Unique | Refers) for check in entity.checks)


def refers_to(entity: Entity) -> tuple[str, ...]:
    """The tables that checks of an entity look at."""
    return tuple(dict.fromkeys(check.table for check in entity.checks if isinstance(check, Refers)))


def _meet(rows: DataFrame, table: DataFrame, check: Refers, *, name: str) -> DataFrame:
    there = table.select(quoted(check.column).alias("__there")).where(F.col("__there").isNotNull()).distinct().withColumn(name, F.lit(True))
    return rows.join(there, quoted(check.attribute) == F.col("__there"), "left").drop("__there")
