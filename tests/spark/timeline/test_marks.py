"""Marks on landed runs: held, left out, and brought back; the tables are those of a lake in which it never happened (R29)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame

from muniment import clock
from muniment.project import Project
from muniment.steps.errors import NothingToDecide

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import Line, day, lines

ITEM = """\
entity: item
key: {id: string}
attributes: {name: string, status: string}
precedence: [core, crm]
sources:
  core: {load: partial, event_time: at}
  crm: {load: full, absence: deletes, event_time: {given: as_of}, complete: {unit: call, min_fraction: 0}}
"""
RECEIVED = datetime(2026, 4, 1, tzinfo=UTC)
Batch = tuple[str, list[dict[str, object]], str | None]

GOOD: list[Batch] = [
    ("core", [{"id": "a", "at": day(1), "name": "A", "status": "x"}, {"id": "b", "at": day(1), "name": "B"}], None),
    ("crm", [{"id": "a", "name": "A."}, {"id": "b", "name": "B."}], day(2)),
]
BAD: Batch = ("core", [{"id": "a", "at": day(3), "status": "wrong"}, {"id": "only", "at": day(3), "name": "from the bad run"}], None)
LATER: list[Batch] = [("core", [{"id": "a", "at": day(5), "name": "AA"}, {"id": "c", "at": day(5), "name": "C"}], None)]
ALL = [*GOOD, BAD, *LATER]


CHECKED = """\
entity: member
key: {id: string}
attributes: {status: string}
sources: {core: {load: partial, event_time: at}}
checks:
  - {accepted: {status: [Active, Closed]}, on_fail: mark}
"""


def land(project: Project, batches: list[Batch], *, after: int = 0) -> list[str]:
    """Land batches, an hour apart, so that two lakes hear them at the same times."""
    return [
        project.land("item", source, data, as_of=as_of, received_at=RECEIVED + timedelta(hours=after + number)).run_id
        for number, (source, data, as_of) in enumerate(batches)
    ]


def told(project: Project) -> tuple[list[Line], list[Line]]:
    """History and belief, all of it but the names of runs."""
    versions = lines(project.history("item"), "name", "status", "is_deleted", "seen_count", "is_current", "assertion_id")
    return versions, beliefs(project.belief_history("item"))


def beliefs(frame: DataFrame) -> list[Line]:
    rows = frame.select("id", "effective_from", "effective_to", "name", "status", "is_deleted", "contested", "origin").collect()
    return sorted((tuple(map(str, row)) for row in rows), key=str)


Told = tuple[list[Line], list[Line]]


def lake_of(make: Make, batches: list[Batch]) -> Told:
    """The tables of a lake without any mark."""
    project = make(ITEM)
    for batch in batches:
        land(project, [batch], after=ALL.index(batch))
    project.resolve("item")
    return told(project)


@pytest.mark.heavy  # three lakes; the same on one, by commands: tests/cli/test_marks.py
def test_a_run_is_held_left_out_as_if_it_had_never_landed_and_brought_back_as_if_it_had_never_been_marked(make: Make) -> None:
    without, with_it = lake_of(make, [*GOOD, *LATER]), lake_of(make, ALL)
    assert without != with_it
    project = make(ITEM)
    land(project, GOOD)
    project.resolve("item")
    good = told(project)
    (bad,) = land(project, [BAD], after=2)
    project.mark("item", bad, reason="who is this?", by="jane")
    land(project, LATER, after=3)
    derived, resolved = project.derive("item"), project.resolve("item")
    assert (derived.held, derived.changed, resolved.changed) == ((bad,), 0, 0)
    assert told(project) == good

    before = clock.now()
    project.mark("item", bad, reason="a test system spoke", by="jane", exclude=True)
    assert told(project) == without
    assert (project.derive("item").held, lines(project.history("item", key="only"))) == ((), [])
    assert project.verify("item").problems == ()
    why = project.why("item", "a", "status")
    assert (why.value, why.note) == ("x", f"what run {bad} says is left out: marked by jane: a test system spoke")
    assert project.why("item", "a", "status", known_at=before).note == ""
    assert beliefs(project.belief_history("item", known_at=before)) == with_it[1]

    done = project.unmark("item", bad, reason="it was production", by="jane")
    assert (done.versions > 0, done.intervals > 0) == (True, True)
    assert told(project) == with_it
    with pytest.raises(NothingToDecide, match="no run x"):
        project.mark("item", "x", reason="?", by="jane")

    (short,) = land(project, [("crm", [{"id": "a", "name": "A."}], day(6))], after=4)  # a complete load: b is gone, it says
    project.resolve("item")
    assert told(project) != with_it
    project.mark("item", short, reason="half a file", by="jane", exclude=True)
    assert told(project) == with_it


def test_a_check_that_marks_holds_the_run_that_fails_it_until_somebody_decides(make: Make) -> None:
    project = make(CHECKED, connections="alerts: [{file: {path: alerts.jsonl}}]\n")
    good = project.land("member", "core", [{"id": "a", "at": day(1), "status": "Active"}])
    dry = project.land("member", "core", [{"id": "a", "at": day(2), "status": "Asleep"}], dry_run=True)
    assert (good.marked, dry.marked, project.derive("member").held) == ((), ("accepted status",), ())

    rows = [{"id": "a", "at": day(2), "status": "Asleep"}, {"id": "b", "at": day(2), "status": "Closed"}]
    bad = project.land("member", "core", rows)
    assert (bad.landed, bad.quarantined, bad.marked) == (2, 0, ("accepted status",))
    assert bad.messages == ("1 rows fail the check accepted status, which holds the run",)
    later = project.land("member", "core", [{"id": "c", "at": day(3), "status": "Active"}])
    assert (later.marked, project.derive("member").held, project.history("member").count()) == ((), (bad.run_id,), 1)
    (mark,) = project.table("ops.mark").select("verb", "target", "effect", "made_by", "reason").collect()
    assert tuple(mark) == ("mark", bad.run_id, "hold", "check accepted status", "1 rows fail it")
    (alert,) = (project.model.root / "alerts.jsonl").read_text(encoding="utf-8").splitlines()
    assert f"muniment unmark member {bad.run_id}" in alert

    project.unmark("member", bad.run_id, reason="a new status", by="jane")
    assert (project.derive("member").held, project.history("member").where("is_current").count()) == ((), 3)
    project.mark("member", bad.run_id, reason="not so new", by="jane", exclude=True)
    assert sorted(row["id"] for row in project.history("member").collect()) == ["a", "c"]


def test_a_run_that_brought_a_load_without_a_row_can_be_held_too(make: Make) -> None:
    project = make(ITEM.replace("min_fraction: 0", "min_fraction: 0, allow_empty: true"))
    land(project, GOOD)
    project.derive("item")
    (empty,) = land(project, [("crm", [], day(4))], after=2)
    project.mark("item", empty, reason="nobody left?", by="jane")
    land(project, LATER, after=3)
    assert (project.derive("item").held, project.history("item").where("is_deleted").count()) == ((empty,), 0)
    assert project.history("item", key="c").count() == 0
    project.unmark("item", empty, reason="the branch was closed", by="jane")
    assert project.history("item").where("is_deleted").select("id").distinct().count() == 2  # a and b; c came after the empty load
    assert project.history("item", key="c").count() == 1
