"""What follows a log commit: its load headers, its row in `ops.run`. All of it stands in the commit, so a crash in between is mended later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.decisions.records import Decision, decide
from muniment.lake.tables import Lake
from muniment.ledger.chain import appending
from muniment.ledger.runs import FileRecord, Run, record, recorded
from muniment.model.entity import Entity
from muniment.model.tables import load_name, log_name
from muniment.steps.headers import write_headers

_RECENT = 64  # more landings than this cannot be under way at once; each later one mends what an earlier one left


def finish(lake: Lake, entity: Entity, facts: Mapping[str, Any], *, version: int | None) -> None:
    """Write what a run still owes; doing it twice adds nothing."""
    log = lake.table(log_name(entity))
    added = log.added_files(version) if version is not None else []
    digests = log.digests([file.path for file in added])
    headers = write_headers(lake, entity, facts.get("headers") or (), run_id=facts["run"])
    faults.point("land:after-header")
    decide(lake, [Decision(**each) for each in facts.get("decisions") or ()], run_id=facts["run"])
    faults.point("land:after-decision")
    writes = {log_name(entity): version, load_name(entity): headers}
    finished = clock.now()
    started = clock.from_micros(facts["started_at"]) or finished
    run = Run(
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
    record(lake, run)
    faults.point("land:after-run")


def recover(lake: Lake, entity: Entity) -> list[str]:
    """Finish the runs whose rows are in the log but which ended before they could say so."""
    log = lake.table(log_name(entity))
    commits = appending(log.commits(since=max(-1, log.version() - _RECENT)))
    names = [str(commit.metadata["run"]) for commit in commits if commit.metadata]
    if not names:
        return []
    done = {run.run_id for run in recorded(lake, F.col("run_id").isin(names))}
    open_runs = [commit for commit in commits if commit.metadata and commit.metadata["run"] not in done]
    for commit in open_runs:
        finish(lake, entity, commit.metadata or {}, version=commit.version)
    return [str(commit.metadata["run"]) for commit in open_runs if commit.metadata]
