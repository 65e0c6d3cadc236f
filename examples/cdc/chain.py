"""PostgreSQL → Debezium → Kafka, started together in a folder that goes with them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from examples.cdc.kafka import Connect, Kafka, debezium
from examples.cdc.postgres import Postgres, Session
from examples.cdc.processes import until

PREFIX = "bank"


@dataclass(frozen=True, slots=True)
class Chain:
    """The servers, and what to ask them."""

    folder: Path
    postgres: Postgres
    kafka: Kafka
    connect: Connect

    def await_reading(self, session: Session) -> None:
        """Wait until the connector has read the table as it was and follows what changes."""
        asked = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        until(lambda: session.one(asked) == "1", what="connector that follows the database", server=self.connect.server)

    def await_delivery(self, session: Session) -> None:
        """Wait until all that was committed so far is in Kafka."""
        mark = session.one("SELECT pg_current_wal_lsn()")
        arrived = f"SELECT pg_logical_emit_message(true, 'mark', ''), confirmed_flush_lsn >= '{mark}' FROM pg_replication_slots"
        # A connector confirms what it has only when something new comes: a message does.
        until(lambda: session.run(arrived)[0][1] == "t", what="delivery of all changes", server=self.connect.server)


@contextmanager
def chain(*, tables: str) -> Iterator[Chain]:
    """PostgreSQL and Kafka, running; Connect is ready to be started once the tables are there."""
    folder = Path(tempfile.mkdtemp(prefix="muniment-chain-"))
    folder.chmod(0o755)  # PostgreSQL may be another user
    with ExitStack() as ending:
        ending.callback(shutil.rmtree, folder, ignore_errors=True)
        postgres, kafka = Postgres(folder), Kafka(folder)
        connect = Connect(folder, servers=kafka.servers, connector=debezium(port=postgres.port, prefix=PREFIX, tables=tables))
        for server in (postgres, kafka):
            ending.callback(server.stop)
            server.start()
        ending.callback(connect.kill)
        yield Chain(folder, postgres, kafka, connect)
