"""Two processes that load one table at once on a local disk: the second waits, and nothing is lost (R24)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project

from tests.spark.loads.telling import lines

pytestmark = pytest.mark.heavy  # two sessions on two cores: make heavy

# It stops right before its commit, says so, and goes on when it is told to.
OTHER = """
import sys
from muniment import faults
from muniment.project import Project

def stop(name):
    if name == "load:before-commit" and stops:
        stops.pop()
        print("here", flush=True)
        sys.stdin.readline()

stops = [1]
project = Project.open(sys.argv[1])
faults.point = stop
done = project.load("item", [{"id": key, "n": 2} for key in (1, 2, 8)])
print(done.inserted, done.updated, done.unchanged, flush=True)
"""
LOAD = "load: item\nstrategy: historic\nkey: {id: long}\ncolumns: {n: int}\n"
SETTINGS = "spark: {spark.master: 'local[1]', spark.driver.memory: 1g}\n"
MINE = [{"id": key, "n": 3} for key in (2, 3, 9)]
Line = tuple[object, ...]


def made(spark: SparkSession, root: Path) -> Project:
    """A table with three keys."""
    root.mkdir()
    (root / "muniment.yml").write_text(f"name: p\ninclude: [l.yml]\nlake: {{path: ./lake}}\n{SETTINGS}", encoding="utf-8")
    (root / "l.yml").write_text(LOAD, encoding="utf-8")
    project = Project.open(root, spark=spark)
    project.load("item", [{"id": key, "n": 1} for key in (1, 2, 3)])
    return project


@contextmanager
def another(root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is about to commit."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", OTHER, str(root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=environment, **pipes) as process:  # type: ignore[call-overload]
        try:
            assert _line(process) == "here"
            yield process
        finally:
            process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _go_on(process: subprocess.Popen[str]) -> str:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return _line(process)


def _table(project: Project) -> list[Line]:
    return lines(project, "item", "id", "n", "is_current")


def _numbers(project: Project) -> list[int]:
    return [commit.metadata["load"]["number"] for commit in project.lake.table("silver.item").commits() if commit.metadata]


def test_the_second_process_waits_for_the_first_and_loads_on_top_of_it(spark: SparkSession, tmp_path: Path) -> None:
    project = made(spark, tmp_path / "p")
    with another(tmp_path / "p") as other, ThreadPoolExecutor(1) as pool:
        mine = pool.submit(project.load, "item", MINE)
        assert not wait([mine], timeout=3).done  # it waits
        assert _go_on(other) == "1 2 0"  # 8 is new, 1 and 2 changed
        done = mine.result()
    assert (done.inserted, done.updated) == (1, 2)
    assert _table(project) == [
        (1, 1, False), (1, 2, True), (2, 1, False), (2, 2, False), (2, 3, True), (3, 1, False), (3, 3, True), (8, 2, True), (9, 3, True),
    ]  # fmt: skip
    assert _numbers(project) == [1, 2, 3]
    assert project.runs("item").count() == 3
    assert project.verify("item").problems == ()
