"""Housekeeping that changes no row: fewer files, better order, no leftovers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import Row, SparkSession

from muniment.lake.errors import UnsafeRetention
from muniment.lake.location import quote
from muniment.lake.retry import with_retry
from muniment.lake.tables import Table

SMALL = 32 * 1024 * 1024
MANY = 200
LEAST_RETENTION = timedelta(days=7)
_CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction did; nothing, where the small files were too few to matter."""

    table: str
    small_files: int
    removed: int = 0
    added: int = 0
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """Files that no kept version needs: listed in a dry run, deleted otherwise."""

    table: str
    files: int
    dry_run: bool


def compact(table: Table, *, many: int = MANY, small: int = SMALL, order: str | None = None) -> Compacted:
    """Join small files if there are many; at a hundred it gave nothing, so it goes by what is counted. `order`: near each other by this column."""
    count = sum(1 for file in table.files() if (file.size or 0) < small)
    if count < many:
        return Compacted(table.name, count, skipped=True)
    return _optimize(table, small_files=count, how=f" ZORDER BY ({quote(order)})" if order else "")


def recluster(table: Table) -> Compacted:
    """Bring the whole table into the order it is clustered by."""
    count = sum(1 for file in table.files() if (file.size or 0) < SMALL)
    return _optimize(table, small_files=count, how=" FULL" if _clustered(table) else "")


def vacuum(table: Table, *, retention: timedelta = LEAST_RETENTION, dry_run: bool = True, unsafe: bool = False) -> Vacuumed:
    """Delete files that no version younger than `retention` needs; less than a week is refused, because readers may be at work."""
    if retention < LEAST_RETENTION and not unsafe:
        raise UnsafeRetention(table=table.name, least=f"{LEAST_RETENTION.days} days", asked=retention)
    hours = retention / timedelta(hours=1)
    statement = f"VACUUM {table.identifier} RETAIN {hours:f} HOURS"
    with _retention_check(table.spark, off=unsafe):
        listed = table.spark.sql(f"{statement} DRY RUN").collect()
        if not dry_run:
            table.spark.sql(statement)
    return Vacuumed(table.name, _files(listed), dry_run)


def _optimize(table: Table, *, small_files: int, how: str) -> Compacted:
    row = with_retry(lambda: table.spark.sql(f"OPTIMIZE {table.identifier}{how}").first())
    metrics = row["metrics"] if row else Row(numFilesRemoved=0, numFilesAdded=0)
    return Compacted(table.name, small_files, removed=metrics["numFilesRemoved"], added=metrics["numFilesAdded"])


def _clustered(table: Table) -> bool:
    detail = table.spark.sql(f"DESCRIBE DETAIL {table.identifier}").select("clusteringColumns").first()
    return bool(detail and detail["clusteringColumns"])


def _files(listed: list[Row]) -> int:
    return sum(1 for row in listed if row["path"])


@contextmanager
def _retention_check(spark: SparkSession, *, off: bool) -> Iterator[None]:
    """Delta's own check, off only as long as it takes."""
    before = spark.conf.get(_CHECK, None)
    if off:
        spark.conf.set(_CHECK, "false")
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(_CHECK)
        else:
            spark.conf.set(_CHECK, before)
