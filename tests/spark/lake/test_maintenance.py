"""Housekeeping changes no row, and takes no file that a reader may need."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pyspark.sql import SparkSession

from muniment.columns import Col
from muniment.lake.errors import UnsafeRetention
from muniment.lake.maintenance import Compacted, Vacuumed, compact, recluster, vacuum
from muniment.lake.tables import Lake, Table


@pytest.fixture
def log(lake: Lake, spark: SparkSession) -> Table:
    """Nine rows in three commits of one file each."""
    table = lake.table("bronze.customer_log")
    table.create((Col("k", "bigint", ""), Col("v", "string", "")), cluster=["k"])
    for number in range(3):
        rows = spark.range(3).selectExpr("id AS k", f"'{number}' AS v").coalesce(1)
        table.append(rows, txn=f"run {number}")
    return table


def content(table: Table) -> list[tuple[int, str]]:
    return sorted((row["k"], row["v"]) for row in table.read().collect())


def test_compaction_joins_small_files_and_keeps_every_row(log: Table) -> None:
    before = content(log)

    done = compact(log, many=3)

    assert done == Compacted("bronze.customer_log", small_files=3, removed=3, added=1)
    assert len(log.files()) == 1
    assert content(log) == before


def test_compaction_leaves_files_that_are_not_small_as_they_are(lake: Lake, spark: SparkSession) -> None:
    table = lake.table("bronze.customer_history")
    table.create((Col("k", "bigint", ""), Col("v", "string", "")))
    for number, rows in enumerate((20_000, 3, 3)):
        table.append(spark.range(rows).selectExpr("id AS k", "uuid() AS v").coalesce(1), txn=f"run {number}")
    before = content(table)
    (large,) = (file for file in table.files() if (file.size or 0) > 100_000)

    done = compact(table, many=2, small=100_000)

    assert (done.small_files, done.removed, done.added) == (2, 2, 1)
    assert large in table.files()
    assert content(table) == before
    assert spark.conf.get("spark.databricks.delta.optimize.minFileSize") == str(1024**3)  # Delta's own again


def test_compaction_is_skipped_where_small_files_are_few(log: Table) -> None:
    before = log.version()

    done = compact(log, many=4)

    assert done == Compacted("bronze.customer_log", small_files=3, skipped=True)
    assert log.version() == before


def test_reclustering_keeps_every_row(log: Table) -> None:
    before = content(log)

    done = recluster(log)

    assert (done.removed, done.added) == (3, 1)
    assert content(log) == before


@pytest.mark.parametrize("dry_run", [True, False])
def test_vacuum_refuses_to_take_what_is_younger_than_a_week(log: Table, dry_run: bool) -> None:
    with pytest.raises(UnsafeRetention, match=r"7 days.*6 days"):
        vacuum(log, retention=timedelta(days=6), dry_run=dry_run)


def test_vacuum_takes_only_files_that_no_kept_version_needs(log: Table, spark: SparkSession) -> None:
    before = content(log)
    compact(log, many=3)

    assert vacuum(log) == Vacuumed("bronze.customer_log", files=0, dry_run=True)
    assert vacuum(log, retention=timedelta(0), dry_run=False, unsafe=True) == Vacuumed("bronze.customer_log", files=3, dry_run=False)
    assert content(log) == before
    assert spark.conf.get("spark.databricks.delta.retentionDurationCheck.enabled") == "true"
