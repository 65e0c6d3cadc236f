"""Two sets side by side, as a library function."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from pyspark.sql import DataFrame, SparkSession

from muniment.captures.diff import Diff, DiffSpec, Exactly, Scaled, diff

COLUMNS = "exchange string, symbol string, tick double, fee decimal(12,4), lot int, name string"
SPEC = DiffSpec(("exchange", "symbol"), ("tick", "fee", "lot"), {"tick": Scaled(10), "fee": Exactly(2)}, scope=("exchange",))
BEFORE = [
    ("X", "A", 0.3, Decimal("1.2300"), 1, "old name"),
    ("X", "B", 1e-10, Decimal("1.2300"), None, None),
    ("X", "C", 0.5, Decimal("1.2300"), 1, None),
    ("X", "G", 0.5, None, 1, None),
    ("Y", "D", 0.5, None, 1, None),
    ("Y", "H", 0.5, None, 1, None),
]
AFTER = [
    ("X", "A", 0.1 * 3, Decimal("1.2349"), 1, "new name"),  # the fee to two places, the tick to ten, the name not at all
    ("X", "B", 1.6e-10, Decimal("1.24"), 5, None),  # all three
    ("X", "E", 0.5, None, 1, None),
    ("X", "C", 0.5, Decimal("1.2300"), 1, None),
]
GONE = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> Diff:
    delisted = spark.createDataFrame([("Y", "H", GONE), ("X", "C", GONE)], "exchange string, symbol string, delisted_at timestamp")
    return diff(spark.createDataFrame(BEFORE, COLUMNS), spark.createDataFrame(AFTER, COLUMNS), SPEC, delisted=delisted)


def symbols(frame: DataFrame) -> list[str]:
    return sorted(row["symbol"] for row in frame.select("symbol").collect())


def test_each_key_is_in_one_part_and_each_column_is_compared_in_its_own_way(found: Diff) -> None:
    assert (symbols(found.new), symbols(found.unchanged)) == (["E"], ["A", "C"])
    (row,) = found.modified.collect()
    changed = {name: (pair["old"], pair["new"]) for name, pair in row["changed"].items()}
    assert (row["symbol"], changed) == ("B", {"tick": ("1.0E-10", "1.6E-10"), "fee": ("1.2300", "1.2400"), "lot": (None, "5")})
    assert (row["old"]["lot"], row["new"]["lot"]) == (None, 5)


def test_only_scopes_that_were_received_lack_a_key_a_list_of_delistings_has_its_own_dates_and_a_key_in_both_is_a_conflict(
    found: Diff,
) -> None:
    ended = {row["symbol"]: row["delisted_at"] for row in found.delisted.select("symbol", "delisted_at").collect()}
    assert ended.keys() == {"G", "H"}  # D is of an exchange that nobody asked
    assert (ended["G"], ended["H"] is not None) == (None, True)
    assert symbols(found.conflicts) == ["C"]
    assert found.counts() == {"new": 1, "modified": 1, "delisted": 2, "unchanged": 2, "conflicts": 1}


def test_without_a_previous_set_all_is_new(spark: SparkSession) -> None:
    current = spark.createDataFrame(AFTER, COLUMNS)
    assert diff(None, current, SPEC).counts() == {"new": 4, "modified": 0, "delisted": 0, "unchanged": 0, "conflicts": 0}


def test_a_column_that_one_side_lacks_says_nothing(spark: SparkSession) -> None:
    current = spark.createDataFrame(AFTER, COLUMNS)
    assert diff(current.drop("tick"), current, DiffSpec(("symbol",))).counts()["unchanged"] == 4
