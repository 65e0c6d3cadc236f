"""A series in a catalog: `silver.<series>` is a view that anybody can query, and that is never half made, and never not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from uuid import uuid4

import pytest
from pyspark.sql import SparkSession

from tests.spark.series.conftest import Bank, balances, changes, day, ledgers, open_bank, rows, seen

pytestmark = pytest.mark.heavy  # readers beside builds: make heavy

TARGETS = {2: {"a": 2, "b": 2}, 3: {"a": 3, "c": 3}, 4: {"a": 4, "c": 4}, 5: {"a": 5, "c": 4, "d": 5}}


@pytest.fixture(scope="module")
def silver() -> str:
    return f"bank_{uuid4().hex[:8]}_silver"


@pytest.fixture(scope="module")
def bank(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, silver: str) -> Iterator[Bank]:
    schemas = {"silver": silver, "ops": silver.replace("silver", "ops")}
    lake = f"{{catalog: spark_catalog, schemas: {{{', '.join(f'{name}: {schema}' for name, schema in schemas.items())}}}}}"
    yield open_bank(tmp_path_factory.mktemp("catalog"), spark, *ledgers("ledger"), lake=lake)
    for schema in schemas.values():
        spark.sql(f"DROP SCHEMA IF EXISTS {schema} CASCADE")


@contextmanager
def watched(*looks: Callable[[], dict[str, int]]) -> Iterator[list[dict[str, int]]]:
    """Readers, each in a thread of its own, that look on and on until the work is done."""
    done, found, failed = Event(), list[dict[str, int]](), list[BaseException]()

    def read_on(look: Callable[[], dict[str, int]]) -> None:
        while not done.is_set():
            try:
                found.append(look())
            except BaseException as error:  # noqa: BLE001 - it is told where somebody sees it
                failed.append(error)
                return

    threads = [Thread(target=read_on, args=(look,)) for look in looks]
    for thread in threads:
        thread.start()
    try:
        yield found
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert failed == []


def test_readers_of_the_view_and_of_read_see_one_target_or_the_next_while_they_are_built_marked_and_freed(bank: Bank, silver: str) -> None:
    ledger, spark = bank.series("ledger"), bank.project.spark
    ledger.dump(rows(a=1, b=2), day(1))
    for number, change in {2: {"a": 2}, 3: {"a": 3, "b": None, "c": 3}, 4: {"a": 4, "c": 4}, 5: {"a": 5, "d": 5}}.items():
        ledger.delta(changes(**change), day(number))  # type: ignore[arg-type]
    assert not spark.catalog.tableExists(f"{silver}.ledger")
    ledger.build(day(2))

    def by_name() -> dict[str, int]:
        return balances(spark.sql(f"SELECT * FROM {silver}.ledger").collect())

    with watched(by_name, lambda: seen(ledger)) as found:
        for number in (3, 4, 5):
            ledger.build(day(number))
        ledger.mark("target", day(5), "a test system", by="jane")
        assert by_name() == TARGETS[4]
        ledger.unmark("target", day(5), "it was production", by="jane")
    assert all(look in TARGETS.values() for look in found)
    assert [look for look in TARGETS.values() if look not in found] in ([], [TARGETS[3]], [TARGETS[4]])
    names = (bank.project.table("silver.ledger"), bank.project.sql("SELECT * FROM silver.ledger"))
    assert [by_name(), *(balances(frame.collect()) for frame in names)] == [TARGETS[5]] * 3


def test_where_no_good_target_is_left_nobody_reads_a_bad_one(bank: Bank, silver: str) -> None:
    ledger = bank.series("ledger")
    ledger.mark("target", day(2), "all of them", by="jane", until=day(5))
    assert not bank.project.spark.catalog.tableExists(f"{silver}.ledger")
    ledger.unmark("target", day(2), "none of them", by="jane", until=day(5))
    assert bank.project.spark.table(f"{silver}.ledger").count() == 3
