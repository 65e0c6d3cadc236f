"""One commit of a step that makes a table, and the record of it: that stands in the commit too, so that a kill between the two loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any

from pyspark.sql import DataFrame

from muniment import clock
from muniment.lake.changes import Replacement
from muniment.lake.commits import Commit
from muniment.lake.errors import Outrun
from muniment.lake.tables import Lake, Table
from muniment.ledger import runs
from muniment.ledger.runs import Run, plain
from muniment.steps.position import KEY as POSITION

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
        """Record it in `ops.run`."""
        runs.record(lake, self.ran(counts, writes=writes))

    def ran(self, counts: Mapping[str, int], *, writes: Mapping[str, int]) -> Run:
        """The row in `ops.run`."""
        finished = clock.now()
        seconds = (finished - self.started).total_seconds()
        return Run(
            self.run_id, self.step, self.entity, started_at=self.started, finished_at=finished, seconds=seconds, counts=counts, writes=writes
        )  # fmt: skip


def replace_rows(table: Table, rows: DataFrame, *, where: Replacement, step: str, said: Mapping[str, Any]) -> None:
    """Put rows in the place of those they replace, and say beside them how far was read and by which run.

    Another step may have taken this number first; what was computed here is void then, and is computed again.
    """
    number = said[POSITION]["number"]
    made = table.replace(rows, where=where, txn=f"{step}:{table.name}", txn_version=number, metadata=said)
    if made.repeated:
        raise Outrun(table=table.name, txn=f"{step}:{table.name}", txn_version=number)


def recover_record(lake: Lake, table: Table) -> None:
    """Record the newest commit's run, where it was killed before it could."""
    commit = table.last_commit(KEY) if table.exists() else None
    if commit is None or commit.metadata is None:
        return
    said = commit.metadata[KEY]
    if not is_recorded(lake, said["run"], since=commit):
        started = clock.from_micros(said["started_at"]) or commit.timestamp
        Running(said["step"], said["entity"], said["run"], started).record(lake, said["counts"], writes={table.name: commit.version})


def is_recorded(lake: Lake, run_id: str, *, since: Commit) -> bool:
    """Whether `ops.run` has a run, by its commits after another one: to read the table costs more."""
    later = takewhile(lambda commit: commit.timestamp >= since.timestamp, lake.table(runs.TABLE).newest_first())
    return any(run_id in runs.seals_in(commit) for commit in later)
