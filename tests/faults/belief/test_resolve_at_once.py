"""Resolving twice at once, and resolving that is killed: belief is right afterwards, and a plain rerun is all it takes (R24)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from muniment.project import Project

from tests.faults.dying import die
from tests.faults.timeline.test_derive_at_once import ITEM, RIGHT, batch

pytestmark = pytest.mark.heavy  # each story needs a lake or a process of its own: make heavy

POINTS = ("resolve:before-commit", "resolve:after-commit", "resolve:after-run")


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Belief, and evidence that it does not know yet: a row after what each key has and one before."""
    root = tmp_path_factory.mktemp("prepared") / "project"
    root.mkdir()
    (root / "muniment.yml").write_text("name: p\ninclude: [e.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "e.yml").write_text(ITEM, encoding="utf-8")
    project = Project.open(root, spark=spark)
    project.land("item", "feed", batch("2026-03-05", "five"))
    project.resolve("item")
    project.land("item", "feed", batch("2026-03-07", "seven"))
    project.land("item", "feed", batch("2026-03-01", "one"))
    return root


def names(project: Project) -> set[tuple[str, tuple[str, ...]]]:
    """Each key with what is believed of it in order."""
    ordered = F.array_sort(F.collect_list(F.struct("effective_from", "name"))).alias("v")
    rows = project.belief_history("item").groupBy("id").agg(ordered).collect()
    return {(row["id"], tuple(version["name"] for version in row["v"])) for row in rows}


def test_two_resolves_at_once_both_end_well(prepared: Path, spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(copytree(prepared, tmp_path / "p"), spark=spark)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: project.resolve("item"), range(2)))
    assert any(result.changed for result in results)
    assert names(project) == RIGHT
    assert project.verify("item").problems == ()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", POINTS)
def test_after_a_kill_a_plain_rerun_gives_the_belief_as_without_it(prepared: Path, spark: SparkSession, tmp_path: Path, point: str) -> None:
    project = Project.open(copytree(prepared, tmp_path / "p"), spark=spark)
    die(lambda: project.resolve("item"), at=point)
    project.resolve("item")
    assert names(project) == RIGHT
    assert project.verify("item").problems == ()
    assert project.resolve("item").changed == 0
