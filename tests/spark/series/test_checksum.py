"""Checksums and comparison: equal multisets are equal however they lie, everything else is different and says where."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from muniment.series.checksum import Sums, sums_of
from muniment.steps.series_compare import Difference, compare

SCHEMA = "account string, name string, other string, balance decimal(12,2)"
ROWS = [(f"a{number}", f"n{number}", None if number % 3 else "x", number) for number in range(40)]


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    return _frame(spark, ROWS)


def _frame(spark: SparkSession, rows: Sequence[tuple[object, ...]]) -> DataFrame:
    return spark.createDataFrame([(*row[:-1], Decimal(str(row[-1]))) for row in rows], SCHEMA)


def test_order_and_files_make_no_difference(frame: DataFrame, spark: SparkSession, tmp_path: Path) -> None:
    wanted = sums_of(frame)
    assert wanted.rows == len(ROWS)
    frame.orderBy(frame["name"].desc()).repartition(5).write.parquet(str(tmp_path / "five"))
    assert sums_of(spark.read.parquet(str(tmp_path / "five"))) == wanted
    assert sums_of(frame.limit(0)) == Sums()


OTHERS: dict[str, Sequence[tuple[object, ...]]] = {
    "one row changed": [("a0", "N0", "x", 0), *ROWS[1:]],
    "one row lost": ROWS[1:],
    "one row doubled": [*ROWS, ROWS[0]],
    "two rows doubled": [*ROWS, ROWS[0], ROWS[1]],
    "one row doubled and another lost": [*ROWS[1:], ROWS[5]],
    "the same row twice more": [*ROWS, ROWS[0], ROWS[0]],
    "two columns swapped in a row": [("a0", "x", "n0", 0), *ROWS[1:]],
    "a null that is an empty text": [*ROWS[:1], ("a1", "n1", "", 1), *ROWS[2:]],
    "values of two rows exchanged": [("a0", "n1", "x", 0), ("a1", "n0", None, 1), *ROWS[2:]],
}


def test_every_other_multiset_has_another_checksum(frame: DataFrame, spark: SparkSession) -> None:
    sums = {title: sums_of(_frame(spark, rows)).checksum for title, rows in OTHERS.items()}
    sums["as it is"] = sums_of(frame).checksum
    assert len(set(sums.values())) == len(OTHERS) + 1


def test_sums_can_be_taken_off_and_added(frame: DataFrame, spark: SparkSession) -> None:
    first, rest = sums_of(_frame(spark, ROWS[:1])), sums_of(_frame(spark, ROWS[1:]))
    assert (first + rest, sums_of(frame) - rest) == (sums_of(frame), first)


def test_rows_that_differ_are_shown_by_key_and_column(frame: DataFrame, spark: SparkSession) -> None:
    rows = [("a0", "N0", "x", 0.5), *ROWS[2:], ("a2", "n2", None, 2), ("z", "new", None, 1)]
    found = compare(frame, _frame(spark, rows), key=["account"])
    assert (found.equal, found.rows, found.differing) == (False, (40, 41), 4)
    assert set(found.examples) == {
        Difference("account a0", "name", "n0", "N0"),
        Difference("account a0", "balance", "0.00", "0.50"),
        Difference("account a1", None, None, None, (1, 0)),
        Difference("account a2", None, None, None, (1, 2)),
        Difference("account z", None, None, None, (0, 1)),
    }


def test_other_columns_are_told_before_any_checksum(frame: DataFrame) -> None:
    turned = frame.select("account", "other", "name", "balance")
    renamed = frame.withColumnRenamed("name", "label")
    wider = frame.withColumn("balance", frame["balance"].cast("decimal(14,2)"))
    told = {kind: compare(frame, other, key=["account"]) for kind, other in (("turned", turned), ("named", renamed), ("typed", wider))}
    assert [each.checksums for each in told.values()] == [None, None, None]
    assert {kind: each.columns for kind, each in told.items()} == {
        "turned": ("the order is account, name, other, balance and account, other, name, balance",),
        "named": ("'name' is only on the left", "'label' is only on the right"),
        "typed": ("'balance' is decimal(12,2) and decimal(14,2)",),
    }
