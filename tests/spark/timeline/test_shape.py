"""A change of what shapes history asks for a rebuild and says what it would do; a new attribute does not (R4, R28)."""

from __future__ import annotations

import json
import re

import pytest

from muniment.project import Project
from muniment.steps.errors import HistoryShapeChanged

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day, lines

pytestmark = pytest.mark.heavy  # each story needs a lake or a process of its own: make heavy

ITEM = """
entity: item
key: {id: string}
attributes: {name: string, status: string}
precedence: [core, crm]
history: {deletes: version}
sources:
  core: {load: partial, event_time: at}
  crm: {load: changes, event_time: at}
"""
ROWS = [
    ("core", [{"id": "1", "at": day(1), "name": "core"}, {"id": "2", "at": day(1), "name": "two"}]),
    ("crm", [{"id": "1", "at": day(1), "name": "crm", "status": "X"}]),
    ("core", [{"id": "1", "at": day(3), "status": "Y"}]),
]
PLACES = ("source_path", "source_file", "ingest_run_id", "ingest_ts", "first_seen_ts", "last_seen_ts", "origin")


def fed(project: Project) -> Project:
    for number, (source, rows) in enumerate(ROWS, start=1):
        project.land("item", source, rows, received_at=f"2026-04-0{number}")
    return project


def test_derive_refuses_says_how_many_keys_and_rebuild_equals_a_table_made_so_from_the_start(make: Make) -> None:
    first = fed(make(ITEM))
    first.derive("item")
    other = ITEM.replace("[core, crm]", "[crm, core]")
    changed = make(other, again=first)

    with pytest.raises(HistoryShapeChanged) as refused:
        changed.derive("item")
    assert "precedence" in str(refused.value)
    assert re.search(r"1 of 2 keys", str(refused.value))
    assert len(lines(changed.history("item"))) == 4  # nothing was changed

    changed.rebuild("item")
    fresh = fed(make(other))
    fresh.derive("item")
    one, two = (project.table("bronze.item_history").drop(*PLACES) for project in (changed, fresh))
    assert one.exceptAll(two).count() == two.exceptAll(one).count() == 0
    assert changed.derive("item").changed == 0
    kept = changed.table("ops.rule_set").orderBy("version").collect()
    assert [(row["version"], json.loads(row["settings"])["precedence"]) for row in kept] == [(1, ["core", "crm"]), (2, ["crm", "core"])]


def test_a_new_attribute_keeps_old_hashes_makes_no_version_and_is_unknown_before(make: Make) -> None:
    first = fed(make(ITEM))
    first.derive("item")
    before = {(row["id"], row["effective_from"], row["source_system"]): row["attr_hash"] for row in first.history("item").collect()}

    grown = make(ITEM.replace("status: string", "status: string, city: string"), again=first)
    assert grown.derive("item").changed == 0
    grown.land("item", "core", [{"id": "1", "at": day(5), "city": "York"}], received_at="2026-04-05")
    assert grown.derive("item").opened == 1
    rows = grown.history("item").collect()
    after = {(row["id"], row["effective_from"], row["source_system"]): row["attr_hash"] for row in rows}
    assert {place: after[place] for place in before} == before
    assert sorted(str(row["city"]) for row in rows) == ["None", "None", "None", "None", "York"]
    assert grown.verify("item").problems == ()
