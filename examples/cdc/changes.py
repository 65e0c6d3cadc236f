"""Random work on the accounts of a bank: two clerks at once, each with accounts of their own, some of whose transactions come to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from examples.cdc.postgres import Session

TABLES = Path(__file__).with_name("accounts.sql")


def open_accounts(session: Session, count: int) -> None:
    """The tables, and so many accounts; every fiftieth has a note that is too long to be sent each time."""
    session.run(TABLES.read_text(encoding="utf-8"))
    session.run(
        "INSERT INTO account SELECT 'A' || n % 2 || '-' || n, 'owner ' || n, 'open', n / 7.0, now() - n * interval '1 hour',"
        f" CASE WHEN n % 50 = 0 THEN repeat(md5(n::text), 100) END FROM generate_series(1, {count}) n"
    )


@dataclass(slots=True)
class Clerk:
    """Somebody who changes accounts; no other clerk touches theirs, so nobody waits for a lock."""

    number: int
    session: Session
    random: Random
    accounts: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    opened: int = 0

    def take_over(self, *, but: str = "") -> None:
        """Learn which accounts are there, and leave one alone."""
        mine = f"SELECT id FROM account WHERE id LIKE 'A{self.number}-%' AND id <> '{but}' ORDER BY id"
        self.accounts = [row[0] or "" for row in self.session.run(mine)]

    def transaction(self, changes: int, *, fails: bool) -> list[str]:
        """The statements of a transaction; one that fails leaves the accounts as they were."""
        before = list(self.accounts), list(self.gone)
        statements = [self._change() for _ in range(changes)]
        if fails:
            self.accounts, self.gone = before
        return ["BEGIN", *statements, "ROLLBACK" if fails else "COMMIT"]

    def _change(self) -> str:
        kinds = {self._insert: 15, self._update: 60, self._repeat: 5, self._delete: 12, self._move: 8}
        (kind,) = self.random.choices(list(kinds), list(kinds.values()))
        return kind()

    def _insert(self) -> str:
        return f"INSERT INTO account VALUES ('{self._new()}', {self._owner()}, {self._state()}, {self._amount()}, now(), {self._note()})"

    def _update(self) -> str:
        status = f"status = {self._state()}"
        setting = self.random.choice(
            (f"owner = {self._owner()}", f"balance = {self._amount()}", status, f"{status}, note = {self._note()}")
        )
        return f"UPDATE account SET {setting} WHERE id = '{self.random.choice(self.accounts)}'"

    def _repeat(self) -> str:
        return f"UPDATE account SET owner = owner WHERE id = '{self.random.choice(self.accounts)}'"

    def _delete(self) -> str:
        return f"DELETE FROM account WHERE id = '{self._old()}'"

    def _move(self) -> str:
        """A long note that is not sent with its new key would be lost to everybody but the database: it is written anew."""
        old, new = self._old(), self._new()
        return f"UPDATE account SET id = '{new}', note = note || '' WHERE id = '{old}'"

    def _old(self) -> str:
        place = self.random.randrange(len(self.accounts))
        self.accounts[place], self.accounts[-1] = self.accounts[-1], self.accounts[place]
        self.gone.append(self.accounts.pop())
        return self.gone[-1]

    def _new(self) -> str:
        """A new name, or one that was given up before: what was deleted may come back."""
        if self.gone and self.random.random() < 0.3:
            self.accounts.append(self.gone.pop(0))
        else:
            self.opened += 1
            self.accounts.append(f"A{self.number}-new-{self.opened}")
        return self.accounts[-1]

    def _owner(self) -> str:
        return f"'owner {self.random.randrange(1000)}'"

    def _state(self) -> str:
        return self.random.choice(("'open'", "'closed'", "'frozen'", "NULL"))

    def _amount(self) -> str:
        return f"{self.random.randrange(-10_000, 10_000_000) / 100:.2f}"

    def _note(self) -> str:
        return self.random.choice(("NULL", "'short'", f"repeat(md5('{self.random.random()}'), 100)"))


def work(clerks: tuple[Clerk, Clerk], *, transactions: int, changes: int, random: Random) -> Iterator[int]:
    """Transactions in pairs, one begun before the other and ended after it, so that the log's positions go back; yields how many are done."""
    for done in range(0, transactions, 2):
        first, second = (clerk.transaction(changes, fails=random.random() < 0.1) for clerk in clerks)
        _run(clerks[0], first[: changes // 2])
        _run(clerks[1], second)
        _run(clerks[0], first[changes // 2 :])
        yield done + 2


def _run(clerk: Clerk, statements: list[str]) -> None:
    clerk.session.run(";".join(statements))
