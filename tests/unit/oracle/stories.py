"""Small stories for the oracle, told call by call and checked against tables that a person can read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from tests.properties.generate import LoadType, statement
from tests.properties.oracle import AbsenceSettings, Attr, Load, Origin, Seq, Settings, Statement, Version, scope_text, timeline

Op = Literal["insert", "update", "delete"]
CELLS = re.compile(r"\s\|(?=\s|$)")  # a bar inside a word belongs to a composite key
STATES: Mapping[Op, bool | None] = {"insert": False, "update": None, "delete": True}
CUSTOMER = Settings((Attr("name"), Attr("address"), Attr("status"), Attr("noise", tracked=False)), ranks={"CRM": 1, "CORE": 2})

LIST = Settings((Attr("name"), Attr("region")), ranks={"core": 1}, absence={"list": AbsenceSettings()})


@dataclass(slots=True)
class Story:
    """What was heard so far; each call is received one tick after the one before."""

    settings: Settings = CUSTOMER
    statements: list[Statement] = field(default_factory=list)
    headers: list[Load] = field(default_factory=list)
    accepted: dict[str, int] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    now: int = 0

    def hears(
        self,
        source: str,
        at: int | str,
        op: Op = "update",
        *,
        key: str = "C123",
        seq: Seq = None,
        file: str | None = None,
        load: LoadType = "PARTIAL",
        **says: object,
    ) -> Statement:
        """One row arrives alone."""
        self.now += 1
        row = statement(key, source, self.time(at), load=load, deleted=STATES[op], says=says, seq=seq, file=file)
        self.statements.append(replace(row, received=self.now, run=f"run{self.now:03d}"))
        return self.statements[-1]

    def hears_again(self, row: Statement, *, file: str | None = None) -> None:
        """An exact repeat arrives."""
        self.now += 1
        self.statements.append(replace(row, received=self.now, run=f"run{self.now:03d}", file=file))

    def loads(
        self, source: str, at: int, *keys: str, scopes: Mapping[str, int] | None = None, complete: bool = True, **says: object
    ) -> str:
        """A load of a complete set arrives with its rows; without `scopes` the rows' own scope is counted."""
        self.now += 1
        load_id = f"{source}-{at}-{self.now}"
        for key in keys:
            row = statement(key, source, at, load="FULL", deleted=False, says=says, file=load_id)
            self.statements.append(replace(row, received=self.now, run=f"run{self.now:03d}"))
        named = scope_text(says.get(name) for name in self.settings.scope_of.get(source, ()))
        self.headers.append(Load(source, at, self.now, scopes or {named: len(set(keys))}, complete, load_id))
        return load_id

    def accepts(self, load_id: str) -> None:
        """A person accepts a held load."""
        self.now += 1
        self.accepted[load_id] = self.now

    def time(self, at: int | str) -> int:
        """`MM-DD HH:MM` of 2026 as microseconds; a number is itself."""
        if isinstance(at, int):
            return at
        moment = int(datetime.strptime(f"2026-{at}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp()) * 1_000_000
        self.labels[moment] = at
        return moment

    def versions(self, known_at: int | None = None) -> list[Version]:
        """The oracle's timeline of all that was heard."""
        return timeline(self.statements, self.settings, loads=self.headers, accepted=self.accepted, known_at=known_at)

    def check(self, text: str, *, key: str | None = None, known_at: int | None = None) -> None:
        """The timeline, in the columns that the table names, is exactly that table."""
        columns, *rows = ([cell.strip() for cell in CELLS.split(line)] for line in text.strip().splitlines())
        versions = [v for v in self.versions(known_at) if key in (None, v.key)]
        shown = [[self._cell(v, column) for column in columns] for v in versions]
        assert shown == rows, "\n" + "\n".join(" | ".join(cells) for cells in [columns, *shown])

    def _cell(self, v: Version, column: str) -> str:
        if column.startswith("origin "):
            return self._origin(v.origin[column.removeprefix("origin ")])
        value = v.values[column] if column in v.values else getattr(v, FIELDS[column])
        if isinstance(value, bool):
            return "yes" if value else "no"
        return "" if value is None else self.labels.get(value, str(value)) if isinstance(value, int) else str(value)

    def _origin(self, origin: Origin | None) -> str:
        return "" if origin is None else f"{origin[0]} {self.labels.get(origin[1], origin[1])}"


FIELDS = {
    "key": "key",
    "source": "source",
    "from": "effective_from",
    "to": "effective_to",
    "current": "is_current",
    "own to": "source_effective_to",
    "own current": "is_source_current",
    "head": "is_head",
    "deleted": "deleted",
    "first": "first_seen",
    "last": "last_seen",
    "rows": "seen_count",
}
