"""What people get wrong, one story each: landed, derived and read through the project, all stories side by side in one lake."""

from __future__ import annotations

import pytest

from muniment.project import Project

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import Line, day, lines, of

CUSTOMER = """
entity: customer
key: {id: string}
attributes: {name: string, status: string, noise: {type: int, track: false}}
precedence: [core, crm]
sources:
  core: {load: partial, event_time: at, sequence: [seq], op: {column: op, insert: [c], update: [u], delete: [d]}}
  crm: {load: changes, event_time: at}
"""


def said(key: str, at: int | str, seq: int = 1, op: str = "u", **values: object) -> dict[str, object]:
    return {"id": key, "at": day(at) if isinstance(at, int) else at, "seq": seq, "op": op, **values}


CORE = [
    [
        said("repeat", 1, op="c", status="A"),
        said("order", 9, status="C"),
        said("instant", 1, 2, status="second"),
        said("instant", 1, 1, status="first"),
        said("clock", 1, 1, status="A"),
        said("sparse", 1, op="c", name="N", status="S"),
        said("deleted", 1, op="c", status="A"),
        said("noise", 1, op="c", status="A", noise=0),
        *(said("noise", f"2026-03-01T00:{minute:02d}", noise=minute) for minute in range(1, 51)),
        said("revived", 1, op="c", name="N", status="A"),
        said("run", 1, op="c", status="A"),
        said("run", 9, status="A"),
        said("back", 1, op="c", status="A"),
        said("back", 2, status="B"),
        said("back", 3, status="A"),
        said("unknown", 4, name="only a name"),
    ],
    [
        said("repeat", 1, op="c", status="A"),
        said("order", 3, status="A"),
        said("clock", "2031-03-01", 2, status="B"),
        said("sparse", 2, status=None),
        said("deleted", 5, op="d"),
        said("revived", 2, op="d"),
        said("run", 5, status="B"),
    ],
    [
        said("order", 6, status="B"),
        said("clock", 2, 3, status="C"),
        said("sparse", 3, name="M"),
        said("deleted", 3, status="B"),
        said("revived", 3, status="partial"),
        said("revived", 4, op="c", name="back", status="again"),
    ],
]
NAMES = ("name", "status", "is_deleted")


@pytest.fixture(scope="module")
def bank(make: Make) -> Project:
    """Three batches, derived one by one."""
    project = make(CUSTOMER)
    for number, rows in enumerate(CORE, start=1):
        project.land("customer", "core", rows, received_at=f"2026-04-0{number}")
        project.derive("customer")
    return project


@pytest.fixture(scope="module")
def told(bank: Project) -> list[Line]:
    return lines(bank.history("customer"), *NAMES)


def test_an_exact_duplicate_is_one_version_seen_twice(bank: Project, told: list[Line]) -> None:
    assert of(told, "repeat") == [("repeat", "core", day(1), None, None, "A", False)]
    seen = bank.history("customer", "repeat").select("seen_count", "last_seen_ts").first()
    assert seen is not None
    assert (seen["seen_count"], seen["last_seen_ts"].day) == (2, 2)


def test_rows_out_of_order_across_batches_take_their_place(told: list[Line]) -> None:
    assert of(told, "order") == [
        ("order", "core", day(3), day(6), None, "A", False),
        ("order", "core", day(6), day(9), None, "B", False),
        ("order", "core", day(9), None, None, "C", False),
    ]


def test_of_two_states_at_one_instant_the_finer_sequence_decides(told: list[Line]) -> None:
    assert of(told, "instant") == [("instant", "core", day(1), None, None, "second", False)]


def test_a_source_whose_clock_jumped_is_ordered_by_what_it_said(told: list[Line]) -> None:
    assert of(told, "clock") == [
        ("clock", "core", day(1), day(2), None, "A", False),
        ("clock", "core", day(2), "2031-03-01", None, "C", False),
        ("clock", "core", "2031-03-01", None, None, "B", False),
    ]


def test_an_absent_attribute_stays_and_a_stated_null_is_a_value(told: list[Line]) -> None:
    assert of(told, "sparse") == [
        ("sparse", "core", day(1), day(2), "N", "S", False),
        ("sparse", "core", day(2), day(3), "N", None, False),
        ("sparse", "core", day(3), None, "M", None, False),
    ]


