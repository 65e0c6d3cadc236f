"""Each named defect, planted in a sound table, is found by its name and repaired; what was taken out is kept."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

pytestmark = pytest.mark.heavy  # each defect needs an apply: make heavy

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
    "two_currents": "UPDATE {t} SET is_current = true WHERE id = 'two_currents' AND version = 1",
    "overlaps": "UPDATE {t} SET effective_to = effective_to + INTERVAL 1 DAY WHERE id = 'overlaps' AND version = 1",
    "gaps": "UPDATE {t} SET effective_to = effective_to - INTERVAL 1 DAY WHERE id = 'gaps' AND version = 1",
    "wrong_flags": "UPDATE {t} SET is_current = false WHERE id = 'wrong_flags' AND is_current",
    "ends_before_start": "UPDATE {t} SET effective_to = effective_from - INTERVAL 1 DAY WHERE id = 'ends_before_start' AND version = 1",
    "surrogates": "UPDATE {t} SET member_key = 42 WHERE id = 'surrogates'",
    "originals": "UPDATE {t} SET born = '2000' WHERE id = 'originals'",
    "drift": "DELETE FROM {t} WHERE id = 'drift'",
    "past": "DELETE FROM {past} WHERE id = 'past'",
}
# What was said of each member: two versions, a gap after a delete, and a third.
SAID = ((1, "u", "x"), (3, "u", "y"), (5, "d", None), (7, "u", "z"))


@pytest.fixture(scope="module")
def sound(make: Make) -> Project:
    """A member for each defect, named after it."""
    project = make(MEMBER)
    rows = [{"id": key, "at": day(at), "op": op, "born": "1980", "tier": tier, "note": tier} for key in DEFECTS for at, op, tier in SAID]
    assert project.apply("dim_member", rows).opened == 3 * len(DEFECTS)
    assert project.verify_dimension("dim_member").ok
    return project


def test_each_planted_defect_is_found_by_its_name_and_repaired_and_what_goes_is_kept(
    sound: Project, spark: SparkSession, tmp_path: Path
) -> None:
    project = Project.open(copytree(sound.model.root, tmp_path / "p"), spark=spark)
    before = sorted(map(str, project.dimension("dim_member").collect()))
    names = {"t": project.lake.table("gold.dim_member").identifier, "past": project.lake.table("gold.dim_member_history").identifier}
    for statement in DEFECTS.values():
        spark.sql(statement.format(**names))
    found = project.verify_dimension("dim_member")
    by_name = {each.check: each for each in found.defects}
    assert (found.ok, set(by_name)) == (False, set(DEFECTS))
    for name in set(DEFECTS) - {"drift"}:
        assert f'{{"id":"{name}"}}' in by_name[name].examples
    assert by_name["drift"].count == len(DEFECTS) - 1  # every member but the one whose table of past values was edited
    assert {name: by_name[name].count for name in ("two_currents", "overlaps", "surrogates", "originals", "past")} == dict.fromkeys(
        ("two_currents", "overlaps", "surrogates", "originals", "past"), 1
    )

    plan = project.repair_dimension("dim_member", plan=True)
    assert (plan.done, plan.removed, plan.added) == (False, 11, 14)
    done = project.repair_dimension("dim_member", by="jane", reason="an edit by hand")
    assert (done.done, done.removed, done.added) == (True, 11, 14)
    assert sorted(map(str, project.dimension("dim_member").collect())) == before
    assert project.verify_dimension("dim_member").ok
    kept = project.table("gold.dim_member_removed").collect()
    assert {(row["removed_by"], row["removed_reason"], len(kept)) for row in kept} == {("jane", "an edit by hand", 11)}


def test_an_edit_of_the_record_of_changes_is_found(sound: Project, spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(copytree(sound.model.root, tmp_path / "p"), spark=spark)
    spark.sql(f"UPDATE {project.lake.table('gold.dim_member_audit').identifier} SET made_by = 'nobody' WHERE id = 'past'")
    found = project.verify_dimension("dim_member")
    assert not found.ok
    assert {problem.check for problem in found.problems} == {"commits", "rows"}
