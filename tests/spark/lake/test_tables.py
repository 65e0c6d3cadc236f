"""Tables: making, growing, appending, reading back what was said of a commit."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest
from pyspark.sql import DataFrame, SparkSession

from muniment import clock
from muniment.columns import Col
from muniment.lake.errors import BadTableName, ColumnTypeChanged, TableMissing, VersionGone
from muniment.lake.location import Location
from muniment.lake.tables import Lake, Table

LOG = (Col("k", "bigint", "It's the key"), Col("v", "string", "What \\ was said"))


@pytest.fixture
def log(lake: Lake) -> Table:
    table = lake.table("bronze.customer_log")
    table.create(LOG, comment="All that was said of 'customers'")
    return table


def rows(spark: SparkSession, *values: tuple[int, str]) -> DataFrame:
    return spark.createDataFrame(list(values), "k bigint, v string")


def content(table: Table, version: int | None = None) -> list[tuple[int, str]]:
    return sorted((row["k"], row["v"]) for row in table.read(version).collect())


def in_threads(*jobs: object) -> list[BaseException]:
    """Run jobs at the same moment; what went wrong in any of them."""
    start, errors = Barrier(len(jobs)), list[BaseException]()

    def run(job: object) -> None:
        try:
            start.wait()
            assert callable(job)
            job()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            errors.append(error)

    threads = [Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_a_table_that_was_not_made_does_not_exist_and_says_so_when_read(lake: Lake) -> None:
    table = lake.table("bronze.customer_log")

    assert not table.exists()
    assert lake.names() == []
    with pytest.raises(TableMissing, match=r"bronze\.customer_log"):
        table.read()


def test_a_table_is_made_with_the_comments_that_people_read(log: Table, spark: SparkSession) -> None:
    detail = spark.sql(f"DESCRIBE DETAIL {log.identifier}").collect()[0]

    assert log.exists()
    assert [(field.name, field.metadata["comment"]) for field in log.read().schema] == [("k", "It's the key"), ("v", "What \\ was said")]
    assert detail["description"] == "All that was said of 'customers'"
    assert detail["properties"]["delta.enableDeletionVectors"] == "true"


def test_nothing_is_written_outside_the_lakes_folder(log: Table, lake: Lake, tmp_path: Path) -> None:
    assert lake.location.local_folder is not None
    assert [entry.name for entry in tmp_path.iterdir()] == [lake.location.local_folder.name]
    assert (lake.location.local_folder / "bronze" / "customer_log" / "_delta_log").is_dir()


@pytest.mark.parametrize("name", ["customer_log", "bronze.a.b", "bronze.../../x", "bronze.a`b", ""])
def test_a_name_that_could_leave_the_lake_is_refused(lake: Lake, name: str) -> None:
    with pytest.raises(BadTableName):
        lake.table(name)


def test_made_again_with_more_columns_it_grows_and_keeps_its_rows(log: Table, spark: SparkSession) -> None:
    log.append(rows(spark, (1, "a")), txn="one")

    log.create((*LOG, Col("n", "struct<a: int>", "New")))
    log.create((*LOG, Col("n", "struct<a: int, b: struct<c: string>>", "New")))

    assert log.read().schema["n"].dataType.simpleString() == "struct<a:int,b:struct<c:string>>"
    assert log.read().schema["n"].metadata["comment"] == "New"
    assert [tuple(row) for row in log.read().collect()] == [(1, "a", None)]


def test_made_again_with_fewer_columns_it_keeps_those_it_has(log: Table) -> None:
    before = log.version()

    log.create(LOG[:1])

    assert log.read().columns == ["k", "v"]
    assert log.version() == before


def test_a_column_of_another_type_is_refused_and_nothing_changes(log: Table) -> None:
    with pytest.raises(ColumnTypeChanged, match="column v is string, but int is declared"):
        log.create((Col("k", "bigint", ""), Col("v", "int", ""), Col("w", "int", "")))

    assert log.read().columns == ["k", "v"]


def test_two_threads_may_make_the_same_table(lake: Lake) -> None:
    def make() -> None:
        lake.table("ops.run").create(LOG)

    assert in_threads(make, make, make) == []
    assert lake.names() == ["ops.run"]


def test_what_a_process_left_that_died_while_it_made_a_table_is_no_hindrance(lake: Lake) -> None:
    assert lake.location.local_folder is not None
    (lake.location.local_folder / "ops" / "run" / "_delta_log").mkdir(parents=True)

    lake.table("ops.run").create(LOG)

    assert lake.table("ops.run").read().columns == ["k", "v"]


def test_two_threads_may_grow_the_same_table(log: Table) -> None:
    def grow() -> None:
        log.create((*LOG, Col("n", "int", "")))

    assert in_threads(grow, grow) == []
    assert log.read().columns == ["k", "v", "n"]


def test_the_same_transaction_again_adds_nothing_and_names_the_commit_it_made(log: Table, spark: SparkSession) -> None:
    first = log.append(rows(spark, (1, "a")), txn="run 1", metadata={"run": 1})
    other = log.append(rows(spark, (2, "b")), txn="run 2")
    again = log.append(rows(spark, (1, "a")), txn="run 1", metadata={"run": "again"})

    assert content(log) == [(1, "a"), (2, "b")]
    assert (first.repeated, other.repeated, again.repeated) == (False, False, True)
    assert (again.version, again.metadata) == (first.version, {"run": 1})
    assert log.version() == other.version


def test_what_is_said_of_a_commit_is_read_back(log: Table, spark: SparkSession) -> None:
    said = {"digest": "ä\"'\\", "counts": {"landed": 2}, "files": ["a", None]}
    before = clock.now()

    made = log.append(rows(spark, (1, "a")), txn="run 1", metadata=said)
    (commit,) = log.commits(since=made.version - 1)

    assert commit == made
    assert commit.metadata == said
    assert (commit.operation, commit.txn) == ("WRITE", "run 1")
    assert before - timedelta(seconds=1) <= commit.timestamp <= clock.now()


def test_commits_are_listed_oldest_first_and_those_of_others_have_no_metadata(log: Table, spark: SparkSession) -> None:
    log.append(rows(spark, (1, "a")), txn="one", metadata={"n": 1})
    rows(spark, (2, "b")).write.format("delta").mode("append").option("userMetadata", "not json").save(f"file:{log.root()}")

    assert [(commit.version, commit.metadata) for commit in log.commits()] == [(0, None), (1, {"n": 1}), (2, None)]


def test_the_position_is_what_the_newest_commit_that_has_one_says(log: Table, spark: SparkSession) -> None:
    assert log.last_metadata("position") is None
    log.append(rows(spark, (1, "a")), txn="one", metadata={"position": 7})
    log.append(rows(spark, (2, "b")), txn="two", metadata={"position": 9})
    log.append(rows(spark, (3, "c")), txn="three", metadata={"other": 1})

    assert log.last_metadata("position") == 9


def test_writers_at_the_same_moment_each_learn_their_own_version(log: Table, spark: SparkSession) -> None:
    made: dict[str, int] = {}

    def write(txn: str) -> None:
        made[txn] = log.append(rows(spark, (1, txn)), txn=txn, metadata={"by": txn}).version

    assert in_threads(lambda: write("a"), lambda: write("b"), lambda: write("c")) == []
    assert {commit.version: (commit.metadata or {})["by"] for commit in log.commits(since=0)} == {made[txn]: txn for txn in "abc"}
    assert content(log) == [(1, "a"), (1, "b"), (1, "c")]


def test_the_same_transaction_at_the_same_moment_is_written_once(log: Table, spark: SparkSession) -> None:
    repeated: list[bool] = []

    def write() -> None:
        repeated.append(log.append(rows(spark, (1, "a")), txn="same").repeated)

    assert in_threads(write, write) == []
    assert content(log) == [(1, "a")]
    assert sorted(repeated) == [False, True]


def test_an_older_version_is_read_as_it_was(log: Table, spark: SparkSession) -> None:
    first = log.append(rows(spark, (1, "a")), txn="one")
    log.append(rows(spark, (2, "b")), txn="two")

    assert content(log, first.version) == [(1, "a")]
    with pytest.raises(VersionGone, match="version 99"):
        log.read(99)
    with pytest.raises(VersionGone, match="version 99"):
        log.added_files(99)


def test_data_files_are_listed_relative_to_the_table_and_hashed(lake: Lake, spark: SparkSession) -> None:
    table = lake.table("bronze.parts")
    table.create(LOG, partition=["v"])
    first = table.append(rows(spark, (1, "a b%")).coalesce(1), txn="one")
    table.append(rows(spark, (2, "c")).coalesce(1), txn="two")

    (added,) = table.added_files(first.version)
    live = table.files()
    root = Path(table.root())

    assert len(live) == 2
    assert added in live
    assert {file.path: file.size for file in live} == {
        str(path.relative_to(root)): path.stat().st_size for path in root.rglob("part-*.parquet")
    }
    assert len(set(table.digests([file.path for file in live]).values())) == 2


def test_a_flipped_byte_changes_the_digest_and_a_missing_file_has_no_size(log: Table, spark: SparkSession) -> None:
    commit = log.append(rows(spark, (1, "a")).coalesce(1), txn="one")
    (file,) = log.added_files(commit.version)
    place = Path(log.root(), file.path)
    before = log.digests([file.path])

    place.write_bytes(bytes([place.read_bytes()[0] ^ 1]) + place.read_bytes()[1:])
    assert log.digests([file.path]) != before

    place.unlink()
    assert [f.size for f in log.files()] == [None]


def test_tables_named_by_a_catalog_work_the_same(spark: SparkSession, tmp_path: Path) -> None:
    bronze = f"crm_{tmp_path.name[-1]}_bronze"
    lake = Lake(spark, Location(catalog="spark_catalog", schemas={"bronze": bronze}))
    table = lake.table("bronze.customer_log")
    assert not table.exists()
    try:
        table.create(LOG, comment="Named")
        first = table.append(rows(spark, (1, "a")), txn="one", metadata={"n": 1})
        again = table.append(rows(spark, (1, "a")), txn="one", metadata={"n": 2})
        table.create((*LOG, Col("n", "int", "")))

        assert lake.names() == ["bronze.customer_log"]
        assert table.exists()
        assert table.identifier == f"`spark_catalog`.`{bronze}`.`customer_log`"
        assert (again.repeated, again.version, again.metadata) == (True, first.version, {"n": 1})
        assert [tuple(row) for row in table.read().collect()] == [(1, "a", None)]
        assert table.added_files(first.version) == table.files()
    finally:
        spark.sql(f"DROP SCHEMA IF EXISTS {bronze} CASCADE")
