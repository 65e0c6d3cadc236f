"""One delivery, every way that a key can take: the timeline is the one that the log alone gives."""

from __future__ import annotations

import pytest

from muniment.evidence.lanes import difference
from muniment.project import Project
from muniment.steps.keys import FEW

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day, lines

ENTITY = """
entity: item
key: {id: string}
attributes: {name: string, size: long}
precedence: [shop, feed]
sources:
  feed: {load: changes, event_time: at, op: {column: op, insert: [c], update: [u], delete: [d]}}
  shop: {load: partial, event_time: at}
"""


def row(key: str, at: int, name: str, op: str = "u") -> dict[str, object]:
    return {"id": key, "at": day(at), "name": name, "size": at, "op": op}


@pytest.fixture
def project(make: Make) -> Project:
    made = make(ENTITY)
    made.land("item", "feed", [row(key, 1, "old") for key in "ABCDEF"])
    made.land("item", "shop", [{"id": "B", "at": day(2), "name": "of the shop"}])
    made.derive("item")
    return made


@pytest.mark.parametrize("more", [0, FEW])
def test_keys_that_step_go_on_and_are_repaired_in_one_derive(project: Project, more: int) -> None:
    delivery = [
        row("A", 5, "new"),  # one step
        row("B", 5, "new"),  # one step, after another source
        {**row("C", 5, "old"), "size": 1},  # one step that says the same again
        row("D", 5, "new"),
        row("D", 6, "newer"),  # two rows
        row("E", 5, "", op="d"),  # states nothing but that it is gone
        {**row("F", 5, "early"), "at": "2026-02-01"},  # late
        row("G", 5, "first"),  # never seen
    ]
    project.land("item", "feed", delivery)
    if more:  # too many to be read by name
        others = ("concat('other ', id) AS id", f"DATE '{day(5)}' AS at", "'other' AS name", "id AS size", "'c' AS op")
        project.land("item", "feed", project.spark.range(more).selectExpr(*others))
    done = project.derive("item")
    assert (done.keys, done.repaired, done.late, done.unchanged) == (7 + more, 1, 1, 0)
    assert lines(project.history("item").where("length(id) = 1"), "name", "seen_count", "is_current", "is_deleted") == [
        ("A", "feed", day(1), day(5), "old", 1, False, False),
        ("A", "feed", day(5), None, "new", 1, True, False),
        ("B", "feed", day(1), day(2), "old", 1, False, False),
        ("B", "shop", day(2), day(5), "of the shop", 1, False, False),
        ("B", "feed", day(5), None, "new", 1, True, False),
        ("C", "feed", day(1), None, "old", 2, True, False),
        ("D", "feed", day(1), day(5), "old", 1, False, False),
        ("D", "feed", day(5), day(6), "new", 1, False, False),
        ("D", "feed", day(6), None, "newer", 1, True, False),
        ("E", "feed", day(1), day(5), "old", 1, False, False),
        ("E", "feed", day(5), None, "old", 1, True, True),
        ("F", "feed", "2026-02-01", day(1), "early", 1, False, False),
        ("F", "feed", day(1), None, "old", 1, True, False),
        ("G", "feed", day(5), None, "first", 1, True, False),
    ]
    derived = project.table("bronze.item_history").localCheckpoint()
    project.rebuild("item")
    assert difference(derived, project.table("bronze.item_history")).rows.take(1) == []