def test_an_older_event_after_a_delete_does_not_revive(told: list[Line]) -> None:
    assert of(told, "deleted") == [
        ("deleted", "core", day(1), day(3), None, "A", False),
        ("deleted", "core", day(3), day(5), None, "B", False),
        ("deleted", "core", day(5), None, None, "B", True),
    ]


def test_a_partial_row_after_a_delete_does_not_revive_and_an_insert_does(told: list[Line]) -> None:
    assert of(told, "revived") == [
        ("revived", "core", day(1), day(2), "N", "A", False),
        ("revived", "core", day(2), day(3), "N", "A", True),
        ("revived", "core", day(3), day(4), "N", "partial", True),
        ("revived", "core", day(4), None, "back", "again", False),
    ]


def test_an_untracked_noise_column_makes_one_version_not_fifty_one(bank: Project, told: list[Line]) -> None:
    assert of(told, "noise") == [("noise", "core", day(1), None, None, "A", False)]
    row = bank.history("customer", "noise").select("seen_count", "noise").first()
    assert row is not None
    assert tuple(row) == (51, 50)


def test_a_late_row_inside_a_collapsed_run_splits_it(told: list[Line]) -> None:
    assert of(told, "run") == [
        ("run", "core", day(1), day(5), None, "A", False),
        ("run", "core", day(5), day(9), None, "B", False),
        ("run", "core", day(9), None, None, "A", False),
    ]


def test_a_b_a_is_three_versions(told: list[Line]) -> None:
    assert [line[5] for line in of(told, "back")] == ["A", "B", "A"]


def test_a_partial_row_for_an_unknown_key_is_kept(told: list[Line]) -> None:
    assert of(told, "unknown") == [("unknown", "core", day(4), None, "only a name", None, False)]


def test_what_was_believed_at_an_earlier_time_is_what_had_been_received_by_then(bank: Project) -> None:
    keys = ("order", "clock", "deleted", "run")
    assert of(lines(bank.history("customer", known_at="2026-04-01"), *NAMES), *keys) == [
        ("clock", "core", day(1), None, None, "A", False),
        ("deleted", "core", day(1), None, None, "A", False),
        ("order", "core", day(9), None, None, "C", False),
        ("run", "core", day(1), None, None, "A", False),
    ]
    assert of(lines(bank.history("customer", known_at="2026-04-02T12:00"), *NAMES), "deleted") == [
        ("deleted", "core", day(1), day(5), None, "A", False),
        ("deleted", "core", day(5), None, None, "A", True),
    ]


def test_a_replay_of_everything_changes_no_version(bank: Project, told: list[Line]) -> None:
    for number, rows in enumerate(reversed(CORE), start=4):
        bank.land("customer", "core", rows, received_at=f"2026-04-0{number}")
    done = bank.derive("customer")
    assert (done.opened, done.closed) == (0, 0)
    assert lines(bank.history("customer"), *NAMES) == told
    assert bank.verify("customer").problems == ()


def test_two_sources_at_one_instant_are_each_found_in_their_chain_and_the_higher_rank_in_the_entitys(bank: Project) -> None:
    at = {"id": "both", "at": day(1)}
    bank.land("customer", "crm", [{**at, "name": "crm", "status": "X"}], received_at="2026-04-08")
    bank.land("customer", "core", [{**at, "op": "c", "seq": 1, "name": "core", "status": "Y"}], received_at="2026-04-08")
    bank.derive("customer")
    rows = bank.history("customer", "both").orderBy("source_system").select("source_system", "name", "is_current", "is_source_current")
    assert [tuple(row) for row in rows.collect()] == [("core", "core", True, True), ("crm", "crm", False, True)]


def test_rows_of_one_instant_without_a_sequence_are_counted_and_the_same_after_every_rebuild(bank: Project) -> None:
    tied = [{"id": "tied", "at": day(1), "name": name, "status": "T"} for name in ("one", "two")]
    bank.land("customer", "crm", tied, received_at="2026-04-09")
    assert bank.derive("customer").collisions == 2
    once = lines(bank.history("customer", "tied"), *NAMES)
    bank.rebuild("customer")
    assert lines(bank.history("customer", "tied"), *NAMES) == once
    assert len(once) == 1
