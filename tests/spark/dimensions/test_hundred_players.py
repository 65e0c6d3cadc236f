"""A hundred players and their second day, told by counts: what came, what changed, what stayed."""

from __future__ import annotations

from muniment.project import Project

from tests.spark.timeline.conftest import Make

PLAYER = """
dimension: dim_player
key: {player_id: string}
surrogate: player_key
columns: {tier: string, value: integer, address: string}
absence: deletes
"""
TABLES = ("gold.dim_player", "gold.dim_player_audit", "bronze.dim_player_log", "ops.run", "ops.quarantine")


def player(number: int, **changed: object) -> dict[str, object]:
    return {"player_id": f"p{number:03}", "tier": "Bronze", "value": number, "address": f"{number} High Street", **changed}


def day_two() -> list[dict[str, object]]:
    """10 tiers, 20 values and 5 addresses change, 63 stay, 2 are gone, 3 are new."""
    tiers = [player(number, tier="Gold") for number in range(10)]
    values = [player(number, value=1_000 + number) for number in range(10, 30)]
    addresses = [player(number, address="1 New Road") for number in range(30, 35)]
    return [*tiers, *values, *addresses, *map(player, range(35, 98)), *map(player, range(100, 103))]


def versions(project: Project) -> dict[str, int]:
    return {name: project.lake.table(name).version() for name in TABLES}


def test_the_second_day_of_a_hundred_players(make: Make) -> None:
    project = make(PLAYER)
    first = project.apply("dim_player", list(map(player, range(100))), at="2026-03-01")
    assert (first.inserted, first.updated, first.closed, first.unchanged, first.rejected) == (100, 0, 0, 0, 0)

    second = project.apply("dim_player", day_two(), at="2026-03-02")
    assert (second.inserted, second.updated, second.closed, second.unchanged, second.rejected) == (3, 35, 37, 63, 0)
    assert (second.opened, second.deleted) == (38, 2)
    rows = project.dimension("dim_player").collect()
    assert len(rows) == 138
    assert sum(row["is_current"] for row in rows) == 101
    assert sum(not row["is_current"] for row in rows) == 37
    assert len({row["player_id"] for row in rows}) == 103
    assert len({row["player_key"] for row in rows}) == 138

    before = versions(project)
    again = project.apply("dim_player", day_two(), at="2026-03-02")
    assert (again.inserted, again.updated, again.closed, again.unchanged) == (0, 0, 0, 101)
    later = project.apply("dim_player", day_two(), at="2026-03-03")
    assert (later.changed, later.unchanged) == (0, 101)
    assert versions(project) == before

    keys = {(row["player_id"], row["effective_from"]): row["player_key"] for row in rows}
    project.rebuild_dimension("dim_player")
    rebuilt = project.dimension("dim_player").collect()
    assert {(row["player_id"], row["effective_from"]): row["player_key"] for row in rebuilt} == keys
    assert sorted(map(str, rebuilt)) == sorted(map(str, rows))
