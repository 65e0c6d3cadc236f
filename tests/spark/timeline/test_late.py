"""What an entity does with rows that come late (R9), and time that only the platform knows (R10)."""

from __future__ import annotations

import pytest

from muniment.steps.errors import LateRefused

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day, lines

ENTITY = """
entity: item
key: {id: string}
attributes: {name: string}
history: {%s}
sources: {feed: {load: changes, event_time: at}}
"""
FORWARD = ENTITY % "late: forward_only"
ASIDE = ENTITY % "late: quarantine"
LIMITED = ENTITY % "max_lateness: 2 days"
PLATFORM = "entity: item\nkey: {id: string}\nattributes: {name: string}\nsources: {feed: {load: changes}}\n"


def row(key: str, at: int, name: str) -> dict[str, object]:
    return {"id": key, "at": day(at), "name": name}


def test_forward_only_refuses_the_call_with_examples_lands_nothing_and_lets_an_exact_repeat_pass(make: Make) -> None:
    project = make(FORWARD)
    project.land("item", "feed", [row("1", 5, "five"), row("2", 5, "two")])
    with pytest.raises(LateRefused) as refused:
        project.land("item", "feed", [row("1", 3, "late"), row("3", 1, "new")])
    assert "2026-03-03" in str(refused.value)
    assert "2026-03-05" in str(refused.value)
    assert project.table("bronze.item_log").count() == 2

    assert project.land("item", "feed", [row("1", 5, "five"), row("1", 6, "six")]).landed == 2
    project.derive("item")
    assert lines(project.history("item", "1"), "name") == [("1", "feed", day(5), day(6), "five"), ("1", "feed", day(6), None, "six")]


@pytest.mark.heavy
def test_with_late_quarantine_a_late_row_waits_with_its_reason_and_is_repaired_when_released(make: Make) -> None:
    project = make(ASIDE)
    project.land("item", "feed", [row("1", 5, "five")])
    landed = project.land("item", "feed", [row("1", 3, "three"), row("2", 1, "new")])
    assert (landed.landed, dict(landed.reasons)) == (1, {"too_late": 1})
    project.derive("item")
    (waiting,) = project.quarantine("item").select("quarantine_id").collect()
    project.release([waiting["quarantine_id"]], by="ann", reason="it is right")
    assert project.derive("item").repaired == 1
    assert [line[4] for line in lines(project.history("item", "1"), "name")] == ["three", "five"]


@pytest.mark.heavy
def test_a_row_later_than_max_lateness_waits(make: Make) -> None:
    project = make(LIMITED)
    landed = project.land("item", "feed", [row("1", 1, "old"), row("2", 9, "young")], received_at="2026-03-10")
    assert (landed.landed, dict(landed.reasons)) == (1, {"too_late": 1})


@pytest.mark.heavy
def test_without_a_source_time_the_platforms_time_orders_and_says_so(make: Make) -> None:
    project = make(PLATFORM)
    for number in (2, 3):
        project.land("item", "feed", [{"id": "1", "name": str(number)}], received_at=day(number))
    project.derive("item")
    assert lines(project.history("item"), "name", "time_basis") == [
        ("1", "feed", day(2), day(3), "2", "PLATFORM"),
        ("1", "feed", day(3), None, "3", "PLATFORM"),
    ]
