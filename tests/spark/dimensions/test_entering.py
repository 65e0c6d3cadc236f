"""What enters a dimension: checks on rows, complete sets, belief, and settings that changed."""

from __future__ import annotations

import pytest

from muniment.steps.errors import DimensionShapeChanged, EmptySet, NotGiven, OriginalRefused

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

PROPERTY = "dimension: dim_property\nkey: {property_id: string}\nevent_time: at\ncolumns: {city: string}\n"
GUEST = """
dimension: dim_guest
key: {guest_id: string}
surrogate: guest_key
event_time: at
columns:
  born: {type: date, scd: 0, on_change: fail}
  score: {type: integer, scd: 1}
  mail: {type: string, scd: 1}
  tier: string
  home: string
checks:
  - {not_null: tier, on_fail: quarantine}
  - {range: {score: {min: 0, max: 100}}, on_fail: quarantine}
  - {pattern: {mail: "[^@]+@[^@]+"}, on_fail: quarantine}
  - {accepted: {tier: [Bronze, Gold]}, on_fail: quarantine}
  - {unique: mail, on_fail: quarantine}
  - {reference: {home: gold.dim_property.property_id}, on_fail: quarantine}
"""
PLAYER = """
entity: player
key: {player_id: string}
attributes: {name: string, tier: string}
sources: {core: {load: changes, event_time: at, op: {column: op, update: [u], delete: [d]}}}
"""
DIMENSION = """
dimension: dim_believed
from: player
key: {player_id: string}
surrogate: player_key
columns:
  name: {type: string, scd: 1}
  tier: {type: string, scd: %d}
"""


def guest(number: int, **values: object) -> dict[str, object]:
    mail = f"g{number}@example.org"
    return {"guest_id": f"g{number}", "at": day(1), "born": "1980-01-01", "score": 50, "mail": mail, "tier": "Gold", "home": "P1", **values}


def test_rows_that_fail_a_check_are_set_aside_each_with_its_reason_and_the_others_enter(make: Make) -> None:
    project = make(PROPERTY, GUEST)
    project.apply("dim_property", [{"property_id": "P1", "at": day(1), "city": "Reno"}])
    rows = [
        guest(1), guest(2, tier=None), guest(3, score=101), guest(4, mail="nobody"), guest(5, tier="Lead"), guest(6, mail="two@x"),
        guest(7, mail="two@x"), guest(8, home="P9"), guest(9, guest_id=None), guest(10, home=None, mail=None, score=None),
    ]  # fmt: skip
    done = project.apply("dim_guest", rows)
    assert (done.inserted, done.rejected) == (2, 8)
    aside = project.quarantine("dim_guest").collect()
    assert sorted((row["reason"], row["detail"]) for row in aside if row["reason"] == "check_failed") == [
        ("check_failed", "accepted tier"),
        ("check_failed", "not_null tier"),
        ("check_failed", "pattern mail"),
        ("check_failed", "range score"),
        ("check_failed", "reference home"),
        ("check_failed", "unique mail"),
        ("check_failed", "unique mail"),
    ]
    assert [row["reason"] for row in aside if row["reason"] != "check_failed"] == ["key_missing"]

    with pytest.raises(OriginalRefused, match="g1"):
        project.apply("dim_guest", [guest(1, at=day(2), born="1990-01-01", tier="Bronze"), guest(11)])
    with pytest.raises(EmptySet):
        project.apply("dim_guest", [guest(1, tier=None, at=day(3))], absence="deletes")
    assert project.dimension("dim_guest").count() == 2

    (waits,) = [row["quarantine_id"] for row in aside if row["detail"] == "range score"]
    project.release([waits], by="jane", reason="a new scale")
    assert project.apply("dim_guest").inserted == 1


def test_belief_reaches_gold_by_a_run_and_what_is_believed_otherwise_changes_it(make: Make) -> None:
    project = make(PLAYER, DIMENSION % 2)
    assert [(o.stage.verb, o.stage.entity) for o in project.plan().outcomes] == [
        ("derive", "player"), ("resolve", "player"), ("apply", "dim_believed"),
    ]  # fmt: skip
    first = [{"player_id": "p", "at": day(1), "op": "u", "name": "Ann", "tier": "Bronze"}]
    project.land("player", "core", [*first, {"player_id": "q", "at": day(1), "op": "u", "name": "Bo", "tier": "Gold"}])
    assert project.run().ok
    later = [{"player_id": "p", "at": day(5), "op": "u", "name": "Anna", "tier": "Gold"}, {"player_id": "q", "at": day(6), "op": "d"}]
    project.land("player", "core", [*later, {"player_id": "p", "at": day(3), "op": "u", "name": "Ann", "tier": "Silver"}])
    outcomes = project.run().outcomes
    assert [(o.stage.verb, o.status, o.detail) for o in outcomes][-1] == ("apply", "done", "4 versions changed")
    rows = project.dimension("dim_believed").orderBy("player_id", "version").collect()
    assert [(row["player_id"], row["version"], row["effective_from"].day, row["is_current"], row["name"], row["tier"]) for row in rows] == [
        ("p", 1, 1, False, "Anna", "Bronze"),
        ("p", 2, 3, False, "Anna", "Silver"),
        ("p", 3, 5, True, "Anna", "Gold"),
        ("q", 1, 1, False, "Bo", "Gold"),
    ]
    assert [row["tier"] for row in project.dimension("dim_believed", as_of=day(3)).where("player_id = 'p'").collect()] == ["Silver"]
    assert project.apply("dim_believed").changed == 0
    assert project.verify_dimension("dim_believed").ok
    with pytest.raises(NotGiven):
        project.apply("dim_believed", first)

    other = make(PLAYER, DIMENSION % 1, again=project)
    with pytest.raises(DimensionShapeChanged, match=r"columns\.tier"):
        other.apply("dim_believed")
    other.rebuild_dimension("dim_believed")
    assert [(row["player_id"], row["tier"]) for row in other.dimension("dim_believed").orderBy("player_id").collect()] == [
        ("p", "Gold"),
        ("q", "Gold"),
    ]
