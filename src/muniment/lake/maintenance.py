"""Housekeeping that changes no row: fewer files, better order, no leftovers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import Row, SparkSession

from muniment.lake.errors import UnsafeRetention
from muniment.lake.location import quote
from muniment.lake.retry import with_retry
from muniment.lake.tables import Table

SMALL = 32 * 1024 * 1024
MANY = 64
LEAST_RETENTION = timedelta(days=7)
_CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"
_OPTIMIZE = "spark.databricks.delta.optimize"
_MOSTLY_GONE = "0.5"  # a file with fewer rows deleted is left as it is: deletes are a bit each in a vector


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
    """Join small files if there are many; in a table that is neither clustered nor ordered others stay: Delta by itself rewrites all below a gigabyte. `order`: near each other by it."""
    count = sum(1 for file in table.files() if (file.size or 0) < small)
    if count < many:
        return Compacted(table.name, count, skipped=True)
    with _settings(table.spark, {f"{_OPTIMIZE}.minFileSize": str(small), f"{_OPTIMIZE}.maxDeletedRowsRatio": _MOSTLY_GONE}):
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
    with _settings(table.spark, {_CHECK: "false"} if unsafe else {}):
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
def _settings(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Settings of Delta's own, only as long as it takes."""
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, was in before.items():
            spark.conf.unset(name) if was is None else spark.conf.set(name, was)
