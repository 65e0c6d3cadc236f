"""Rules change, answers are kept, tables are edited: one small lake for all of it, in the order of the stories."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import functions as F

from muniment import clock
from muniment.config import ConfigurationError
from muniment.project import Project
from muniment.steps.errors import PinDiffers, PinTaken

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

ITEM = """
entity: item
key: {id: string}
attributes: {name: string, status: string}
precedence: [core, crm]
sources:
  core: {load: partial, event_time: at}
  crm: {load: partial, event_time: at}
"""
PRECEDENCE = "belief:\n  rules: [{attributes: [status], rule: precedence}]\n"
CORE = [
    {"id": "1", "at": day(1), "name": "one", "status": "A"},
    {"id": "2", "at": day(1), "name": "two", "status": "A"},
    {"id": "3", "at": day(4), "name": "three"},
]
CRM = [{"id": "1", "at": day(2), "status": "B"}, {"id": "2", "at": day(2), "status": "A"}]


@pytest.fixture(scope="module")
def first(make: Make) -> Project:
    """Resolved by the default rule, and an answer is kept."""
    project = make(ITEM)
    project.land("item", "core", CORE, received_at="2026-04-01")
    project.land("item", "crm", CRM, received_at="2026-04-01")
    project.resolve("item")
    project.pin("item", "before", by="ann", reason="end of March")
    return project


def statuses(project: Project, **when: str) -> dict[str, str]:
    return {row["id"]: row["status"] for row in project.belief("item", **when).collect()}  # type: ignore[arg-type]


def test_what_another_rule_set_would_change_is_told_before_anybody_adopts_it(first: Project) -> None:
    (first.model.root / "new.yml").write_text(PRECEDENCE, encoding="utf-8")
    found = first.compare_rules("item", "new.yml")
    assert (found.keys, found.changed, found.changed_ever, found.attributes) == (3, 1, 1, {"status": 1})
    assert [(each.key, each.attribute, each.now, each.then) for each in found.examples] == [("1", "status", "B", "A")]
    assert found.rules == "status: most_recent → precedence"
    assert statuses(first)["1"] == "B"  # nothing was written


def test_rules_that_are_wrong_are_told_with_their_place(first: Project) -> None:
    (first.model.root / "wrong.yml").write_text("belief:\n  rules: [{attributes: [statu], rule: longest}]\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"wrong.yml:2.*did you mean 'status'"):
        first.compare_rules("item", "wrong.yml")


def test_a_change_of_rules_is_a_new_version_and_equals_belief_from_nothing_under_them(first: Project, make: Make) -> None:
    before = clock.now().isoformat()
    changed = make(ITEM + PRECEDENCE, again=first)
    done = changed.resolve("item", by="ann", reason="the core system knows best")
    assert (done.rule_version, done.keys, done.unchanged) == (2, 3, 2)
    assert statuses(changed) == {"1": "A", "2": "A", "3": None}
    kept = changed.table("ops.rule_set").where("kind = 'belief'").orderBy("version").collect()
    assert [(row["version"], row["made_by"], row["reason"]) for row in kept] == [
        (1, None, "the first rules"),
        (2, "ann", "the core system knows best"),
    ]
    assert json.loads(kept[1]["settings"])["rules"][0]["rule"] == "precedence"

    assert statuses(changed, known_at=before)["1"] == "B"  # the rules of then
    assert statuses(changed, known_at="2026-04-01")["1"] == "B"  # the first hold before they were made
    assert changed.why("item", "1", "status", known_at=before).rule_version == 1
    assert changed.why("item", "1", "status").rule_version == 2
    held = changed.table("silver.item_history").drop("rule_version")
    changed.rebuild("item")
    anew = changed.table("silver.item_history").drop("rule_version")
    assert held.exceptAll(anew).count() == anew.exceptAll(held).count() == 0


def test_an_answer_that_is_kept_is_equal_when_it_is_made_again_and_never_changes(first: Project) -> None:
    again = first.pin("item", "before")
    assert (again.repeated, again.rows, again.rule_version) == (True, 3, 1)
    kept = first.table("silver.item_pin").where("pin = 'before'").orderBy("id").select("id", "status").collect()
    assert [tuple(row) for row in kept] == [("1", "B"), ("2", "A"), ("3", None)]
    assert first.pins("item").select("name", "made_by", "reason", "rows").collect() == [("before", "ann", "end of March", 3)]
    with pytest.raises(PinTaken, match="before"):
        first.pin("item", "before", as_of="2026-03-02")
    first.land("item", "crm", [{"id": "1", "at": day(3), "status": "Z"}], received_at="2026-04-01")  # a replay that claims to be old
    with pytest.raises(PinDiffers, match="not what was kept"):
        first.pin("item", "before")


@pytest.mark.parametrize(
    ("edit", "checks"),
    [
        ("UPDATE {t} SET status = 'forged' WHERE id = '2'", {"said", "belief"}),
        pytest.param("UPDATE {t} SET is_current = false WHERE id = '2'", {"current", "belief"}, marks=pytest.mark.heavy),
        pytest.param("UPDATE {t} SET origin.name.rule = 'override' WHERE id = '2'", {"said", "belief"}, marks=pytest.mark.heavy),
    ],
)
def test_belief_that_was_edited_is_named_by_the_checks_it_breaks(first: Project, edit: str, checks: set[str]) -> None:
    table = first.lake.table("silver.item_history")
    version = table.version()
    first.spark.sql(edit.format(t=table.identifier))
    try:
        assert {problem.check for problem in first.verify("item").problems} == checks
    finally:
        first.spark.sql(f"RESTORE TABLE {table.identifier} TO VERSION AS OF {version}")


def test_a_source_that_is_no_longer_declared_keeps_what_it_said(first: Project, make: Make) -> None:
    without = make(ITEM.replace("  crm: {load: partial, event_time: at}\n", "").replace("[core, crm]", "[core]"), again=first)
    told = without.belief("item", "1", known_at="2026-04-02").select("status", F.col("origin.status.source")).first()
    assert told is not None
    assert told[1] == "crm"
