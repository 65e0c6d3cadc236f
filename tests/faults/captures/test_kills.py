"""Captures ended by `kill -9` at each named point, then the same commands again: the same tables as without (R24, R30)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.captures.found import captures_below
from muniment.project import Project

from tests.faults.dying import die
from tests.spark.captures.market import Market, market_at

pytestmark = pytest.mark.heavy  # a lake and a child for each point: make heavy

POINTS = ("capture:after-rename", "capture:after-register", "land:after-log", "captures:after-land", "captures:after-changes")
COUNTED = ("status", "scd2_new", "scd2_modified", "scd2_delisted", "scd2_unchanged", "duplicate_of")


def first() -> Iterator[list[dict[str, object]]]:
    yield [{"symbol": "A", "lot": 1}, {"symbol": "B", "lot": 1}]


def second() -> Iterator[list[dict[str, object]]]:
    yield [{"symbol": "A", "lot": 2}]


def work(project: Project) -> None:
    """A capture, and all that follows from it."""
    project.capture("plain", "x", second, captured_at="2026-03-02")
    project.land("plain", "x")
    project.derive("plain")


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A market with one day."""
    market = market_at(tmp_path_factory.mktemp("kills") / "market", spark, "plain")
    market.project.capture("plain", "x", first, captured_at="2026-03-01")
    market.take("plain")
    return market.root


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", POINTS)
def test_after_a_kill_the_same_commands_leave_every_capture_once(prepared: Path, spark: SparkSession, tmp_path: Path, point: str) -> None:
    project = Project.open(copytree(prepared, tmp_path / "market"), spark=spark)
    die(lambda: work(project), at=point)
    work(project)
    assert [tuple(row) for row in project.captures("plain").select(*COUNTED).collect()] == [
        ("success", 2, 0, 0, 0, None),
        ("success", 0, 1, 1, 0, None),
    ]
    assert project.table("bronze.plain_log").count() == 3
    assert project.table("bronze.plain_load").count() == 2
    assert project.change_log("plain").count() == 4
    assert Market(project).versions("plain", "lot") == [
        ("A", "01 00:00", "02 00:00", 1),
        ("A", "02 00:00", None, 2),
        ("B", "01 00:00", "02 00:00", 1),
    ]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", ["capture:after-records", "capture:after-parquet", "capture:after-manifest", "capture:after-rename"])
def test_a_capture_as_parquet_killed_at_any_step_is_there_whole_or_not_at_all(spark: SparkSession, tmp_path: Path, point: str) -> None:
    project = market_at(tmp_path / "market", spark, "columns").project
    folder = project.model.root / "captures/columns"
    die(lambda: project.capture("columns", "x", first, captured_at="2026-03-01"), at=point)
    left = captures_below(folder)
    assert (len(left.captures), left.damaged) == (1 if point == "capture:after-rename" else 0, {})
    again = project.capture("columns", "x", first, captured_at="2026-03-01")
    assert (again.complete, again.record_format, again.records) == (True, "parquet", 2)
    assert sorted(path.name for path in (project.model.root / again.path).iterdir()) == ["_manifest.json", "records.parquet"]
    assert [path.name for path in folder.iterdir()] == ["type=columns"]  # what the dead one left is gone
    assert [row["status"] for row in project.captures("columns").collect()] == ["pending"]
