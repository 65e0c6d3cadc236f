"""Loads that are killed, that meet, or that find a table they cannot look at: the table is right, and nothing is lost (R24, R26, R30)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from pyspark.sql import SparkSession

from muniment.errors import BadArgument
from muniment.lake.errors import TableUnreadable
from muniment.loads.result import Loaded
from muniment.project import Project
from muniment.steps.load import _loaded_once
from muniment.steps.slices import LoadRequest, find_slices

from tests.faults.dying import die
from tests.faults.gate import Gate, watch
from tests.spark.loads.telling import lines

POINTS = ("load:start", "load:before-commit", "load:after-commit", "load:after-watermark", "load:after-run")
USUAL = ("load:after-commit",)  # the others: make heavy
LOAD = """
load: item
strategy: historic
read: {format: csv, path: slices}
key: {id: long}
columns: {n: int, seen: date}
watermark: [{column: seen, lag: 9 days}]
absence: deletes
"""
WHOLE = "load: whole\nstrategy: full\nkey: {id: long}\ncolumns: {n: int}\n"
SLICES = {
    "1.csv": "id,n,seen\n1,1,2026-03-01\n2,1,2026-03-01\n3,1,2026-03-01\n",
    "2.csv": "id,n,seen\n1,2,2026-03-02\n3,1,2026-03-01\n4,1,2026-03-02\n",
}
RIGHT = [
    (1, 1, False, False),
    (1, 2, True, False),
    (2, 1, False, False),
    (2, 1, True, True),  # the second slice lacks it
    (3, 1, True, False),
    (4, 1, True, False),
]


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with its first slice, and a second one that was not loaded yet."""
    root = tmp_path_factory.mktemp("prepared") / "project"
    (root / "slices").mkdir(parents=True)
    (root / "muniment.yml").write_text("name: p\ninclude: [l.yml, w.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "l.yml").write_text(LOAD, encoding="utf-8")
    (root / "w.yml").write_text(WHOLE, encoding="utf-8")
    (root / "slices" / "1.csv").write_text(SLICES["1.csv"], encoding="utf-8")
    project = Project.open(root, spark=spark)
    project.load("item", at="2026-03-01")
    project.load("whole", [{"id": 1, "n": 1}], at="2026-03-01")
    (root / "slices" / "2.csv").write_text(SLICES["2.csv"], encoding="utf-8")
    return root


def opened(prepared: Path, spark: SparkSession, tmp_path: Path) -> Project:
    return Project.open(copytree(prepared, tmp_path / "p"), spark=spark)


def told(project: Project) -> list[tuple[object, ...]]:
    return lines(project, "item", "id", "n", "is_current", "is_deleted")


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", [each if each in USUAL else pytest.param(each, marks=pytest.mark.heavy) for each in POINTS])
def test_after_a_kill_the_same_command_gives_the_table_the_watermark_and_the_run_once(
    prepared: Path, spark: SparkSession, tmp_path: Path, point: str
) -> None:
    project = opened(prepared, spark, tmp_path)
    die(lambda: project.load("item", at="2026-03-02"), at=point)
    committed = POINTS.index(point) >= POINTS.index("load:after-commit")
    again = project.load("item", at="2026-03-02")  # the same processing time again
    assert (again.slices, again.skipped) == ((0, 2) if committed else (1, 1))
    assert told(project) == RIGHT
    marks = project.watermarks("item", every=True).select("value", "kind").collect()
    assert [tuple(row) for row in marks] == [("2026-03-01", "moved"), ("2026-03-02", "moved")]
    runs = project.runs("item").select("counts").collect()
    assert [(row["counts"]["inserted"], row["counts"]["updated"], row["counts"]["inferred_deletes"]) for row in runs] == [
        (1, 1, 1),
        (3, 0, 0),
    ]
    assert project.load("item").slices == 0


def test_two_loads_at_once_take_turns_and_nothing_is_lost(prepared: Path, spark: SparkSession, tmp_path: Path) -> None:
    project = opened(prepared, spark, tmp_path)
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda rows: project.load("item", rows), (SLICES_AT_ONCE, SLICES_AT_ONCE[::-1])))
    assert sorted(done.inserted for done in both) == [0, 2]
    assert sorted(done.unchanged for done in both) == [0, 2]
    assert [line for line in told(project) if line[0] in (8, 9)] == [(8, 1, True, False), (9, 1, True, False)]


