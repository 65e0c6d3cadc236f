"""Checks on the rows of a slice before they enter: failing rows wait, the others go on, and nobody is gone because a row of it waits (R19)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.errors import MunimentError
from muniment.lake.errors import TableMissing
from muniment.project import Project
from muniment.steps.errors import NothingToDecide

from tests.spark.loads.telling import day, lines
from tests.spark.timeline.conftest import Make

ORDERS = """
load: orders
strategy: merge
read: {format: csv, path: slices}
key: {id: long}
columns: {state: string, qty: int, mail: string, at: date}
deleted: gone = 'yes'
drift: ignore
watermark: [{column: at, lag: 9 days}]
absence: deletes
max_deleted: 1.0
checks:
  - {not_null: state, on_fail: quarantine}
  - {accepted: {state: [open, shut]}, on_fail: quarantine}
  - {range: {qty: {min: 0, max: 9}}, on_fail: quarantine}
  - {unique: mail, on_fail: quarantine}
  - {sql: "qty < 5 OR state = 'open'"}
  - {not_null: id, on_fail: quarantine}
"""
STOPS = "load: stops\nstrategy: merge\nkey: {id: long}\ncolumns: {n: int}\nchecks: [{range: {n: {min: 0}}, on_fail: stop}]\n"
REFERS = """
load: refers
strategy: merge
key: {id: long}
columns: {order: long}
checks: [{reference: {order: silver.orders.id}, on_fail: quarantine}]
"""
HEADER = "id,state,qty,mail,at,gone\n"


@pytest.fixture(scope="module")
def project(make: Make) -> Project:
    project = make(ORDERS, STOPS, REFERS)
    (project.model.root / "slices").mkdir()
    return project


def slice_of(project: Project, number: int, *rows: str) -> Path:
    place = project.model.root / "slices" / f"{number}.csv"
    place.write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return place


def test_rows_that_fail_wait_with_their_reason_and_the_others_enter(project: Project) -> None:
    slice_of(project, 1, "1,open,1,a@x,2026-03-01,", "2,open,1,b@x,2026-03-01,", "3,shut,7,c@x,2026-03-01,", "4,open,1,,2026-03-01,")
    done = project.load("orders", at=day(1))
    assert (done.received, done.inserted, done.quarantined) == (4, 4, 0)
    assert done.messages == ("1 rows fail the check sql `qty` < 5 OR `state` = 'open'",)  # a warning keeps nobody out

    slice_of(
        project, 2,
        "1,,1,a@x,2026-03-02,",  # no state: what is held of 1 stays, and 1 is not missed
        "2,lost,12,b@x,2026-03-09,",  # two checks; its date moves no watermark
        "4,open,2,same@x,2026-03-02,", "5,open,2,same@x,2026-03-02,",
        "6,open,2,,2026-03-03,",
        "3,,,,,yes",  # says that 3 is gone, and states nothing else
    )  # fmt: skip
    done = project.load("orders", at=day(2))
    assert (done.received, done.inserted, done.deleted, done.quarantined, done.inferred_deletes) == (6, 1, 1, 4, 0)
    assert dict(done.watermarks) == {"at": day(3)}
    assert lines(project, "orders", "id", "state", "qty", "is_deleted") == [
        (1, "open", 1, False), (2, "open", 1, False), (3, "shut", 7, True), (4, "open", 1, False), (6, "open", 2, False),
    ]  # fmt: skip
    aside = project.quarantine("orders").collect()
    assert sorted((json.loads(row["raw"])["id"], row["reason"], row["detail"], row["source_file"]) for row in aside) == [
        ("1", "check_failed", "not_null state", "2.csv"),
        ("2", "check_failed", "accepted state; range qty", "2.csv"),
        ("4", "check_failed", "unique mail", "2.csv"),
        ("5", "check_failed", "unique mail", "2.csv"),
    ]
    assert json.loads(aside[0]["raw"]).keys() == {"id", "state", "qty", "mail", "at", "gone"}
    with pytest.raises(NothingToDecide, match="MU-DECIDE-001 orders: it is no entity and keeps no log"):
        project.release([aside[0]["quarantine_id"]], by="jane", reason="it is right")
    assert project.reject([aside[0]["quarantine_id"]], by="jane", reason="never was") == 1
    assert project.quarantine("orders").count() == 3
    counts = project.runs("orders").select("counts").collect()[0]["counts"]
    assert counts["received"] == sum(counts[name] for name in counts if name not in ("received", "inferred_deletes")) == 6

    slice_of(project, 3, "1,open,1,a@x,2026-03-04,", ",open,1,z@x,2026-03-04,")  # a row without a key: it may be anybody's
    done = project.load("orders", at=day(4))
    assert (done.unchanged + done.updated, done.quarantined, done.inferred_deletes) == (1, 1, 0)
    assert "1 rows without a key were set aside: who is missing from the slice counts as nothing said" in done.messages


def test_a_check_that_stops_refuses_the_slice_and_what_is_not_stated_cannot_fail(project: Project) -> None:
    with pytest.raises(MunimentError, match=r"MU-LOAD-011 stops: rows of the slice fail range n \(2\); nothing was loaded"):
        project.load("stops", [{"id": 1, "n": -1}, {"id": 2, "n": -2}, {"id": 3, "n": 1}])
    assert not project.lake.table("silver.stops").exists()
    project.load("stops", [{"id": 1}])  # what a slice has no column for cannot fail
    with pytest.raises(MunimentError, match="MU-LOAD-003"):  # a value that cannot be read is no business of a check
        project.load("stops", [{"id": 2, "n": "many"}])


@pytest.mark.heavy
def test_references_are_looked_up_and_a_slice_of_which_no_row_enters_leaves_the_table(project: Project, make: Make) -> None:
    with pytest.raises(TableMissing):
        make(ORDERS, STOPS, REFERS).load("refers", [{"id": 1, "order": 1}])
    project.load("orders", [{"id": 1, "state": "open", "qty": 1, "mail": "a@x", "at": "2026-03-05", "gone": None}], at=day(5))
    done = project.load("refers", [{"id": 1, "order": 1}, {"id": 2, "order": 99}, {"id": 3, "order": None}])
    assert (done.inserted, done.quarantined) == (2, 1)
    all_wait = project.load("refers", [{"id": 1, "order": 98}])
    assert (all_wait.received, all_wait.quarantined, all_wait.messages) == (1, 1, ("every row was set aside; the table stays as it is",))
    assert lines(project, "refers", "id", "order") == [(1, 1), (3, None)]
