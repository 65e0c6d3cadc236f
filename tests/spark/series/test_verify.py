"""`verify` holds every partition of a series against its record, and names rows that no record speaks of."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.faults.dying import die
from tests.spark.series.conftest import Bank, changes, day, ledgers, open_bank, rows, seen

COLUMNS = "columns: {balance: long, changed_at: string, seq: long}\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("verified")


@pytest.fixture(scope="module")
def bank(spark: SparkSession, root: Path) -> Bank:
    """Two days that are built, one of them with a column that came later."""
    first = open_bank(root, spark, *ledgers("ledger", more=COLUMNS)).series("ledger")
    dump = [{**row, "changed_at": None, "seq": None} for row in rows(a=1, b=2)]
    first.dump(dump, day(1))
    first.delta(changes(a=2), day(2))
    first.build(day(2))
    grown = open_bank(root, spark, *ledgers("ledger", more=COLUMNS.replace("}", ", branch: string}")))
    grown.series("ledger").delta([{**row, "branch": "York"} for row in changes(a=3, c=3)], day(3))
    grown.series("ledger").build(day(3))
    return grown


def problems(bank: Bank) -> list[tuple[str, str]]:
    return sorted((problem.check, problem.where) for problem in bank.project.verify("ledger").problems)


def test_what_was_landed_and_built_is_what_was_recorded_and_a_column_that_came_later_changes_no_checksum(bank: Bank) -> None:
    found = bank.project.verify("ledger")
    assert (found.ok, found.problems, found.checks[-2:]) == (True, (), ("partitions", "records"))
    assert {row["account"]: row["branch"] for row in bank.series("ledger").read().collect()} == {"a": "York", "b": None, "c": "York"}
    assert {row["account"]: row["branch"] for row in bank.project.table("silver.ledger").collect()} == {"a": "York", "b": None, "c": "York"}
    bank.series("ledger").mark("target", day(3), "to look further back", by="jane")
    assert {row["account"]: row["branch"] for row in bank.project.table("silver.ledger").collect()} == {"a": None, "b": None}
    bank.series("ledger").unmark("target", day(3), "seen", by="jane")


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_partition_that_was_begun_and_never_recorded_is_named_until_the_same_is_done_again(bank: Bank) -> None:
    ledger, more = bank.series("ledger"), [{**row, "branch": None} for row in changes(b=None)]
    die(lambda: ledger.delta(more, day(4)), at="series:after-rows")
    (problem,) = bank.project.verify("ledger").problems
    assert (problem.check, problem.detail) == (
        "records", f"delta {day(4)} was begun and never recorded: a process was killed; the same command again makes it",
    )  # fmt: skip
    ledger.delta(more, day(4))
    assert bank.project.verify("ledger").ok
    assert (ledger.build(day(4)).rows, len(seen(ledger))) == (2, 2)


def test_rows_that_somebody_edits_by_hand_are_found(bank: Bank) -> None:
    spark, folder = bank.project.spark, bank.root / "lake" / "silver"
    spark.sql(f"UPDATE delta.`{folder}/ledger_delta` SET balance = 99 WHERE account = 'c'")
    spark.sql(f"DELETE FROM delta.`{folder}/ledger_state` WHERE account = 'c'")
    assert problems(bank) == [
        ("partitions", f"ledger delta {day(3)}"),
        *(
            ("records", f"{name} version {bank.project.lake.table(name).version()}")
            for name in ("silver.ledger_delta", "silver.ledger_state")
        ),
    ]
    state = bank.project.lake.table("silver.ledger_state")
    for file in state.files(state.version() - 1):
        (folder / "ledger_state" / file.path).unlink()
    assert ("partitions", f"ledger target {day(4)}") in problems(bank)
