"""Checks that mark: what fails is landed and kept, never used, and somebody is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.model.attribute import KeyPart
from muniment.model.check import Fresh
from muniment.model.series import Role, Series
from muniment.series.checks import of_records
from muniment.series.errors import BuildStopped, NothingBuilt, PartitionStopped
from muniment.series.lineage import standing
from muniment.series.records import Partition

from tests.spark.series.conftest import Bank, day, ledgers, open_bank, seen

CHECKS = """\
columns: {balance: long, changed_at: string, seq: long}
checks:
  - {rows: {within: 0.5, last: 4}, on_fail: mark}
  - {null_share: {balance: 0.4}, on_fail: mark}
  - {sql: balance >= 0, on_fail: mark}
  - {unique: [account, seq], on_fail: mark}
  - {not_null: changed_at}
  - {accepted: {changed_at: ["09:00", "10:00"]}, on_fail: stop}
"""
SHADOW = "checks:\n  - {checksum: {series: checked}, on_fail: mark}\n  - {fresh: {source: dump, within: 1 day}, on_fail: warn}\n"

MIRROR = "checks:\n  - {checksum: {table: silver.checked}, on_fail: mark}\n  - {fresh: {source: delta, within: 1 day}, on_fail: mark}\n"


def delta(*values: int | None, changed_at: str | None = "09:00") -> list[dict[str, object]]:
    return [{"account": f"a{n}", "balance": value, "changed_at": changed_at, "seq": n} for n, value in enumerate(values)]


@pytest.fixture(scope="module")
def bank(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Bank:
    checked, shadow = ledgers("checked", more=CHECKS)[0], ledgers("shadow", more=SHADOW)[0]
    return open_bank(tmp_path_factory.mktemp("checks"), spark, checked, shadow, *ledgers("mirror", more=MIRROR))


def test_each_check_finds_what_it_is_for(bank: Bank) -> None:
    series = bank.series("checked")
    series.dump(delta(1, 2, 3, 4), day(1))
    for number in (2, 3, 4):
        assert series.delta(delta(1, 2, 3, number), day(number)).marked == ()
    assert series.delta(delta(1), day(5)).marked == ("rows: 1 rows, where 4 are usual",)
    assert series.delta(delta(1, None, None, 4), day(6)).marked == ("null_share balance: 2 of 4 rows",)
    assert series.delta(delta(1, 2, 3, -4), day(7)).marked == ("sql `balance` >= 0: 1 of 4 rows",)
    assert series.delta([*delta(1, 2, 3), *delta(9)], day(8)).marked == ("unique account, seq: 1 values are there more than once",)
    warned = series.delta(delta(1, 2, 3, 5, changed_at=None), day(9))
    assert (warned.marked, warned.messages) == ((), ("not_null changed_at: 4 of 4 rows",))
    with pytest.raises(PartitionStopped, match="accepted changed_at: 4 of 4 rows"):
        series.delta(delta(1, 2, 3, 4, changed_at="11:00"), day(10))
    assert [each.start.day for each in series.standing().of(Role.DELTA)] == [2, 3, 4, 5, 6, 7, 8, 9]
    made_by = {row["place"]: row["made_by"] for row in series.marks().collect()}
    assert made_by[f"delta {day(5)}"] == "check rows"
    assert [alert["kind"] for alert in bank.alerts()] == ["marked"] * 4


def test_what_a_check_marked_stops_the_build_until_somebody_says_that_it_is_good(bank: Bank) -> None:
    series = bank.series("checked")
    assert series.build(day(4)).rows == 4
    with pytest.raises(BuildStopped, match="1 rows, where 4 are usual"):
        series.build(day(5))
    assert seen(series)["a3"] == 4
    series.unmark("delta", day(5), "a holiday", by="jane")
    assert series.build(day(5)).rows == 4


def test_a_checksum_is_held_against_another_series_and_freshness_against_the_clock(bank: Bank) -> None:
    shadow = bank.series("shadow")
    assert shadow.dump(delta(1, 2, 3, 4), day(1)).marked == ()
    other = shadow.dump(delta(1, 2, 3, 5), day(1))
    assert other.marked[0].startswith("checksum checked: ")
    assert shadow.dump(delta(7), day(2)).marked == ()  # there is nothing to compare with
    built = shadow.build(day(2))
    assert (built.marked, built.messages) == ((), ())


def test_a_checksum_is_held_against_a_table_and_a_target_without_news_is_marked(bank: Bank) -> None:
    mirror, right = bank.series("mirror"), [row.asDict() for row in bank.project.table("silver.checked").collect()]
    assert mirror.dump(right, day(1)).marked == ()
    other = mirror.dump([*right[1:], {**right[0], "balance": 77}], day(2))
    assert (len(other.marked), other.marked[0].startswith("checksum silver.checked: ")) == (1, True)
    stale = mirror.build(day(1))
    assert stale.marked == ("fresh delta: no delta within 1 day",)
    with pytest.raises(NothingBuilt):
        mirror.read()
    assert bank.alerts()[-1]["text"].startswith(f"target {day(1)} is marked bad: fresh delta")


@pytest.mark.parametrize(("hours", "found"), [(23, []), (25, ["fresh dump: no dump within 1 day"])])
def test_freshness_is_the_time_since_something_was_last_heard(hours: int, found: list[str]) -> None:
    heard = datetime(2026, 3, 1, tzinfo=UTC)
    dump = Partition("d", Role.DUMP, heard, heard + timedelta(days=1), produced_at=heard)
    target = Partition("t", Role.TARGET, heard, heard + timedelta(days=1), base="d")
    ledger = Series("ledger", (KeyPart("account", "string"),), checks=(Fresh("dump", timedelta(days=1)),))
    told = of_records(ledger, target, standing([dump], []), now=heard + timedelta(hours=hours))
    assert list(map(str, told)) == found


def test_files_are_read_as_what_they_are(bank: Bank, tmp_path: Path) -> None:
    series = bank.series("checked")
    (tmp_path / "d.csv").write_text("account,balance,changed_at,seq\na0,1,09:00,1\na1,2,09:00,2\na2,3,10:00,3\n", encoding="utf-8")
    (tmp_path / "d.jsonl").write_text('{"account": "a0", "balance": 5, "changed_at": "09:00", "seq": 1}\n', encoding="utf-8")
    assert series.dump(tmp_path / "d.csv", day(20)).rows == 3
    assert series.dump(str(tmp_path / "d.jsonl"), day(21)).rows == 1
    assert series.build(day(20)).rows == 3
