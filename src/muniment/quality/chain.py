"""Proof that the log was not edited: its commits, its rows, its files and its runs must all tell the same story (R27)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.lake.commits import Commit
from muniment.lake.failed import FAILED
from muniment.lake.tables import Lake, Table
from muniment.lake.trouble import summary
from muniment.ledger.chain import START, appending, next_link
from muniment.ledger.digest import lanes, row_digest, seal
from muniment.ledger.runs import TABLE, Run, recorded, seals_in
from muniment.model.entity import Entity
from muniment.model.tables import log_name
from muniment.quality.problems import Problem

# What may happen to a log beside landing: none of these changes a row.
HARMLESS = frozenset(
    {
        "CREATE TABLE",
        "ADD COLUMNS",
        "SET TBLPROPERTIES",
        "OPTIMIZE",
        "VACUUM START",
        "VACUUM END",
        "CLUSTER BY",
        "CHANGE COLUMN",
        "UPGRADE PROTOCOL",
    }
)
CHECKS = ("commits", "chain", "runs", "files", "rows")


def verify_chain(lake: Lake, entity: Entity) -> list[Problem]:
    """Everything that is not as the runs left it, by name."""
    log = lake.table(log_name(entity))
    if not log.exists():
        return []
    try:
        return _verify(lake, entity, log)
    except FAILED as error:
        return [Problem("files", log.name, f"it cannot be read: {summary(error)[:200]}")]


def _verify(lake: Lake, entity: Entity, log: Table) -> list[Problem]:
    commits = log.commits()
    runs = recorded(lake, (F.col("entity") == entity.name) | F.col("entity").isNull())
    files = list(_files(log, runs))
    broken = any(problem.check == "files" for problem in files)
    rows = [] if broken else list(_rows(log, commits))
    return [*_commits(log, commits), *_links(commits), *_runs(lake, commits, runs=runs), *files, *rows]


def verify_seals(table: Table, *, run: str) -> list[Problem]:
    """Everything that is not as the runs left it in another table that is sealed like the log; `run` is its column with their ids."""
    if not table.exists():
        return []
    try:
        commits = table.commits()
        return [*_commits(table, commits), *_links(commits), *_rows(table, commits, run=run)]
    except FAILED as error:
        return [Problem("files", table.name, f"it cannot be read: {summary(error)[:200]}")]


def verify_runs(lake: Lake) -> list[Problem]:
    """Every run that was recorded is still there, word for word."""
    table = lake.table(TABLE)
    if not table.exists():
        return []
    now = {run.run_id: run.seal() for run in recorded(lake, F.lit(True))}
    said = {name: mark for commit in table.commits() for name, mark in seals_in(commit).items()}
    gone = [Problem("runs", name, "its row is no longer in ops.run") for name in said if name not in now]
    edited = [Problem("runs", name, "its row in ops.run was edited") for name, mark in said.items() if name in now and now[name] != mark]
    foreign = [Problem("runs", name, "its row in ops.run was not written by a run") for name in now if name not in said]
    return [*gone, *edited, *foreign]


def _commits(log: Table, commits: Sequence[Commit]) -> Iterator[Problem]:
    there = {commit.version for commit in commits}
    for version in range(log.version() + 1):
        if version not in there:
            yield Problem("commits", f"{log.name} version {version}", "the log entry of this commit is missing")
    for commit in commits:
        if not (commit.metadata and "link" in commit.metadata) and commit.operation not in HARMLESS:
            yield Problem("commits", f"{log.name} version {commit.version}", f"{commit.operation} changed the log outside of a landing")


def _links(commits: Sequence[Commit]) -> Iterator[Problem]:
    """Each link follows from what its commit says and from an earlier link."""
    known = {START}
    for commit in appending(list(commits)):
        said: dict[str, Any] = dict(commit.metadata or {})
        if said["previous"] not in known or next_link(said["previous"], said) != said["link"]:
            yield Problem("chain", f"run {said['run']}", f"the chain is broken at version {commit.version} of the log")
        known.add(said["link"])


def _runs(lake: Lake, commits: Sequence[Commit], *, runs: Sequence[Run]) -> Iterator[Problem]:
    landed = {str(commit.metadata["run"]): commit.metadata for commit in appending(list(commits)) if commit.metadata}
    by_id = {run.run_id: run for run in runs}
    for name, said in landed.items():
        run = by_id.get(name)
        if run is None:
            yield Problem(
                "runs", f"run {name}", "its rows are in the log, but ops.run does not know it (dropped, or not finished: land again)"
            )
        elif _told(run) != {field: said[field] for field in _told(run)}:
            yield Problem("runs", f"run {name}", "ops.run tells another story than the log's commit")
    for run in runs:
        if run.link is not None and run.run_id not in landed:
            yield Problem("runs", f"run {run.run_id}", "ops.run says that it landed rows, but the log has no such commit")


def _told(run: Run) -> dict[str, Any]:
    return {
        "source": run.source,
        "digest": run.digest,
        "link": run.link,
        "counts": dict(run.counts),
        "reasons": dict(run.reasons),
        "files": [[file.path, file.size, file.sha256] for file in run.files],
        "headers": json.loads(run.headers) if run.headers else [],
    }


def _files(log: Table, runs: Sequence[Run]) -> Iterator[Problem]:
    """Each live data file is there, and is byte for byte what a run wrote."""
    written = {file.path: file.sha256 for run in runs for file in run.data_files}
    live = log.files()
    for file in live:
        if file.size is None:
            yield Problem("files", file.path, "the data file is missing")
    there = [file.path for file in live if file.size is not None]
    for path, digest in log.digests(there).items():
        if path in written and written[path] != digest:
            yield Problem("files", path, "the data file was changed after a run wrote it")


def _rows(log: Table, commits: Sequence[Commit], *, run: str = "ingest_run_id") -> Iterator[Problem]:
    """The rows of each run add up to the digest in its commit."""
    frame = log.read()
    names = [field.name for field in frame.schema.fields]
    found: dict[str, Row] = {}
    sums = frame.select(quoted(run), row_digest(frame.schema).alias("_digest")).groupBy(quoted(run))
    try:
        found = {row[run]: row for row in sums.agg(F.count(F.lit(1)).alias("rows"), *lanes("_digest", "d")).collect()}
    except FAILED as error:
        yield Problem("rows", log.name, f"its rows cannot be read: {summary(error)[:200]}")
        return
    landed = {str(c.metadata["run"]): c.metadata for c in appending(list(commits)) if c.metadata}
    for name, said in landed.items():
        if name not in found:
            yield Problem("rows", f"run {name}", "none of the rows it landed is in the log")
        elif seal([found[name]], "d", count="rows") != said["digest"]:
            yield Problem("rows", f"run {name}", f"its rows in the log are not those it landed ({len(names)} columns checked)")
    for name in found.keys() - landed.keys():
        yield Problem("rows", f"run {name}", "there are rows of a run that never landed any")
