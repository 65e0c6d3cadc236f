"""What Delta notes of each file: bounds of the columns that rows are looked for by, and of no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.project import Project

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

PARCEL = """entity: parcel
key: {depot: string, fragile: boolean}
attributes: {weight: double, note: string}
sources: {core: {load: changes, event_time: at}}
belief: {rules: [{attributes: [weight], rule: most_recent}]}
"""
TOLD = {"sk", "depot", "source_system", "source_event_ts", "ingest_ts", "ingest_run_id"}
INTERVAL = {"effective_from"}  # nothing has ended, and no bound is stated of nulls alone


@pytest.fixture(scope="module")
def project(make: Make) -> Project:
    made = make(PARCEL)
    made.land("parcel", "core", [{"depot": "Hull", "fragile": True, "at": day(1), "weight": 2.5, "note": "glass"}])
    made.derive("parcel")
    made.resolve("parcel")
    return made


def bounded(project: Project, table: str) -> set[str]:
    """The columns of which the table's files state the smallest value."""
    entries = (Path(project.lake.table(table).root()) / "_delta_log").glob("*.json")
    actions = [json.loads(line) for entry in entries for line in entry.read_text(encoding="utf-8").splitlines()]
    stated = [json.loads(action["add"]["stats"]) for action in actions if "add" in action]
    return {name for stats in stated for name in stats["minValues"]}


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("bronze.parcel_log", TOLD),
        ("bronze.parcel_history", TOLD | INTERVAL | {"last_seen_ts"}),
        ("silver.parcel_history", {"sk", "depot"} | INTERVAL),
    ],
)
def test_a_file_states_the_bounds_of_what_rows_are_looked_for_by(project: Project, table: str, columns: set[str]) -> None:
    assert bounded(project, table) == columns
