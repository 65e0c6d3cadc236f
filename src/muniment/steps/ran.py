"""The record of a step that makes a table: it stands in the table's commit too, so that a kill between the two loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any

from muniment import clock
from muniment.lake.commits import Commit
from muniment.lake.tables import Lake, Table
from muniment.ledger import runs
from muniment.ledger.runs import Run, plain

KEY = "ran"


@dataclass(frozen=True, slots=True)
class Running:
    """A step under way."""

    step: str
    entity: str
    run_id: str = field(default_factory=clock.new_id)
    started: datetime = field(default_factory=clock.now)

    def said(self, counts: Mapping[str, int]) -> dict[str, Any]:
        """As it stands in the commit."""
        return {KEY: {"run": self.run_id, "step": self.step, "entity": self.entity, "started_at": plain(self.started), "counts": counts}}

    def record(self, lake: Lake, counts: Mapping[str, int], *, writes: Mapping[str, int]) -> None:
        """The row in `ops.run`."""
        finished = clock.now()
        seconds = (finished - self.started).total_seconds()
        run = Run(
            self.run_id, self.step, self.entity, started_at=self.started, finished_at=finished, seconds=seconds, counts=counts, writes=writes
        )  # fmt: skip
        runs.record(lake, run)


def recover_record(lake: Lake, table: Table) -> None:
    """Record the newest commit's run, where it was killed before it could."""
    commit = table.last_commit(KEY) if table.exists() else None
    if commit is None or commit.metadata is None:
        return
    said = commit.metadata[KEY]
    if not _is_recorded(lake, said["run"], since=commit):
        started = clock.from_micros(said["started_at"]) or commit.timestamp
        Running(said["step"], said["entity"], said["run"], started).record(lake, said["counts"], writes={table.name: commit.version})


def _is_recorded(lake: Lake, run_id: str, *, since: Commit) -> bool:
    later = takewhile(lambda commit: commit.timestamp >= since.timestamp, lake.table(runs.TABLE).newest_first())
    return any(commit.metadata is not None and commit.metadata.get("run") == run_id for commit in later)
