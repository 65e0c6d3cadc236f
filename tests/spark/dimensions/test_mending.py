"""Each named defect, planted in a sound table, is found by its name and repaired; what was taken out is kept."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

MEMBER = """
dimension: dim_member
key: {id: string}
surrogate: member_key
event_time: at
op: {column: op, update: [u], delete: [d]}
columns:
  born: {type: string, scd: 0}
  tier: string
  note: {type: string, scd: 4}
"""
DEFECTS = {
    "two_currents": "UPDATE {t} SET is_current = true WHERE id = 'a' AND version = 1",
    "overlaps": "UPDATE {t} SET effective_to = effective_to + INTERVAL 1 DAY WHERE id = 'a' AND version = 1",
    "gaps": "UPDATE {t} SET effective_to = effective_to - INTERVAL 1 DAY WHERE id = 'a' AND version = 1",
    "wrong_flags": "UPDATE {t} SET is_current = false WHERE id = 'b' AND is_current",
    "ends_before_start": "UPDATE {t} SET effective_to = effective_from - INTERVAL 1 DAY WHERE id = 'a' AND version = 1",
    "surrogates": "UPDATE {t} SET member_key = 42 WHERE id = 'a'",
    "originals": "UPDATE {t} SET born = '2000' WHERE id = 'b'",
    "drift": "DELETE FROM {t} WHERE id = 'c'",
    "past": "DELETE FROM {past} WHERE id = 'a'",
}


@pytest.fixture(scope="module")
def sound(make: Make) -> Project:
    """Three members: one with two versions, a gap after a delete and a third, one with one, one that changed its note."""
    project = make(MEMBER)
    rows = [("a", 1, "u", "x"), ("a", 3, "u", "y"), ("a", 5, "d", None), ("a", 7, "u", "z"), ("b", 1, "u", "x"), ("c", 1, "u", "x")]
    project.apply("dim_member", [{"id": key, "at": day(at), "op": op, "born": "1980", "tier": t, "note": t} for key, at, op, t in rows])
    assert project.verify_dimension("dim_member").ok
    return project


@pytest.mark.parametrize(
    "defect", [pytest.param(each, marks=() if each in ("two_currents", "gaps") else pytest.mark.heavy) for each in DEFECTS]
)
def test_a_planted_defect_is_found_by_its_name_and_repaired(sound: Project, spark: SparkSession, tmp_path: Path, defect: str) -> None:
    project = Project.open(copytree(sound.model.root, tmp_path / "p"), spark=spark)
    before = sorted(map(str, project.dimension("dim_member").collect()))
    names = {"t": project.lake.table("gold.dim_member").identifier, "past": project.lake.table("gold.dim_member_history").identifier}
    spark.sql(DEFECTS[defect].format(**names))
    found = project.verify_dimension("dim_member")
    by_name = {each.check: each for each in found.defects}
    assert not found.ok
    assert by_name[defect].count == 1
    assert by_name[defect].examples[0].startswith('{"id":"')

    plan = project.repair_dimension("dim_member", plan=True)
    assert not plan.done
    assert sorted(map(str, project.dimension("dim_member").collect())) != before or defect == "past"
    done = project.repair_dimension("dim_member", by="jane", reason="an edit by hand")
    assert (done.done, done.removed, done.added) == (True, plan.removed, plan.added)
    assert sorted(map(str, project.dimension("dim_member").collect())) == before
    assert project.verify_dimension("dim_member").defects == ()
    if plan.removed:
        kept = project.table("gold.dim_member_removed").collect()
        assert {(row["removed_by"], row["removed_reason"]) for row in kept} == {("jane", "an edit by hand")}
        assert len(kept) == plan.removed
    assert project.repair_dimension("dim_member").done is False


def test_an_edit_of_the_record_of_changes_is_found(sound: Project, spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(copytree(sound.model.root, tmp_path / "p"), spark=spark)
    spark.sql(f"UPDATE {project.lake.table('gold.dim_member_audit').identifier} SET made_by = 'nobody' WHERE id = 'a'")
    found = project.verify_dimension("dim_member")
    assert not found.ok
    assert {problem.check for problem in found.problems} == {"commits", "rows"}
