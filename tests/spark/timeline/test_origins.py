"""Where each value came from: kept only of what a version took over, and shown of everything to whoever reads."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame

from muniment.project import Project

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

ITEM = """entity: item
key: {id: string}
attributes:
  name: string
  status: string
  note: {type: string, track: false}
sources:
  core: {load: changes, event_time: at, carries: [name, status, note]}
  crm: {load: partial, event_time: at}
"""
OPENED = {"id": "1", "at": day(1), "name": "one", "status": None, "note": "first"}
SEEN_AGAIN = {"id": "1", "at": day(2), "name": "one", "status": None, "note": "second"}
IN_PART = {"id": "1", "at": day(3), "name": "other"}
READ = "bronze.item_history"
PLACE = ("source_system", "source_event_ts")


@pytest.fixture(scope="module")
def project(make: Make) -> Project:
    made = make(ITEM)
    made.land("item", "core", [OPENED])
    made.derive("item")
    made.land("item", "core", [SEEN_AGAIN])
    made.derive("item")
    made.land("item", "crm", [IN_PART])
    made.derive("item")
    return made


def told(project: Project, versions: DataFrame) -> list[tuple[str | None, ...]]:
    """The origins of name, status and note, version by version: which row of whom. The newest statement is taken over (R12)."""
    log = {row["assertion_id"]: row for row in project.table("bronze.item_log").collect()}
    spoken = {said: f"{row['source_system']} {row['name']} {row['note']}" for said, row in log.items()}
    found: list[tuple[str | None, ...]] = []
    for row in versions.orderBy("effective_from").collect():
        origins = [row["origin"][name] for name in ("name", "status", "note")]
        assert all(o is None or (o["source"], o["event_ts"]) == tuple(log[o["assertion_id"]][n] for n in PLACE) for o in origins)
        found.append(tuple(None if o is None else spoken[o["assertion_id"]] for o in origins))
    return found


def test_a_version_keeps_where_a_value_came_from_only_where_its_own_assertion_did_not_state_it(project: Project) -> None:
    held = project.lake.table(READ).read()
    assert told(project, held) == [
        (None, None, "core one second"),  # an untracked value is the last that was said (R2)
        (None, "core one second", "core one second"),
    ]


def test_whoever_reads_sees_where_every_value_came_from(project: Project) -> None:
    whole = [
        ("core one first", "core one first", "core one second"),
        ("crm other None", "core one second", "core one second"),
    ]
    assert told(project, project.history("item")) == whole
    assert told(project, project.history("item", "1", known_at="2100-01-01")) == whole
    assert told(project, project.table(READ)) == whole
    assert told(project, project.sql(f"SELECT * FROM {READ} WHERE id = '1'")) == whole


def test_a_value_that_nobody_stated_comes_from_nowhere(make: Make) -> None:
    project = make(ITEM)
    project.land("item", "crm", [IN_PART, {"id": "1", "at": day(4), "name": "last"}])
    project.derive("item")
    assert told(project, project.history("item")) == [("crm other None", None, None), ("crm last None", None, None)]


def test_what_was_taken_over_from_a_head_is_what_a_rebuild_finds(project: Project) -> None:
    went_on = told(project, project.lake.table(READ).read())
    project.rebuild("item")
    assert told(project, project.lake.table(READ).read()) == went_on
