"""Deriving twice at once, and deriving that is killed: the history is right, and no reader ever sees a key torn (R24)."""

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

POINTS = ("derive:before-commit", "derive:after-commit", "derive:after-run")
ITEM = "entity: item\nkey: {id: string}\nattributes: {name: string}\nsources: {feed: {load: changes, event_time: at}}\n"
KEYS = range(20)


def batch(at: str, name: str) -> list[dict[str, object]]:
    return [{"id": str(key), "at": at, "name": name} for key in KEYS]


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history, and evidence that it does not know yet: a row after each head and one before."""
    root = tmp_path_factory.mktemp("prepared") / "project"
    root.mkdir()
    (root / "muniment.yml").write_text("name: p\ninclude: [e.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "e.yml").write_text(ITEM, encoding="utf-8")
    project = Project.open(root, spark=spark)
    project.land("item", "feed", batch("2026-03-05", "five"))
    project.derive("item")
    project.land("item", "feed", batch("2026-03-07", "seven"))
    project.land("item", "feed", batch("2026-03-01", "one"))
    return root


def names(project: Project) -> set[tuple[str, tuple[str, ...]]]:
    """Each key with its values in order."""
    ordered = F.array_sort(F.collect_list(F.struct("effective_from", "name"))).alias("v")
    rows = project.history("item").groupBy("id").agg(ordered).collect()
    return {(row["id"], tuple(version["name"] for version in row["v"])) for row in rows}


RIGHT = {(str(key), ("one", "five", "seven")) for key in KEYS}


def test_two_derives_at_once_both_end_well_while_no_reader_sees_a_key_torn(prepared: Path, spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(copytree(prepared, tmp_path / "p"), spark=spark)
    done = Event()
    torn: list[object] = []
    looks = 0

    def read_on() -> None:
        nonlocal looks
        while not done.is_set():
            current = project.table("bronze.item_history").groupBy("id").agg(F.count_if("is_current").alias("n")).collect()
            torn.extend(row for row in current if row["n"] != 1)
            torn.extend([] if len(current) == len(KEYS) else [len(current)])
            looks += 1

    reader = Thread(target=read_on)
    reader.start()
    try:
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda _: project.derive("item"), range(2)))
    finally:
        done.set()
        reader.join()
    assert names(project) == RIGHT
    assert any(result.changed for result in results)
    assert looks > 1
    assert torn == []
    assert project.verify("item").problems == ()


def _derived(project: Project) -> list[str]:
    """The runs that the commits of the history name."""
    commits = project.lake.table("bronze.item_history").commits()
    return sorted(commit.metadata["ran"]["run"] for commit in commits if commit.metadata and "ran" in commit.metadata)


def _recorded(project: Project) -> list[str]:
    """The runs that ops.run knows of."""
    return sorted(row["run_id"] for row in project.runs("item").where("step = 'derive'").collect())


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", POINTS)
def test_after_a_kill_a_plain_rerun_gives_the_same_table_as_without_it(
    prepared: Path, spark: SparkSession, tmp_path: Path, point: str
) -> None:
    project = Project.open(copytree(prepared, tmp_path / "p"), spark=spark)
    die(lambda: project.derive("item"), at=point)
    project.derive("item")
    assert names(project) == RIGHT
    assert project.verify("item").problems == ()
    assert project.derive("item").changed == 0
    assert _recorded(project) == _derived(project)
