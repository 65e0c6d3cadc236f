"""The real chain: a PostgreSQL table and the history that reaches Muniment through Debezium and Kafka are the same, whoever was killed on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project
from muniment.steps.stream import Batch

from examples.cdc.chain import Chain
from examples.cdc.changes import Clerk, open_accounts, work
from examples.cdc.postgres import Session
from examples.cdc.processes import Server, until
from examples.cdc.project import stream, write_project
from tests.chain.audit import table, told, told_now, versions

pytestmark = pytest.mark.chain
ROWS = int(os.environ.get("CHAIN_ROWS", "20000"))
CHANGES = 40  # in one transaction
LONG = 300.0  # seconds
MOST = ROWS // 2 + 100  # messages in one batch; Spark takes a little less


@dataclass(frozen=True, slots=True)
class Told:
    """What the chain brought: the project that heard it, the database that it was about, and the batches after the kill."""

    project: Project
    database: Session
    since: int  # microseconds: the first change came after it
    late: str  # the last quarter of the changes came after it
    batches: list[Batch]


@pytest.fixture(scope="module")
def bank(servers: Chain, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Accounts that are read as they are and then changed; Connect is killed on the way, and so is the stream."""
    database = servers.postgres.connect()
    open_accounts(database, ROWS)
    servers.connect.start()
    servers.await_reading(database)
    since = int(database.one("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"))
    root = write_project(tmp_path_factory.mktemp("project"))
    changes = _change_and_kill(servers, stream(root, "--max-messages", str(MOST), servers=servers.kafka.servers))
    late = database.one("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
    list(changes)
    servers.await_delivery(database)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("BANK_KAFKA", servers.kafka.servers)
        project = Project.open(root, spark=spark)
        again = project.stream("account", available_now=True, max_messages=MOST)
        yield Told(project, database, since, late, again.batches)


def _change_and_kill(servers: Chain, running: Server) -> Iterator[int]:
    """A quarter of the work each: Connect is killed while it delivers, the stream when a batch has landed and is not yet derived; the last one is left."""
    clerks = [Clerk(number, servers.postgres.connect(), Random(number)) for number in (0, 1)]
    for clerk in clerks:
        clerk.take_over()
    changes = work((clerks[0], clerks[1]), transactions=ROWS // CHANGES, changes=CHANGES, random=Random(7))
    quarter = ROWS // CHANGES // 8  # transactions come in pairs
    try:
        running.start()
        _await_batches(running, 1)  # half of the accounts as they were
        list(islice(changes, quarter))
        servers.connect.kill()
        list(islice(changes, quarter))
        servers.connect.start()
        list(islice(changes, quarter))
        _await_batches(running, 2)
        landed = _landings(running)
        until(lambda: _landings(running) > landed, what="landing", server=running, seconds=LONG)
    finally:
        running.kill()
    return changes


def _await_batches(running: Server, count: int) -> None:
    until(lambda: running.said().count("  batch ") >= count, what=f"{count} batches", server=running, seconds=LONG)


def _landings(running: Server) -> int:
    """How many commits the log has."""
    assert running.folder is not None
    return len(list((running.folder / "lake" / "bronze" / "account_log" / "_delta_log").glob("*.json")))


def test_the_current_rows_are_those_of_the_table(bank: Told) -> None:
    assert told_now(bank.project.history("account")) == table(bank.database)


def test_the_versions_are_the_last_audited_states_per_key_and_transaction(bank: Told) -> None:
    found, expected = told(bank.project.history("account"), since=bank.since), versions(bank.database, since=bank.since)
    assert len(found) == len(expected) > ROWS
    assert found == expected


def test_a_batch_takes_no_more_messages_than_it_may(bank: Told) -> None:
    received = [row["counts"]["received"] for row in bank.project.runs("account").where("step = 'land'").collect()]
    assert max(received) <= MOST
    assert len(bank.batches) > 1


def test_a_part_that_is_heard_again_on_purpose_doubles_nothing(bank: Told, spark: SparkSession) -> None:
    before = told(bank.project.history("account"), since=bank.since)
    written = bank.project.model.root / "account.yml"
    written.write_text(written.read_text(encoding="utf-8").replace("earliest", f'"{bank.late}"'), encoding="utf-8")
    project = Project.open(bank.project.model.root, spark=spark)
    again = project.stream("account", available_now=True).batches
    assert ROWS // 8 <= sum(batch.landed.received for batch in again) < ROWS * 2  # some transactions came to nothing
    assert sum(batch.derived.opened for batch in again) == 0
    assert told(project.history("account"), since=bank.since) == before
    assert project.stream("account", available_now=True).batches == []  # and goes on from there
