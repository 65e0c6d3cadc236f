"""`make cdc`: start the chain, change accounts, and show a history growing."""

from __future__ import annotations

import os
import sys
from random import Random

from muniment.project import Project

from examples.cdc.chain import Chain, chain
from examples.cdc.changes import Clerk, open_accounts, work
from examples.cdc.postgres import Session
from examples.cdc.project import write_project

ACCOUNTS, CHANGES = 200, 10
ONE = "A1-17"
_STORY = (
    f"UPDATE account SET balance = 250 WHERE id = '{ONE}'",
    f"UPDATE account SET status = 'frozen', note = 'by order of the court' WHERE id = '{ONE}'",
    f"DELETE FROM account WHERE id = '{ONE}'",
)
_COLUMNS = ("effective_from", "effective_to", "owner", "status", "balance", "note", "is_deleted")


def main() -> int:
    """All of it; servers and lake are gone afterwards."""
    with chain(tables="public.account") as servers:
        database = servers.postgres.connect()
        open_accounts(database, ACCOUNTS)
        servers.connect.start()
        servers.await_reading(database)
        _say(f"PostgreSQL at port {servers.postgres.port}, Kafka at {servers.kafka.servers}, Debezium follows {ACCOUNTS} accounts.")
        os.environ["BANK_KAFKA"] = servers.kafka.servers
        _tell_story(servers, database, Project.open(write_project(servers.folder / "project")))
        database.close()
    return 0


def _tell_story(servers: Chain, database: Session, project: Project) -> None:
    """What happens to one account, while two clerks work on all others."""
    clerks = (Clerk(0, servers.postgres.connect(), Random(0)), Clerk(1, servers.postgres.connect(), Random(1)))
    for clerk in clerks:
        clerk.take_over(but=ONE)
    changes = work(clerks, transactions=2 * len(_STORY), changes=CHANGES, random=Random(7))
    _hear(servers, database, project)
    for statement in _STORY:
        next(changes)
        database.run(statement)
        _say(f"\n{statement}\n  and two transactions with {CHANGES} changes each of other accounts")
        _hear(servers, database, project)


def _hear(servers: Chain, database: Session, project: Project) -> None:
    """Take what is there; `muniment run --stream` without an end would do the same batch by batch."""
    servers.await_delivery(database)
    for batch in project.stream("account", available_now=True).batches:
        landed, derived = batch.landed, batch.derived
        _say(
            f"  batch {batch.number}: {landed.received} messages, {landed.landed} landed, {derived.opened} versions opened, {derived.closed} closed"
        )
    project.history("account", key=ONE).orderBy("effective_from").select(*_COLUMNS).show(truncate=24)


def _say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
