"""Marks on landed runs ended by `kill -9`: the same command again gives the tables of a lake in which nobody was killed (R29)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project

from tests.faults.dying import die
from tests.spark.timeline.telling import day, lines

pytestmark = [pytest.mark.heavy, pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")]

MEMBER = """\
entity: member
key: {id: string}
attributes: {status: string}
sources: {core: {load: partial, event_time: at}}
checks: [{accepted: {status: [Active, Wrong]}, on_fail: mark}]
"""
HEAD = "name: club\ninclude: [m.yml]\nlake: {path: ./lake}\nalerts: [{file: {path: alerts.jsonl}}]\n"
SIGNED = {"by": "jane", "reason": "a test system"}


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Two runs, of which the second is bad; both are derived and believed."""
    root = tmp_path_factory.mktemp("prepared") / "club"
    root.mkdir()
    (root / "muniment.yml").write_text(HEAD, encoding="utf-8")
    (root / "m.yml").write_text(MEMBER, encoding="utf-8")
    project = Project.open(root, spark=spark)
    project.land("member", "core", [{"id": "a", "at": day(1), "status": "Active"}])
    bad = project.land("member", "core", [{"id": "a", "at": day(2), "status": "Wrong"}, {"id": "b", "at": day(2), "status": "Wrong"}])
    project.resolve("member")
    return root, bad.run_id


def opened(prepared: tuple[Path, str], spark: SparkSession, tmp_path: Path) -> Project:
    return Project.open(copytree(prepared[0], tmp_path / "club"), spark=spark)


def told(project: Project) -> tuple[object, ...]:
    beliefs = project.belief_history("member").select("id", "effective_from", "status").collect()
    marks = project.table("ops.mark").orderBy("made_at").select("verb", "effect").collect()
    return lines(project.history("member"), "status"), sorted(map(str, beliefs)), list(map(tuple, marks))


def exclude(project: Project, run: str) -> None:
    project.mark("member", run, exclude=True, **SIGNED)


def exclude_and_bring_back(project: Project, run: str) -> None:
    exclude(project, run)
    project.unmark("member", run, **SIGNED)


@pytest.mark.parametrize("point", ["mark:after-row", "derive:before-commit", "derive:after-commit", "resolve:after-commit"])
def test_a_mark_that_is_killed_is_finished_by_the_same_command(
    prepared: tuple[Path, str], spark: SparkSession, tmp_path: Path, point: str
) -> None:
    never = opened(prepared, spark, tmp_path / "never")
    exclude(never, prepared[1])
    project = opened(prepared, spark, tmp_path / "killed")
    die(lambda: exclude(project, prepared[1]), at=point)
    exclude(project, prepared[1])
    assert told(project) == told(never)
    assert project.verify("member").problems == ()


def test_an_unmark_that_is_killed_is_finished_by_the_same_command(prepared: tuple[Path, str], spark: SparkSession, tmp_path: Path) -> None:
    never, project = (opened(prepared, spark, tmp_path / name) for name in ("never", "killed"))
    exclude_and_bring_back(never, prepared[1])
    exclude(project, prepared[1])
    unmark: Callable[[], object] = lambda: project.unmark("member", prepared[1], **SIGNED)  # noqa: E731
    die(unmark, at="mark:after-row")
    unmark()
    assert told(project) == told(never)


@pytest.mark.parametrize("point", ["land:after-mark", "land:after-log"])
def test_a_landing_that_a_check_marks_is_held_however_it_ends(
    prepared: tuple[Path, str], spark: SparkSession, tmp_path: Path, point: str
) -> None:
    project = opened(prepared, spark, tmp_path)

    def land() -> object:
        return project.land("member", "core", [{"id": "c", "at": day(3), "status": "Asleep"}], batch_id="third")

    before = lines(project.history("member"), "status")
    die(land, at=point)
    between = project.derive("member")
    assert (len(between.held), lines(project.history("member"), "status")) == (1 if point == "land:after-log" else 0, before)
    land()
    (held,) = project.derive("member").held  # the mark of a run that never landed holds nothing
    assert lines(project.history("member"), "status") == before
    project.unmark("member", held, **SIGNED)
    assert len(lines(project.history("member", key="c"), "status")) == 1
