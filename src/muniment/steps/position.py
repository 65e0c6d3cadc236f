"""How far a derived table has read: kept in its own commits, so that it moves with the rows or not at all (R24)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from muniment.lake.tables import Lake, Table
from muniment.model.entity import Entity
from muniment.model.tables import load_name, log_name

KEY = "derived"


@dataclass(frozen=True, slots=True)
class Position:
    """Versions of what was read, the number of this derive, and the settings it was made with (R28)."""

    log: int = -1
    load: int = -1
    decision: int = -1
    number: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    rules: int = 0  # the number of these settings in ops.rule_set
    override: int = -1  # belief only
    shape: int = 0  # belief only: the number of the settings that shaped the history
    history: int = -1  # belief only: the version of the history whose heads it may go on from

    def said(self) -> dict[str, Any]:
        """As it stands in the commit."""
        return {KEY: asdict(self)}


def reached(history: Table) -> Position:
    """The position of the newest commit that has one."""
    said = history.last_metadata(KEY) if history.exists() else None
    return Position(**said) if said else Position()


def newest(lake: Lake, entity: Entity) -> Position:
    """Where everything is now."""
    log, load, decision = (lake.table(name) for name in (log_name(entity), load_name(entity), "ops.decision"))
    return Position(_version(log), _version(load), _version(decision))


def heard_nothing(was: Position, now: Position) -> bool:
    """Is there nothing after a position?"""
    return (was.log, was.load, was.decision) == (now.log, now.load, now.decision)


def runs_between(lake: Lake, table: str, *, since: int, until: int) -> list[str]:
    """The runs that wrote to a table after one version and up to another."""
    commits = lake.table(table).commits(since=since) if until > since else []
    return [str(commit.metadata["run"]) for commit in commits if commit.metadata and "run" in commit.metadata and commit.version <= until]


def _version(table: Table) -> int:
    return table.version() if table.exists() else -1
