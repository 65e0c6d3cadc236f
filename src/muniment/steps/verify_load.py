"""Whether the table of a load still is what its runs say: no other hand has written to it, and rows, runs and watermarks agree (R25)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import functions as F

from muniment.lake.commits import Commit
from muniment.lake.failed import FAILED
from muniment.lake.tables import Lake, Table
from muniment.lake.trouble import summary
from muniment.ledger.runs import recorded
from muniment.loads import invariants, marks
from muniment.model.load import Load, Strategy
from muniment.quality.chain import HARMLESS
from muniment.quality.problems import Problem
from muniment.steps.load_records import KEY

CHECKS = ("commits", "runs", "watermarks", "counts", *invariants.CHECKS)
Facts = Mapping[str, Any]


def verify_load(lake: Lake, load: Load) -> list[Problem]:
    """Everything that is not as the load's runs left it, by name."""
    table = lake.table(load.table)
    if not table.exists():
        return []
    try:
        commits = table.commits()
        since = next((n for n, commit in enumerate(commits) if _facts(commit)), len(commits))
        mine = commits[since:]  # what was there before the first load is not the load's
        facts = [said for commit in mine if (said := _facts(commit))]
        first = since <= 1 or all(commit.operation in HARMLESS for commit in commits[:since])
        counted = _counts(table, load, facts) if first else ()
        return [*_commits(table, mine), *_runs(lake, load, facts), *_watermarks(lake, load, facts), *counted, *_rows(table, load)]
    except FAILED as error:
        return [Problem("files", table.name, f"it cannot be read: {summary(error)[:200]}")]


def _facts(commit: Commit) -> Facts | None:
    return commit.metadata.get(KEY) if commit.metadata else None


def _commits(table: Table, commits: Sequence[Commit]) -> Iterator[Problem]:
    for commit in commits:
        if _facts(commit) is None and commit.operation not in HARMLESS:
            yield Problem("commits", f"{table.name} version {commit.version}", f"{commit.operation} changed the table outside of a load")


def _runs(lake: Lake, load: Load, facts: Sequence[Facts]) -> Iterator[Problem]:
    known = {run.run_id: run for run in recorded(lake, (F.col("entity") == load.name) & (F.col("step") == "load"))}
    for said in facts:
        run = known.get(said["run"])
        if run is None:
            yield Problem(
                "runs", f"run {said['run']}", "its rows are loaded, but ops.run does not know it (dropped, or not finished: load again)"
            )
        elif dict(run.counts) != dict(said["counts"]):
            yield Problem("runs", f"run {said['run']}", "ops.run tells another story than the table's commit")


def _watermarks(lake: Lake, load: Load, facts: Sequence[Facts]) -> Iterator[Problem]:
    moved = {(said["run"], move["column"], move["value"]) for said in facts for move in said["watermarks"]}
    if not moved:
        return
    kept = {(row["run_id"], row["column"], row["value"]) for row in marks.history(lake, load.name, every=True).collect()}
    for run, column, value in sorted(moved - kept):
        yield Problem("watermarks", f"run {run}", f"it read {column} up to {value}, and ops.watermark does not know it")


def _counts(table: Table, load: Load, facts: Sequence[Facts]) -> Iterator[Problem]:
    """As many keys as were ever inserted; of a full load without partitions, as many rows as the last slice had."""
    if not facts or (load.strategy is Strategy.FULL and load.partition):
        return
    counted = facts[-1:] if load.strategy is Strategy.FULL else facts
    said = sum(each["counts"]["inserted"] for each in counted)
    found = table.read().where(load.names.is_current).count() if load.is_historic else table.read().count()
    if found != said:
        yield Problem("counts", table.name, f"it has {found:,} keys, and its runs say {said:,}")


def _rows(table: Table, load: Load) -> Iterator[Problem]:
    """Every check on rows in one look: how many fail it, and one of them."""
    rows = invariants.broken(table.read(table.version()), load=load)
    counts = [F.count_if(name).alias(name) for name in invariants.CHECKS]
    ones = [F.min(F.when(F.col(name), F.col("key"))).alias(f"one {name}") for name in invariants.CHECKS]
    (found,) = rows.agg(*counts, *ones).collect()
    for name, problem in invariants.CHECKS.items():
        if found[name]:
            yield Problem(name, table.name, f"{found[name]:,} rows, such as {found[f'one {name}']}: {problem}")
