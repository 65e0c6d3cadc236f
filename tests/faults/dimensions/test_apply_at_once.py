"""Applying that is killed at each point, and applying twice at once: the same tables, and a plain rerun is all it takes (R24)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree
from threading import Event, Thread

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from muniment.project import Project

from tests.faults.dying import die

pytestmark = pytest.mark.heavy  # each story needs a lake or a process of its own: make heavy

POINTS = (
    "land:start", "land:after-log", "land:after-run", "apply:after-past", "apply:after-audit", "apply:before-commit", "apply:after-commit",
    "apply:after-run",
)  # fmt: skip
MEMBER = """
dimension: dim_member
key: {id: string}
surrogate: member_key
event_time: at
columns: {tier: string, note: {type: string, scd: 4}, born: {type: string, scd: 0}}
"""
TABLES = ("gold.dim_member", "gold.dim_member_history", "gold.dim_member_audit", "bronze.dim_member_log")
WHENEVER = ("made_at", "run_id", "salt", "row_digest", "ingest_ts", "ingest_run_id")


def batch(keys: range, at: str, tier: str) -> list[dict[str, object]]:
    return [{"id": str(key), "at": at, "tier": tier, "note": tier, "born": tier} for key in keys]


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dimension with one version of each member."""
    root = tmp_path_factory.mktemp("prepared") / "project"
    root.mkdir()
    (root / "muniment.yml").write_text("name: p\ninclude: [d.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "d.yml").write_text(MEMBER, encoding="utf-8")
    Project.open(root, spark=spark).apply("dim_member", batch(range(20), "2026-03-01", "one"))
    return root


def second(project: Project) -> None:
    """Half of the members change, some of them late."""
    project.apply("dim_member", [*batch(range(5), "2026-03-05", "five"), *batch(range(5, 10), "2026-02-01", "zero")])


def content(project: Project) -> dict[str, list[str]]:
    """All tables, less when and by which run each row was written."""
    return {name: sorted(str(row) for row in project.table(name).drop(*WHENEVER).collect()) for name in TABLES}


@pytest.fixture(scope="module")
def right(prepared: Path, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    project = Project.open(copytree(prepared, tmp_path_factory.mktemp("right") / "p"), spark=spark)
    second(project)
    return content(project)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", POINTS)
def test_after_a_kill_the_same_again_gives_the_same_tables(
    prepared: Path, right: dict[str, list[str]], spark: SparkSession, tmp_path: Path, point: str
) -> None:
    project = Project.open(copytree(prepared, tmp_path / "p"), spark=spark)
    die(lambda: second(project), at=point)
    second(project)
    assert content(project) == right
    versions = {name: project.lake.table(name).version() for name in TABLES}
    second(project)
    assert {name: project.lake.table(name).version() for name in TABLES} == versions
    applied = project.runs("dim_member").where("step = 'apply'").count()
    assert applied == 2
    assert project.verify_dimension("dim_member").ok


def test_two_threads_that_apply_different_rows_both_land_while_no_reader_sees_a_member_torn(
    prepared: Path, spark: SparkSession, tmp_path: Path
) -> None:
    project = Project.open(copytree(prepared, tmp_path / "p"), spark=spark)
    done, torn = Event(), list[object]()

    def read_on() -> None:
        while not done.is_set():
            current = project.dimension("dim_member").groupBy("id").agg(F.count_if("is_current").alias("n")).collect()
            torn.extend(row for row in current if row["n"] != 1)

    reader = Thread(target=read_on)
    reader.start()
    try:
        with ThreadPoolExecutor(2) as pool:
            batches = (batch(range(10), "2026-03-05", "five"), batch(range(10, 20), "2026-03-06", "six"))
            list(pool.map(lambda rows: project.apply("dim_member", rows), batches))
    finally:
        done.set()
        reader.join()
    assert torn == []
    rows = project.dimension("dim_member").where("is_current").collect()
    assert sorted((int(row["id"]), row["tier"], row["version"]) for row in rows) == [
        (key, "five" if key < 10 else "six", 2) for key in range(20)
    ]
    assert project.verify_dimension("dim_member").ok
    told = project.table("gold.dim_member_audit").groupBy("assertion_id").count()
    assert told.where("count > 1").count() == 0
