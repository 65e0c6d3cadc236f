"""What follows a load's commit: its watermarks, its row in `ops.run`. All of it stands in the commit, so a crash in between is mended later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment import clock, faults
from muniment.lake.tables import Lake, Table
from muniment.ledger.runs import FileRecord, Run, record
from muniment.loads import marks
from muniment.model.load import Load
from muniment.steps.ran import is_recorded

KEY = "load"


def last_facts(table: Table) -> Mapping[str, Any] | None:
    """What the newest load has said of itself."""
    said: Mapping[str, Any] | None = table.last_metadata(KEY)
    return said


def finish(lake: Lake, load: Load, facts: Mapping[str, Any], *, version: int | None) -> None:
    """Write what a load owes: only now do watermarks move."""
    at = clock.from_micros(facts["at"])
    marks.write(lake, load, facts["watermarks"], cause=marks.Cause(marks.MOVED, facts["run"], at=at))
    faults.point("load:after-watermark")
    finished = clock.now()
    started = clock.from_micros(facts["started_at"]) or finished
    run = Run(
        run_id=facts["run"],
        step="load",
        entity=load.name,
        started_at=started,
        finished_at=finished,
        seconds=(finished - started).total_seconds(),
        received_at=at,
        counts=facts["counts"],
        files=tuple(FileRecord(*file) for file in facts["files"]),
        writes={} if version is None else {load.table: version},
        messages=tuple(facts["messages"]),
    )
    record(lake, run)
    faults.point("load:after-run")


def recover(lake: Lake, load: Load) -> None:
    """Finish the newest load, where it was killed before it could; each is one commit, so any row of it means all."""
    table = lake.table(load.table)
    commit = table.last_commit(KEY) if table.exists() else None
    if commit is None or commit.metadata is None:
        return
    facts = dict(commit.metadata[KEY])
    if is_recorded(lake, facts["run"], since=commit):
        return
    written = lake.table(marks.TABLE)
    if written.exists() and written.has("run_id", facts["run"]):
        facts["watermarks"] = []
    finish(lake, load, facts, version=commit.version)
