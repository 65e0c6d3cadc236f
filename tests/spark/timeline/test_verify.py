"""`verify` names what is wrong with a derived table, and finds nothing wrong with an honest one (R25)."""

from __future__ import annotations

import pytest

from muniment.project import Project

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

ITEM = """
entity: item
key: {id: string}
attributes: {name: string}
sources:
  feed: {load: partial, event_time: at, op: {column: op, insert: [c], update: [u], delete: [d]}}
  daily: {load: full, absence: deletes, event_time: {given: as_of}, complete: {unit: call}}
"""
HISTORY = "bronze.item_history"


@pytest.fixture(scope="module")
def project(make: Make) -> Project:
    made = make(ITEM)
    rows = [{"id": str(key), "at": day(at), "op": "u", "name": f"{key}{at}"} for key in range(4) for at in (1, 2, 3)]
    made.land("item", "feed", [*rows, {"id": "0", "at": day(5), "op": "d"}])
    made.land("item", "daily", [{"id": "7", "name": "seven"}, {"id": "8", "name": "eight"}], as_of=day(6))
    made.land("item", "daily", [{"id": "7", "name": "seven"}], as_of=day(7))
    made.derive("item")
    return made


def test_an_honest_history_verifies_clean(project: Project) -> None:
    assert project.history("item", "8").where("is_deleted").count() == 1  # absence is part of it
    found = project.verify("item")
    assert found.problems == ()
    assert {"current", "intervals", "origin", "fold"} <= set(found.checks)


@pytest.mark.parametrize(
    ("edit", "checks"),
    [
        ("DELETE FROM {t} WHERE id = '1' AND is_current", {"current", "intervals", "fold"}),
        pytest.param("UPDATE {t} SET is_current = true WHERE id = '1'", {"current", "fold"}, marks=pytest.mark.heavy),
        pytest.param("DELETE FROM {t} WHERE id = '1' AND name = '12'", {"intervals", "fold"}, marks=pytest.mark.heavy),
        pytest.param(
            "UPDATE {t} SET effective_to = effective_to + INTERVAL 1 HOUR WHERE id = '1' AND name = '11'",
            {"intervals", "fold"},
            marks=pytest.mark.heavy,
        ),
        pytest.param("UPDATE {t} SET name = 'forged' WHERE id = '1' AND name = '12'", {"fold"}, marks=pytest.mark.heavy),
        pytest.param(
            "UPDATE {t} SET origin.name.assertion_id = 'nobody' WHERE id = '1' AND name = '12'", {"origin", "fold"}, marks=pytest.mark.heavy
        ),
    ],
)
def test_an_edited_history_is_named_by_the_checks_it_breaks(project: Project, edit: str, checks: set[str]) -> None:
    table = project.lake.table(HISTORY)
    version = table.version()
    project.spark.sql(edit.format(t=table.identifier))
    try:
        found = project.verify("item")
        assert {problem.check for problem in found.problems} == checks
        (row,) = project.history("item", "2").select("sk").distinct().collect()
        assert not any(row["sk"] in problem.where for problem in found.problems)  # only the key that was edited
    finally:
        project.spark.sql(f"RESTORE TABLE {table.identifier} TO VERSION AS OF {version}")