SLICES_AT_ONCE = [{"id": 8, "n": 1}, {"id": 9, "n": 1}]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("name", "conflict", "counts", "right"),
    [
        (
            "item",
            "outrun",
            [(1, 1), (2, 0)],
            [(1, 1), (2, 1), (3, 1), (7, 1), (8, 1), (9, 1)],
        ),  # its number was taken: Delta writes nothing
        ("whole", "concurrent", [(2, 0), (2, 0)], [(8, 1), (9, 1)]),  # Delta's own error
    ],
)
def test_of_two_loads_that_meet_at_the_commit_one_is_computed_again(
    prepared: Path, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, conflict: str,
    counts: list[tuple[int, int]], right: list[tuple[int, int]],
) -> None:  # fmt: skip
    project = opened(prepared, spark, tmp_path)
    gate = Gate(tmp_path)
    seen = watch(monkeypatch, f"silver.{name}", gate=gate)

    def load(rows: list[dict[str, int]]) -> Loaded:
        request = LoadRequest(project.load_of(name), project.model.root, rows)
        (one,) = find_slices(project.lake, request).new
        return _loaded_once(project.lake, request, one)  # as where there is no local disk to lock

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(load, SLICES_AT_ONCE)
        gate.wait_until_reached()  # it has looked at the table, and has not committed
        second = load([{"id": 9, "n": 2}, {"id": 7, "n": 1}])
        gate.open()
        both = (first.result(), second)
    assert [conflict in each.casefold() for each in seen.conflicts] == [True]
    assert [(done.inserted, done.updated) for done in both] == counts  # the first came after the second in the end
    numbers = [commit.metadata["load"]["number"] for commit in project.lake.table(f"silver.{name}").commits() if commit.metadata]
    assert numbers == [1, 2, 3]
    assert (
        sorted((row["id"], row["n"]) for row in project.table(f"silver.{name}").collect() if row.asDict().get("is_current", True)) == right
    )


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", ["load:before-commit", "load:after-commit"])
def test_a_first_load_that_was_killed_is_finished_by_the_same_command(
    prepared: Path, spark: SparkSession, tmp_path: Path, point: str
) -> None:
    project = opened(prepared, spark, tmp_path)
    rmtree(project.model.root / "lake")
    die(lambda: project.load("item", "slices/1.csv", at="2026-03-01"), at=point)
    if point == "load:before-commit":
        with pytest.raises(BadArgument, match="2 slices of item are new, and versions of one instant would take each other's place"):
            project.load("item", at="2026-03-02")
    project.load("item", "slices/1.csv", at="2026-03-01")
    project.load("item", at="2026-03-02")
    assert told(project) == RIGHT


def test_a_table_that_cannot_be_looked_at_is_an_error_and_never_a_first_run(prepared: Path, spark: SparkSession, tmp_path: Path) -> None:
    project = opened(prepared, spark, tmp_path)
    log = project.model.root / "lake" / "silver" / "item" / "_delta_log"
    elsewhere = log.rename(log.parent.parent / "elsewhere")
    log.symlink_to(log)  # looking at it fails, as it does without permission, and for root too
    with pytest.raises(TableUnreadable, match="MU-LAKE-001"):
        project.load("item")
    log.unlink()
    elsewhere.rename(log)
    assert [line[:2] for line in told(project)] == [(1, 1), (2, 1), (3, 1)]
