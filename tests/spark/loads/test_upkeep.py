"""Looking after loads: how they stand, tables that are compacted without a row changing, and edits that are found by name (R25)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.errors import MunimentError
from muniment.project import Project

from tests.spark.loads.telling import day
from tests.spark.timeline.conftest import Make

pytestmark = pytest.mark.heavy  # many commits: make heavy

CLIENT = """
load: client
strategy: historic
key: {id: string}
columns: {tier: string, seen: date, loaded: {type: timestamp, expression: now()}}
watermark: [{column: seen}]
checks: [{not_null: tier, on_fail: quarantine}]
"""
CITY = "load: city\nstrategy: merge\nkey: {id: long}\ncolumns: {name: string}\n"
NOTHING = "load: nothing\nstrategy: full\nkey: {id: long}\n"
DEFECTS = {
    "contents": "UPDATE {client} SET tier = 'lead' WHERE id = 'c' AND is_current",
    "versions": "UPDATE {client} SET effective_to = effective_to + INTERVAL 1 DAY WHERE id = 'a' AND NOT is_current",
    "keys": "UPDATE {city} SET id = 7 WHERE id = 1",
    "counts": "DELETE FROM {city} WHERE id = 2",
    "watermarks": "DELETE FROM {watermark} WHERE value = '2026-03-01'",
}


def client(key: str, tier: str | None, seen: int) -> dict[str, object]:
    return {"id": key, "tier": tier, "seen": day(seen)}


@pytest.fixture(scope="module")
def sound(make: Make) -> Project:
    project = make(CLIENT, CITY, NOTHING)
    project.load("client", [client("a", "gold", 1), client("b", "gold", 1), client("c", "gold", 1)], at=day(1))
    project.load("client", [client("a", "iron", 2), client("b", None, 2), client("c", "gold", 1)], at=day(2))
    project.load("city", [{"id": 1, "name": "Hull"}, {"id": 2, "name": "York"}], at=day(1))
    project.load("city", [{"id": 2, "name": "York"}, {"id": 3, "name": None}], at=day(2))
    return project


def test_status_has_a_row_for_each_load(sound: Project) -> None:
    rows = sound.status().where("source = 'slice'").collect()
    told = [(row["entity"], row["contract"], row["landed"], row["quarantined"], row["note"]) for row in rows]
    assert told == [
        ("city", "load merge", 4, 0, "3 rows"),
        ("client", "load historic", 5, 1, "3 rows; seen read to 2026-03-02"),
        ("nothing", "load full", 0, 0, "nothing was loaded yet"),
    ]


def test_compaction_changes_no_row_and_less_than_a_week_is_refused(sound: Project, spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(copytree(sound.model.root, tmp_path / "p"), spark=spark)
    before = sorted(map(str, project.table("silver.client").collect()))
    (done,) = project.maintain("client", many=1, vacuum=True)
    assert (done.table, done.files_after < done.files_before) == ("silver.client", True)
    assert sorted(map(str, project.table("silver.client").collect())) == before
    assert project.verify("client").problems == ()
    with pytest.raises(MunimentError, match="MU-LAKE"):
        project.maintain("client", vacuum=True, retention=timedelta(hours=1))
    again = project.load("client", [client("a", "iron", 2)], at=day(3))
    assert (again.unchanged, again.updated) == (1, 0)


def test_a_table_that_nobody_edited_is_what_its_runs_say(sound: Project) -> None:
    found = sound.verify()
    assert found.problems == ()
    assert {"commits", "runs", "watermarks", "counts", "keys", "contents", "versions"} <= set(found.checks)


def test_each_edit_is_found_by_its_name(sound: Project, spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(copytree(sound.model.root, tmp_path / "p"), spark=spark)
    tables = {"client": "silver.client", "city": "silver.city", "watermark": "ops.watermark"}
    names = {name: project.lake.table(table).identifier for name, table in tables.items()}
    for statement in DEFECTS.values():
        spark.sql(statement.format(**names))
    found = project.verify("client", "city").problems
    assert {problem.check for problem in found} == {"commits", *DEFECTS}
    by_name = {problem.check: problem for problem in reversed(found)}  # the first of each: a key is part of the content too
    assert '{"id":"c"}' in by_name["contents"].detail
    assert '{"id":"a"}' in by_name["versions"].detail
    assert '{"id":7}' in by_name["keys"].detail
    assert by_name["counts"].detail == "it has 2 keys, and its runs say 3"
    edits = [problem.detail for problem in found if problem.check == "commits"]
    assert sorted(edits) == ["DELETE changed the table outside of a load", *["UPDATE changed the table outside of a load"] * 3]

    spark.sql(f"DELETE FROM {project.lake.table('ops.run').identifier} WHERE entity = 'city'")
    assert {problem.check for problem in project.verify("city").problems} >= {"runs"}
