"""Facts beside dimensions: keys of their time, gaps and ends, members that are inferred, and late rows that move keys."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame

from muniment.errors import BadArgument
from muniment.project import Project

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

pytestmark = pytest.mark.heavy  # many applies: make heavy

PLAYER = """
dimension: dim_player
key: {player_id: string}
surrogate: player_key
event_time: at
op: {column: op, update: [u], delete: [d]}
columns: {tier: string}
"""
MACHINE = """
dimension: dim_machine
key: {machine_id: long}
surrogate: machine_key
event_time: at
unmatched: infer
columns: {title: string, tier: string}
"""


def row(at: int, tier: str | None, op: str = "u") -> dict[str, object]:
    return {"player_id": "p", "at": day(at), "op": op, "tier": tier}


def plays(project: Project, *days: str, player: str = "p") -> DataFrame:
    rows = [(number, player, 7, f"2026-03-{at}") for number, at in enumerate(days)]
    return project.spark.createDataFrame(rows, "play int, player_id string, machine_id int, played_at string")


def tiers(project: Project, facts: DataFrame) -> list[tuple[int, str | None]]:
    """What a plain join by the key says of each fact."""
    met = facts.join(project.dimension("dim_player").select("player_key", "tier"), "player_key", "left").orderBy("play")
    return [(each["play"], each["tier"]) for each in met.collect()]


def test_facts_get_the_keys_of_their_time_and_late_rows_move_them(make: Make) -> None:
    project = make(PLAYER, MACHINE)
    in_order = make(PLAYER)
    project.apply("dim_player", [row(2, "Bronze"), row(6, "Gold"), row(8, None, "d")])
    facts = plays(project, "01", "02", "05T23:59:59.999999", "06", "08", "09").persist()
    found = project.stamp("dim_player", facts, key="player_id", at="played_at")
    stamped = project.spark.createDataFrame(found.collect(), found.schema)  # as stored: what is lazy would follow the dimension
    assert tiers(project, stamped) == [(0, None), (1, "Bronze"), (2, "Bronze"), (3, "Gold"), (4, None), (5, None)]
    assert [each["player_key"] for each in stamped.where("play IN (0, 4, 5)").collect()] == [-1, -1, -1]

    assert stamped.join(project.dimension("dim_player", unknown=True).select("player_key", "tier"), "player_key").count() == 6

    lost = project.uncovered("dim_player", facts.union(plays(project, "03", player="q")), key="player_id", at="played_at")
    assert sorted((each["play"], each["why"]) for each in lost.collect()) == [
        (0, "it is before the first version"),
        (0, "nobody has described this key"),
        (4, "the member was gone then"),
        (5, "the member was gone then"),
    ]

    project.apply("dim_player", [row(4, "Silver")])  # late: the plays of the fifth were not Bronze
    again = project.stamp("dim_player", stamped, key="player_id", at="played_at", repair=True)
    moved = again.where("previous_player_key IS NOT NULL").collect()
    assert [each["play"] for each in moved] == [2]
    assert tiers(project, again)[2] == (2, "Silver")
    in_order.apply("dim_player", [row(2, "Bronze"), row(4, "Silver"), row(6, "Gold"), row(8, None, "d")])
    expected = in_order.stamp("dim_player", facts, key="player_id", at="played_at").orderBy("play").collect()
    assert [each["player_key"] for each in again.orderBy("play").collect()] == [each["player_key"] for each in expected]

    _infer(project, facts)
    joined = project.as_of_join(facts, {"dim_player": "played_at", "dim_machine": "played_at"}).orderBy("play").collect()
    assert [(each["tier"], each["title"], each["dim_machine_tier"], each["uncovered"]) for each in joined] == [
        (None, "Fruit", "Low", ["dim_player"]),
        ("Bronze", "Fruit", "Low", []),
        ("Silver", "Bar", "Low", []),
        ("Gold", "Bar", "Low", []),
        (None, "Bar", "Low", ["dim_player"]),
        (None, "Bar", "Low", ["dim_player"]),
    ]
    orphans = project.verify_dimension("dim_player", facts=stamped.withColumn("player_key", stamped["player_key"] + 1).where("play = 1"))
    assert [(defect.check, defect.count) for defect in orphans.defects] == [("orphans", 1)]
    with pytest.raises(BadArgument):
        project.stamp("dim_player", facts, key="player_id", at="played_at", repair=True)


def _infer(project: Project, facts: DataFrame) -> None:
    """A fact that comes first makes a member that the real row completes: one version, and the key that the facts have."""
    first = project.stamp("dim_machine", facts, key="machine_id", at="played_at").collect()
    (placeholder,) = project.dimension("dim_machine").collect()
    assert (placeholder["is_inferred"], placeholder["title"], placeholder["version"]) == (True, None, 1)
    assert {each["machine_key"] for each in first} == {placeholder["machine_key"]}

    done = project.apply("dim_machine", [{"machine_id": 7, "at": day(3), "title": "Fruit", "tier": "Low"}])
    (completed,) = project.dimension("dim_machine").collect()
    assert (done.inserted, done.updated, done.opened, done.closed) == (0, 1, 0, 0)
    assert (completed["is_inferred"], completed["title"], completed["machine_key"]) == (False, "Fruit", placeholder["machine_key"])
    assert completed["effective_from"] == placeholder["effective_from"]
    project.apply("dim_machine", [{"machine_id": 7, "at": day(5), "title": "Bar", "tier": "Low"}])
    again = project.stamp("dim_machine", facts, key="machine_id", at="played_at").where("play < 2").collect()
    assert {each["machine_key"] for each in again} == {placeholder["machine_key"]}
