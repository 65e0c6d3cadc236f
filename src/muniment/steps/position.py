"""How far a derived table has read: kept in its own commits, so that it moves with the rows or not at all (R24)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from muniment.decisions.marks import Effect, marked_runs
from muniment.lake.commits import Commit
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
    excluded: list[str] = field(default_factory=list)  # runs that are left out, because somebody marked them
    held: list[str] = field(default_factory=list)  # runs before which it stops

    def said(self) -> dict[str, Any]:
        """As it stands in the commit."""
        return {KEY: asdict(self)}


def reached(history: Table) -> Position:
    """The position of the newest commit that has one."""
    said = history.last_metadata(KEY) if history.exists() else None
    return Position(**said) if said else Position()


def newest(lake: Lake, entity: Entity, known_at: datetime | None = None) -> Position:
    """Where everything is now, without the runs that are left out now, or were at a time."""
    log, load, decision = (lake.table(name) for name in (log_name(entity), load_name(entity), "ops.decision"))
    marked = marked_runs(lake, entity.name, known_at)
    return Position(
        _version(log), _version(load), _version(decision), excluded=marked[Effect.EXCLUDE], held=marked[Effect.HOLD]
    )  # fmt: skip


def due(lake: Lake, entity: Entity, *, was: Position) -> Position:
    """How far a table may be brought that has read so far already: to before the first run that somebody holds."""
    now = newest(lake, entity)
    if not now.held:
        return now
    log, loads = lake.table(log_name(entity)).commits(), lake.table(load_name(entity)).commits() if now.load >= 0 else []
    landed = {_run(commit) for commit in (*log, *loads)}
    now = replace(now, held=[run for run in now.held if run in landed])  # a mark may be there whose run was killed before it landed
    rowless = set(now.held) - {_run(commit) for commit in log}
    first = next((commit.version for commit in log if _stops(_run(commit), now.held, rowless)), now.log + 1)
    after = {*now.held, *(_run(commit) for commit in log if commit.version >= first)}
    load = next((commit.version - 1 for commit in loads if _run(commit) in after), now.load)
    if first <= was.log:  # it is in already: nothing goes on, and only excluding it takes it out
        return replace(now, log=was.log, load=was.load, decision=was.decision)
    return replace(now, log=first - 1, load=max(load, was.load))


def heard_nothing(was: Position, now: Position) -> bool:
    """Is there nothing after a position?"""
    return (was.log, was.load, was.decision, was.excluded) == (now.log, now.load, now.decision, now.excluded)


def runs_between(lake: Lake, table: str, *, since: int, until: int) -> list[str]:
    """The runs that wrote to a table after one version and up to another."""
    commits = lake.table(table).commits(since=since) if until > since else []
    return [str(commit.metadata["run"]) for commit in commits if commit.metadata and "run" in commit.metadata and commit.version <= until]


def _stops(run: str | None, held: Sequence[str], rowless: Collection[str]) -> bool:
    """Whether a run is held, or came after one that brought a load without a row."""
    return run is not None and (run in held or any(run > each for each in rowless))


def _run(commit: Commit) -> str | None:
    return str(commit.metadata["run"]) if commit.metadata and "run" in commit.metadata else None


def _version(table: Table) -> int:
    return table.version() if table.exists() else -1
