"""What follows a log commit: its load headers, its row in `ops.run`. All of it stands in the commit, so a crash in between is mended later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.decisions.records import TABLE as DECISIONS
from muniment.decisions.records import Decision, decide
from muniment.lake.commits import Commit
from muniment.lake.tables import Lake, Table
from muniment.ledger.chain import appending
from muniment.ledger.runs import FileRecord, Run, record, recorded
from muniment.model.entity import Entity
from muniment.model.tables import load_name, log_name
from muniment.steps.headers import write_headers

Record = Callable[[Run], None]
_RECENT = 64  # more landings than this cannot be under way at once; each later one mends what an earlier one left
_under_way: set[str] = set()  # runs of this process that have yet to write what they owe
_recorded: set[str] = set()  # runs that this process knows to stand in ops.run, so that it need not look


@contextmanager
def owing(run_id: str) -> Iterator[None]:
    """While a run writes what it owes, another thread must not write it too."""
    _under_way.add(run_id)
    try:
        yield
    finally:
        _under_way.discard(run_id)


@contextmanager
def together(lake: Lake) -> Iterator[Record]:
    """Record runs in one commit, at the end, whatever happened before it."""
    ran: list[Run] = []
    try:
        yield ran.append
    finally:
        if ran:
            record(lake, *ran)
            _recorded.update(run.run_id for run in ran)


def finish(lake: Lake, entity: Entity, facts: Mapping[str, Any], *, version: int | None, to: Record | None = None) -> None:
    """Write what a run owes after its log commit; its record goes to whoever writes it, if not at once."""
    headers = write_headers(lake, entity, facts.get("headers") or (), run_id=facts["run"])
    faults.point("land:after-header")
    decide(lake, [Decision(**each) for each in facts.get("decisions") or ()], run_id=facts["run"])
    faults.point("land:after-decision")
    run = _run(lake, entity, facts, writes={log_name(entity): version, load_name(entity): headers})
    with together(lake) if to is None else nullcontext(to) as owed:
        owed(run)
    faults.point("land:after-run")


def _run(lake: Lake, entity: Entity, facts: Mapping[str, Any], *, writes: Mapping[str, int | None]) -> Run:
    log, version = lake.table(log_name(entity)), writes[log_name(entity)]
    added = log.added_files(version) if version is not None else []
    digests = log.digests([file.path for file in added])
    finished = clock.now()
    started = clock.from_micros(facts["started_at"]) or finished
    return Run(
        run_id=facts["run"],
        step=facts["step"],
        entity=entity.name,
        source=facts["source"],
        started_at=started,
        finished_at=finished,
        seconds=(finished - started).total_seconds(),
        received_at=clock.from_micros(facts["received_at"]),
        as_of=clock.from_micros(facts["as_of"]),
        batch_id=facts["batch_id"],
        content=facts["content"],
        counts=facts["counts"],
        reasons=facts["reasons"],
        files=tuple(FileRecord(*file) for file in facts["files"]),
        headers=json.dumps(facts["headers"], sort_keys=True) if facts.get("headers") else None,
        writes={name: at for name, at in writes.items() if at is not None},
        data_files=tuple(FileRecord(file.path, file.size or 0, digests[file.path]) for file in added),
        digest=facts["digest"] if version is not None else None,
        link=facts.get("link"),
        messages=tuple(facts["messages"]),
    )


def recover(lake: Lake, entity: Entity) -> list[str]:
    """Finish the runs whose rows are in the log but which ended before they could say so."""
    log = lake.table(log_name(entity))
    commits = {str(commit.metadata["run"]): commit for commit in _recent(log) if commit.metadata}
    unknown = commits.keys() - _recorded - _under_way
    if not unknown:
        return []
    _recorded.update(run.run_id for run in recorded(lake, F.col("run_id").isin(*unknown)))
    mended = [run_id for run_id in commits if run_id in unknown - _recorded]
    for run_id in mended:
        _finish_again(lake, entity, commits[run_id])
    return mended


def _finish_again(lake: Lake, entity: Entity, commit: Commit) -> None:
    """Finish a run that may have written some of what it owes: each is one commit, so any row of it means all."""
    facts = dict(commit.metadata or {})
    if lake.table(load_name(entity)).has("ingest_run_id", facts["run"]):
        facts["headers"] = []
    if lake.table(DECISIONS).has("run_id", facts["run"]):
        facts["decisions"] = []
    finish(lake, entity, facts, version=commit.version)


def _recent(log: Table) -> list[Commit]:
    return appending(log.commits(since=max(-1, log.version() - _RECENT)))
