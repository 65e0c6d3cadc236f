"""A table that cannot be read is an error, never "no table" (R26)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.columns import Col
from muniment.lake.errors import TableMissing, TableUnreadable
from muniment.lake.location import Location
from muniment.lake.tables import Lake

COLUMNS = (Col("k", "bigint", ""),)
NAME = "bronze.customer_log"
Fault = Callable[[Path], None]


def damage_json(folder: Path, version: int = 2) -> None:
    """A commit is cut off in the middle; Hadoop's own checksum is not what finds it."""
    entry = folder / "_delta_log" / f"{version:020}.json"
    entry.write_text(entry.read_text(encoding="utf-8")[:100], encoding="utf-8")
    (folder / "_delta_log" / f".{version:020}.json.crc").unlink()


def lose_first_commit(folder: Path) -> None:
    (folder / "_delta_log" / f"{0:020}.json").unlink()


def lose_all_commits(folder: Path) -> None:
    for entry in (folder / "_delta_log").glob("*.json"):
        entry.unlink()


def lose_log(folder: Path) -> None:
    (folder / "_delta_log").rename(folder.parent.parent / "elsewhere")


def log_becomes_file(folder: Path) -> None:
    lose_log(folder)
    (folder / "_delta_log").write_text("", encoding="utf-8")


def table_becomes_file(folder: Path) -> None:
    folder.rename(folder.parent.parent / "elsewhere")
    folder.write_text("", encoding="utf-8")


def schema_becomes_file(folder: Path) -> None:
    folder.parent.rename(folder.parent.parent / "elsewhere")
    folder.parent.write_text("", encoding="utf-8")


def log_becomes_loop(folder: Path) -> None:
    lose_log(folder)
    (folder / "_delta_log").symlink_to(folder / "_delta_log")


FAULTS: tuple[Fault, ...] = (
    damage_json,
    lose_first_commit,
    lose_all_commits,
    lose_log,
    log_becomes_file,
    table_becomes_file,
    schema_becomes_file,
    log_becomes_loop,
)


@pytest.fixture(scope="module")
def whole(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with a table of three commits, to be copied: at a new place Delta remembers nothing of it."""
    folder = tmp_path_factory.mktemp("whole")
    table = Lake(spark, Location.at(folder)).table(NAME)
    table.create(COLUMNS)
    for txn in ("one", "two"):
        table.append(spark.range(3).selectExpr("id AS k").coalesce(1), txn=txn)
    return folder


@pytest.fixture
def lake(spark: SparkSession, whole: Path, tmp_path: Path) -> Lake:
    return Lake(spark, Location.at(copytree(whole, tmp_path / "lake")))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_damaged_table_is_unreadable_and_stays_as_it_is(lake: Lake, spark: SparkSession, tmp_path: Path, fault: Fault) -> None:
    table = lake.table(NAME)
    fault(Path(table.root()))
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(TableUnreadable, match=NAME):
        table.exists()
    with pytest.raises(TableUnreadable):
        table.create(COLUMNS)
    with pytest.raises(TableUnreadable):
        table.append(spark.range(1).selectExpr("id AS k"), txn="three")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("fault", [lose_first_commit, lose_all_commits, lose_log, log_becomes_file], ids=lambda f: f.__name__)
def test_a_damaged_table_where_python_has_no_files_is_unreadable_too(lake: Lake, fault: Fault) -> None:
    fault(Path(lake.table(NAME).root()))

    with pytest.raises(TableUnreadable, match=NAME):
        Lake(lake.spark, Location(base=lake.location.base)).table(NAME).exists()


def test_a_damaged_commit_where_python_has_no_files_stops_a_write(lake: Lake, spark: SparkSession, tmp_path: Path) -> None:
    damage_json(Path(lake.table(NAME).root()))
    before = sorted(tmp_path.rglob("*.parquet"))

    with pytest.raises(TableUnreadable, match=NAME):
        Lake(spark, Location(base=lake.location.base)).table(NAME).append(spark.range(1).selectExpr("id AS k"), txn="three")
    assert sorted(tmp_path.rglob("*.parquet")) == before


def test_a_table_where_python_has_no_files_works_through_spark(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, Location(base=f"file:{tmp_path}/the lake's 100% [1]"))
    table = lake.table(NAME)
    assert not table.exists()
    assert lake.names() == []

    table.create(COLUMNS)
    first = table.append(spark.range(3).selectExpr("id AS k").coalesce(1), txn="one", metadata={"n": 1})
    again = table.append(spark.range(3).selectExpr("id AS k").coalesce(1), txn="one", metadata={"n": 2})
    local = Lake(spark, Location.at(tmp_path / "the lake's 100% [1]")).table(NAME)

    assert lake.names() == [NAME]
    assert table.exists()
    assert (again.repeated, again.version, again.metadata) == (True, first.version, {"n": 1})
    assert table.version() == 1
    assert table.last_metadata("n") == 1
    assert [(c.version, c.metadata, c.txn) for c in table.commits()] == [(0, None, None), (1, {"n": 1}, "one")]
    assert table.files() == local.files()
    assert table.added_files(1) == local.added_files(1)
    assert table.digests([f.path for f in table.files()]) == local.digests([f.path for f in local.files()])


def test_an_empty_folder_is_no_table(spark: SparkSession, tmp_path: Path) -> None:
    table = Lake(spark, Location.at(tmp_path)).table(NAME)
    (tmp_path / "bronze" / "customer_log" / "_delta_log").mkdir(parents=True)

    assert not table.exists()
    with pytest.raises(TableMissing):
        table.read()


def test_a_commit_damaged_in_the_middle_is_an_error_when_commits_are_listed(lake: Lake) -> None:
    table = lake.table(NAME)
    damage_json(Path(table.root()), version=1)

    with pytest.raises(TableUnreadable, match=f"{1:020}.json"):
        table.commits()


def test_a_log_entry_that_is_gone_is_missing_from_the_list(lake: Lake) -> None:
    table = lake.table(NAME)
    (Path(table.root()) / "_delta_log" / f"{1:020}.json").unlink()

    assert [commit.version for commit in table.commits()] == [0, 2]
