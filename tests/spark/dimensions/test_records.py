"""Runs on record: those of one call in one commit of `ops.run`, each with a seal of its own (R27)."""

from __future__ import annotations

from datetime import UTC, datetime

from muniment.lake.commits import Commit
from muniment.ledger.runs import TABLE, seals_in
from muniment.quality.chain import verify_runs

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

MEMBER = "dimension: dim_member\nkey: {id: string}\nevent_time: at\ncolumns: {tier: string}\n"


def test_an_apply_and_its_landing_are_recorded_in_one_commit_and_each_is_sealed(make: Make) -> None:
    project = make(MEMBER)
    records = project.lake.table(TABLE)
    before = records.version()
    project.apply("dim_member", [{"id": "m", "at": day(1), "tier": "Gold"}])
    assert records.version() == before + 1
    ran = {row["step"]: row["run_id"] for row in project.runs("dim_member").collect()}
    assert ran.keys() == {"land", "apply"}
    assert seals_in(records.commits(since=before)[0]).keys() == set(ran.values())
    assert verify_runs(project.lake) == []
    project.spark.sql(f"UPDATE {records.identifier} SET counts = map() WHERE step = 'land'")
    assert [(problem.where, problem.detail) for problem in verify_runs(project.lake)] == [(ran["land"], "its row in ops.run was edited")]


def test_a_commit_of_an_earlier_form_tells_of_its_one_run() -> None:
    commit = Commit(3, datetime(2026, 3, 1, tzinfo=UTC), "WRITE", metadata={"run": "A", "seal": "ab"})
    assert seals_in(commit) == {"A": "ab"}
