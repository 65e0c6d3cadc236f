"""Rows that go and rows that come, in one commit (R24)."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event, Thread

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from muniment.columns import Col
from muniment.lake.changes import On, Replacement, Using, Where
from muniment.lake.errors import Outrun, WriteConflict
from muniment.lake.retry import with_retry
from muniment.lake.tables import Lake, Table

from tests.faults.gate import Gate

HISTORY = (Col("k", "bigint", ""), Col("v", "string", ""), Col("is_head", "boolean", ""))
THIRD = Where("is_head and k = 3")
WAYS = (Where("is_head and k in (3, 4)"), On("t.is_head and t.k = s.k"), Using(("k", "is_head")))


def heads(spark: SparkSession, *values: tuple[int, str]) -> DataFrame:
    return spark.createDataFrame([(k, v, True) for k, v in values], "k bigint, v string, is_head boolean").coalesce(1)


@pytest.fixture
def history(lake: Lake, spark: SparkSession) -> Table:
    table = lake.table("bronze.customer_history")
    table.create(HISTORY, partition=["is_head"])
    table.append(heads(spark, *((k, "old") for k in range(200))), txn="start")
    return table


def values(table: Table, *keys: int) -> list[tuple[int, str]]:
    return sorted((row["k"], row["v"]) for row in table.read().collect() if row["k"] in keys)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: type(way).__name__)
def test_a_replacement_is_one_commit_that_keeps_the_other_rows_in_their_file(history: Table, spark: SparkSession, way: Replacement) -> None:
    before = history.version()

    commit = history.replace(heads(spark, (3, "new"), (4, "new")), where=way, txn="derive", txn_version=1, metadata={"position": 5})

    assert history.version() == commit.version == before + 1
    assert commit.metadata == {"position": 5}
    assert values(history, 2, 3, 4, 5) == [(2, "old"), (3, "new"), (4, "new"), (5, "old")]
    assert history.read().count() == 200
    assert _vectors(history, commit.version) == 1
    assert [file.path for file in history.added_files(commit.version)] != []
    assert {file.path for file in history.added_files(before)} <= {file.path for file in history.files()}


def test_a_version_of_a_transaction_that_was_seen_changes_nothing(history: Table, spark: SparkSession) -> None:
    way = Where("is_head and k = 3")
    second = history.replace(heads(spark, (3, "second")), where=way, txn="derive", txn_version=2)

    again = history.replace(heads(spark, (3, "again")), where=way, txn="derive", txn_version=2)
    older = history.replace(heads(spark, (3, "older")), where=way, txn="derive", txn_version=1)

    assert (again.repeated, older.repeated) == (True, True)
    assert again.version == older.version == second.version
    assert values(history, 3) == [(3, "second")]


def test_an_overwrite_leaves_only_the_new_rows(history: Table, spark: SparkSession) -> None:
    commit = history.overwrite(heads(spark, (1, "only")), txn="rebuild", txn_version=1, metadata={"position": 1})

    assert [tuple(row) for row in history.read().collect()] == [(1, "only", True)]
    assert commit.metadata == {"position": 1}


def test_a_row_that_does_not_match_its_own_predicate_is_refused_whole(history: Table, spark: SparkSession) -> None:
    before = history.version()

    with pytest.raises(PySparkException, match="DELTA_REPLACE_WHERE_MISMATCH"):
        history.replace(heads(spark, (3, "new"), (9, "stray")), where=Where("is_head and k = 3"), txn="derive", txn_version=1)

    assert history.version() == before


def test_a_reader_that_looks_all_the_time_never_sees_a_key_without_a_row_or_with_two(history: Table, spark: SparkSession) -> None:
    seen: list[list[str]] = []
    done = Event()

    def look() -> None:
        while not done.is_set():
            seen.append([row["v"] for row in history.read().where("k = 3").collect()])

    reader = Thread(target=look, daemon=True)
    reader.start()
    try:
        for number in range(6):
            change = heads(spark, (3, f"new {number}"))
            history.replace(change, where=WAYS[number % len(WAYS)], txn="derive", txn_version=number + 1)
    finally:
        done.set()
        reader.join()

    assert {len(found) for found in seen} == {1}
    assert len({found[0] for found in seen}) > 1


def test_a_real_conflict_is_tried_again_from_a_fresh_read(history: Table, spark: SparkSession, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    reads: list[str] = []
    pauses: list[float] = []

    def attempt() -> None:
        (row,) = history.read(history.version()).where("k = 3").collect()
        reads.append(row["v"])
        change = heads(spark, (3, row["v"] + "+mine"))
        history.replace(gate.hold(change, "v") if len(reads) == 1 else change, where=THIRD, txn="mine", txn_version=1)

    def meanwhile() -> None:
        gate.wait_until_reached()
        history.replace(heads(spark, (3, "old+theirs")), where=THIRD, txn="theirs", txn_version=1)
        gate.open()

    other = Thread(target=meanwhile, daemon=True)
    other.start()
    with_retry(attempt, pause=pauses.append)
    other.join()

    assert reads == ["old", "old+theirs"]
    assert len(pauses) == 1
    assert values(history, 3) == [(3, "old+theirs+mine")]


def test_a_conflict_that_never_ends_says_what_met(history: Table, spark: SparkSession, tmp_path: Path) -> None:
    gate = Gate(tmp_path)

    def attempt() -> None:
        history.replace(gate.hold(heads(spark, (3, "mine")), "v"), where=THIRD, txn="mine", txn_version=1)

    def meanwhile() -> None:
        gate.wait_until_reached()
        history.replace(heads(spark, (3, "theirs")), where=THIRD, txn="theirs", txn_version=1)
        gate.open()

    other = Thread(target=meanwhile, daemon=True)
    other.start()
    with pytest.raises(WriteConflict, match=r"DELTA_CONCURRENT_\w+") as refused:
        with_retry(attempt, attempts=1)
    other.join()

    assert refused.value.exit_code == 4
    assert values(history, 3) == [(3, "theirs")]


def test_writers_that_count_the_same_row_up_lose_nothing(history: Table, spark: SparkSession) -> None:
    history.replace(heads(spark, (3, "0")), where=THIRD, txn="count", txn_version=1, metadata={"number": 1})

    def count_up() -> None:
        number = int(history.last_metadata("number") or 0) + 1
        (row,) = history.read(history.version()).where("k = 3").collect()
        change = heads(spark, (3, str(int(row["v"]) + 1)))
        made = history.replace(change, where=THIRD, txn="count", txn_version=number, metadata={"number": number})
        if made.repeated:
            raise Outrun(table=history.name, txn="count", txn_version=number)

    def work() -> None:
        for _ in range(2):
            with_retry(count_up, attempts=20)

    threads = [Thread(target=work, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert values(history, 3) == [(3, "4")]


def test_an_error_that_is_no_conflict_is_not_tried_again(history: Table, spark: SparkSession) -> None:
    attempts: list[int] = []

    def attempt() -> None:
        attempts.append(1)
        history.replace(heads(spark, (9, "stray")), where=THIRD, txn="mine", txn_version=1)

    with pytest.raises(PySparkException, match="DELTA_REPLACE_WHERE_MISMATCH"):
        with_retry(attempt)
    assert len(attempts) == 1


def _vectors(table: Table, version: int) -> int:
    entry = Path(table.root(), "_delta_log", f"{version:020}.json")
    actions = [json.loads(line) for line in entry.read_text(encoding="utf-8").splitlines()]
    return sum(1 for action in actions if action.get("add", {}).get("deletionVector"))
