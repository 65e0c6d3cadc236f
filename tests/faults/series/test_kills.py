"""Series that are killed, built twice at once and read meanwhile: one result, and no reader sees anything half made (R24)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree
from threading import Event, Thread

import pytest
from pyspark.sql import SparkSession

from muniment.model.series import Role

from tests.faults.dying import die
from tests.spark.series.conftest import Bank, balances, changes, day, ledgers, open_bank, rows, seen

pytestmark = pytest.mark.heavy  # each story needs a lake or a process of its own: make heavy

AFTER = {"a": 4, "c": 4}


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three days, of which two are built and the second is bad."""
    root = tmp_path_factory.mktemp("prepared") / "project"
    series = open_bank(root, spark, *ledgers("ledger")).series("ledger")
    series.dump(rows(a=1, b=2), day(1))
    series.delta(changes(a=2), day(2))
    series.delta(changes(b=None, c=3), day(3))
    series.delta(changes(a=4, c=4), day(4))
    series.build(day(2))
    series.build(day(3))
    return root


def opened(prepared: Path, spark: SparkSession, tmp_path: Path) -> Bank:
    return open_bank(copytree(prepared, tmp_path / "p"), spark)


def state(bank: Bank) -> list[tuple[object, ...]]:
    """What is recorded, but for ids and times."""
    series = bank.series("ledger")
    found = [tuple(row) for row in series.partitions().select("role", "start_ts", "generation", "rows", "checksum", "quality").collect()]
    return sorted(found, key=str)


@pytest.fixture(scope="module")
def built(prepared: Path, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    """What is recorded after a build that nobody killed."""
    bank = opened(prepared, spark, tmp_path_factory.mktemp("built"))
    bank.series("ledger").build(day(4))
    return state(bank)


@pytest.fixture(scope="module")
def mended(prepared: Path, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    """What is recorded after a mark and a backfill that nobody killed."""
    bank = opened(prepared, spark, tmp_path_factory.mktemp("mended"))
    mend(bank)
    return state(bank)


def mend(bank: Bank) -> None:
    bank.series("ledger").mark("target", day(2), "made with a broken jar", by="jane")
    bank.series("ledger").backfill(by="jane", reason="mended")


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", ["series:before-rows", "series:after-rows", "series:after-record"])
def test_a_build_that_is_killed_is_finished_by_the_same_command(
    prepared: Path, built: list[tuple[object, ...]], spark: SparkSession, tmp_path: Path, point: str
) -> None:
    bank = opened(prepared, spark, tmp_path)
    before = seen(bank.series("ledger"))
    die(lambda: bank.series("ledger").build(day(4)), at=point)
    assert seen(bank.series("ledger")) in (before, AFTER)
    bank.series("ledger").build(day(4))
    assert seen(bank.series("ledger")) == AFTER
    assert state(bank) == built
    runs = [row["run_id"] for row in bank.project.runs().where("entity = 'ledger'").collect()]
    made = [row["produced_by"] for row in bank.series("ledger").partitions().collect()]
    assert sorted(runs) == sorted(made)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", ["series:after-mark", "backfill:after-build", "backfill:after-clear"])
def test_a_mark_and_a_backfill_that_are_killed_are_finished_by_the_same_commands(
    prepared: Path, mended: list[tuple[object, ...]], spark: SparkSession, tmp_path: Path, point: str
) -> None:
    bank = opened(prepared, spark, tmp_path)
    die(lambda: mend(bank), at=point)
    if point == "series:after-mark":
        mend(bank)
    else:
        bank.series("ledger").backfill(by="jane", reason="mended")
    assert state(bank) == mended
    said = [(row["verb"], row["place"]) for row in bank.series("ledger").marks().collect()]
    assert said == [("mark", f"target {day(2)}"), ("clear", f"target {day(2)}")]


def test_two_builders_at_once_make_one_target_while_readers_see_the_old_or_the_new(
    prepared: Path, spark: SparkSession, tmp_path: Path
) -> None:
    bank = opened(prepared, spark, tmp_path)
    before = seen(bank.series("ledger"))
    done, looks, odd = Event(), [0], []

    def read_on() -> None:
        while not done.is_set():
            found = balances(bank.series("ledger").read().collect())
            odd.extend([] if found in (before, AFTER) else [found])
            looks[0] += 1

    reader = Thread(target=read_on)
    reader.start()
    try:
        with ThreadPoolExecutor(2) as pool:
            built = list(pool.map(lambda _: bank.series("ledger").build(day(4)), range(2)))
    finally:
        done.set()
        reader.join()
    assert (odd, looks[0] > 1) == ([], True)
    assert len({each.partition_id for each in built}) == 1
    targets = [each for each in bank.series("ledger").standing().partitions.values() if each.role is Role.TARGET]
    assert len([each for each in targets if each.start.day == 4]) == 1
    assert seen(bank.series("ledger")) == AFTER
