"""One table with all six types, told step by step; the whole table is the assertion. Null is a value like any other (R3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from muniment.project import Project

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

pytestmark = pytest.mark.heavy  # a dozen applies: make heavy

MEMBER = """
dimension: dim_member
key: {id: string}
surrogate: member_key
event_time: at
op: {column: op, update: [u], delete: [d]}
open_end: none
columns:
  born: {type: string, scd: 0}
  mail: {type: string, scd: 1}
  tier: {type: string, scd: 2}
  boss: {type: string, scd: 3}
  note: {type: string, scd: 4}
  seg: {type: string, scd: 6}
"""
SHOWN = ("born", "mail", "tier", "boss", "previous_boss", "boss_changed_at", "note", "seg", "current_seg", "previous_seg")
Line = tuple[Any, ...]


def said(at: int, op: str = "u", **values: object) -> list[dict[str, object]]:
    return [{"id": "m", "at": day(at), "op": op, **values}]


def number(value: object) -> object:
    return value.astimezone(UTC).day if isinstance(value, datetime) else value


def table(project: Project) -> list[Line]:
    """Version, first day, last day, whether it is current, and all columns."""
    rows = project.dimension("dim_member").where("id = 'm'").orderBy("version").collect()
    return [tuple(number(row[name]) for name in ("version", "effective_from", "effective_to", "is_current", *SHOWN)) for row in rows]


def past(project: Project) -> list[Line]:
    rows = project.table("gold.dim_member_history").orderBy("effective_from").collect()
    return [(number(row["effective_from"]), number(row["effective_to"]), row["note"]) for row in rows]


def test_ten_steps_of_a_member(make: Make) -> None:
    project = make(MEMBER)

    project.apply("dim_member", said(1, born="1980", mail="a", tier="Bronze", boss="Ann", note="n1", seg="X"))
    assert table(project) == [(1, 1, None, True, "1980", "a", "Bronze", "Ann", None, 1, "n1", "X", "X", None)]

    project.apply("dim_member", said(2, mail="b"))  # type 1: overwritten, no version
    assert table(project) == [(1, 1, None, True, "1980", "b", "Bronze", "Ann", None, 1, "n1", "X", "X", None)]

    project.apply("dim_member", said(3, tier="Gold"))  # type 2: a version
    assert table(project) == [
        (1, 1, 3, False, "1980", "b", "Bronze", "Ann", None, 1, "n1", "X", "X", None),
        (2, 3, None, True, "1980", "b", "Gold", "Ann", None, 1, "n1", "X", "X", None),
    ]

    project.apply("dim_member", said(4, boss="Bob"))  # type 3: the value before it, and since when
    assert table(project) == [
        (1, 1, 3, False, "1980", "b", "Bronze", "Bob", "Ann", 4, "n1", "X", "X", None),
        (2, 3, None, True, "1980", "b", "Gold", "Bob", "Ann", 4, "n1", "X", "X", None),
    ]

    project.apply("dim_member", said(5, note="n2"))  # type 4: the past value goes to its own table
    assert past(project) == [(1, 5, "n1")]
    assert [line[10] for line in table(project)] == ["n2", "n2"]

    project.apply("dim_member", said(6, seg="Y"))  # type 6: a version, its own value, the one before, and the latest on all
    assert table(project) == [
        (1, 1, 3, False, "1980", "b", "Bronze", "Bob", "Ann", 4, "n2", "X", "Y", None),
        (2, 3, 6, False, "1980", "b", "Gold", "Bob", "Ann", 4, "n2", "X", "Y", None),
        (3, 6, None, True, "1980", "b", "Gold", "Bob", "Ann", 4, "n2", "Y", "Y", "X"),
    ]

    before, refused = table(project), project.apply("dim_member", said(7, born="1990"))  # type 0: refused and recorded
    assert (refused.refused, refused.changed, table(project)) == (1, 0, before)
    attempts = project.table("gold.dim_member_audit").where("change_type = 'refuse'").collect()
    assert [(row["attribute"], row["old_value"], row["new_value"], number(row["effective_ts"])) for row in attempts] == [
        ("born", "1980", "1990", 7)
    ]

    project.apply("dim_member", said(8, mail=None, tier=None, boss=None, note=None, seg=None))  # from a value to null
    assert table(project) == [
        (1, 1, 3, False, "1980", None, "Bronze", None, "Bob", 8, None, "X", None, None),
        (2, 3, 6, False, "1980", None, "Gold", None, "Bob", 8, None, "X", None, None),
        (3, 6, 8, False, "1980", None, "Gold", None, "Bob", 8, None, "Y", None, "X"),
        (4, 8, None, True, "1980", None, None, None, "Bob", 8, None, None, None, "Y"),
    ]
    assert past(project) == [(1, 5, "n1"), (5, 8, "n2")]

    project.apply("dim_member", said(2, tier="Silver"))  # late: splits the version it falls into, and renumbers
    assert [(*line[:4], line[6]) for line in table(project)] == [
        (1, 1, 2, False, "Bronze"), (2, 2, 3, False, "Silver"), (3, 3, 6, False, "Gold"), (4, 6, 8, False, "Gold"), (5, 8, None, True, None),
    ]  # fmt: skip

    gone = project.apply("dim_member", said(9, op="d"))  # a delete ends the version and opens none
    assert (gone.deleted, gone.closed, gone.opened) == (1, 1, 0)
    assert table(project)[-1] == (5, 8, 9, False, "1980", None, None, None, "Bob", 8, None, None, None, "Y")

    gold = {row["member_key"] for row in project.dimension("dim_member").where("tier = 'Gold'").collect()}
    project.apply(
        "dim_member", said(11, born="1980", mail="c", tier="Gold", boss="Bob", note="n2", seg="Y")
    )  # revived, from null to values
    assert table(project) == [
        (1, 1, 2, False, "1980", "c", "Bronze", "Bob", None, 11, "n2", "X", "Y", None),
        (2, 2, 3, False, "1980", "c", "Silver", "Bob", None, 11, "n2", "X", "Y", None),
        (3, 3, 6, False, "1980", "c", "Gold", "Bob", None, 11, "n2", "X", "Y", None),
        (4, 6, 8, False, "1980", "c", "Gold", "Bob", None, 11, "n2", "Y", "Y", "X"),
        (5, 8, 9, False, "1980", "c", None, "Bob", None, 11, "n2", None, "Y", "Y"),
        (6, 11, None, True, "1980", "c", "Gold", "Bob", None, 11, "n2", "Y", "Y", None),
    ]
    assert past(project) == [(1, 5, "n1"), (5, 8, "n2"), (8, 9, None)]
    now = project.dimension("dim_member").where("is_current").collect()[0]["member_key"]
    assert now not in gold  # a value that returns has a key of its own

    project.apply("dim_member", [{"id": "f", "at": day(1), "op": "u", "born": None}])  # type 0: a null is filled once
    project.apply("dim_member", [{"id": "f", "at": day(2), "op": "u", "born": "1970"}])
    assert [row["born"] for row in project.dimension("dim_member").where("id = 'f'").collect()] == ["1970"]

    told = (
        project.table("gold.dim_member_audit").where("id = 'm'").orderBy("effective_ts", "change_type", "attribute", "old_value").collect()
    )
    kinds = [(number(row["effective_ts"]), row["change_type"], row["attribute"], row["old_value"], row["new_value"]) for row in told]
    assert [line for line in kinds if line[0] in (1, 2, 3, 9)] == [
        (1, "create", None, None, None),
        (2, "update", "mail", "a", "b"),
        (2, "update", "tier", "Bronze", "Silver"),
        (3, "update", "tier", "Bronze", "Gold"),  # as it was told before the late row
        (3, "update", "tier", "Silver", "Gold"),
        (9, "delete", None, None, None),
    ]
    assert project.verify_dimension("dim_member").ok
