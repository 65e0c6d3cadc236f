"""What the document's own code gets wrong, right here: a test for each, on the smallest slices that show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.config import load_project
from muniment.errors import MunimentError
from muniment.project import Project

from tests.spark.loads.telling import counts, day, lines
from tests.spark.loads.test_pipeline import a_load, frame, prepared
from tests.spark.timeline.conftest import Make

heavy = pytest.mark.heavy  # each needs a few loads: make heavy; test_stories.py has most of them in its stories
MERGE = """
load: item
strategy: merge
key: {id: string}
partition: [year]
columns: {year: int, n: int, loaded: {type: timestamp, expression: now()}, seen: date}
deleted: gone = 'yes'
drift: ignore
watermark: [{column: seen}]
"""
HISTORIC = "load: past\nstrategy: historic\nkey: {id: string}\ncolumns: {n: int}\ndeleted: gone = 'yes'\ndrift: ignore\n"


@pytest.fixture(scope="module")
def project(make: Make) -> Project:
    return make(MERGE, HISTORIC)


def item(key: str, n: int = 1, *, year: int = 2025, gone: str = "no", seen: int = 1) -> dict[str, object]:
    return {"id": key, "year": year, "n": n, "seen": day(seen), "gone": gone}


def rows(project: Project, load: str, key: str, *columns: str) -> list[tuple[object, ...]]:
    return [line[1:] for line in lines(project, load, "id", *columns) if line[0] == key]


@heavy
def test_a_deleted_row_that_comes_back_unchanged_is_alive_again(project: Project) -> None:
    for load in ("item", "past"):
        counts(project, load, [item("back")], 1)
        assert counts(project, load, [item("back", gone="yes")], 2)[3] == 1
        assert counts(project, load, [item("back")], 3)[1] == 1
    assert rows(project, "item", "back", "n", "is_deleted") == [(1, False)]
    assert rows(project, "past", "back", "effective_from", "is_deleted", "is_current") == [
        (1, False, False),
        (2, True, False),
        (3, False, True),
    ]


@heavy
def test_an_unmatched_row_that_is_flagged_deleted_is_neither_inserted_nor_counted_as_a_delete(project: Project) -> None:
    for load in ("item", "past"):
        assert counts(project, load, [item("unknown", gone="yes")], 3) == (0, 0, 0, 0, 1, 0)
        assert rows(project, load, "unknown", "n") == []


def test_keys_with_the_separator_in_them_differ(spark: SparkSession) -> None:
    found = prepared(frame(spark, "a string, b string", ("a_b", "c"), ("a", "b_c"), ("a|b", "c"), ("a", "b|c")), a_load())
    assert found.select("sk").distinct().count() == 4


def _refused(tmp_path: Path, text: str) -> str:
    (tmp_path / "muniment.yml").write_text("name: p\ninclude: [l.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (tmp_path / "l.yml").write_text(text, encoding="utf-8")
    with pytest.raises(MunimentError) as mistake:
        load_project(tmp_path)
    return str(mistake.value)


def test_no_key_columns_is_a_mistake(tmp_path: Path) -> None:
    assert "a load without a key is refused" in _refused(tmp_path, "load: t\nstrategy: merge\nkey: {}\n")
    assert "key" in _refused(tmp_path, "load: t\nstrategy: merge\n")


def test_a_null_between_values_changes_the_hash(spark: SparkSession) -> None:
    kinds = "a string, b string, x string, y string, z string"
    found = prepared(frame(spark, kinds, ("1", "1", "p", None, "q"), ("2", "1", "p", "q", None), ("3", "1", None, "p", "q")), a_load())
    assert found.drop("sk").select("source_hash").distinct().count() == 3
    same = prepared(frame(spark, kinds, ("1", "1", "p", None, "q"), ("1", "1", "p", "", "q")), a_load())
    assert same.select("source_hash").distinct().count() == 2


@heavy
def test_a_calculated_now_makes_no_row_a_changed_one(project: Project) -> None:
    counts(project, "item", [item("now")], 3)
    assert counts(project, "item", [item("now")], 4) == (0, 0, 1, 0, 0, 0)
    assert rows(project, "item", "now", "loaded", "last_seen_ts") == [(3, 4)]


@heavy
def test_a_key_whose_partition_value_changed_is_there_once(project: Project) -> None:
    counts(project, "item", [item("moves", year=2025)], 4)
    assert counts(project, "item", [item("moves", year=2026)], 5)[1] == 1
    assert rows(project, "item", "moves", "year") == [(2026,)]


@heavy
def test_a_processing_time_that_is_used_again_gives_one_current_row(project: Project) -> None:
    counts(project, "past", [item("twice", 1)], 5)
    for n in (2, 3):
        counts(project, "past", [item("twice", n)], 6)
    assert rows(project, "past", "twice", "n", "effective_from", "effective_to", "is_current") == [(1, 5, 6, False), (3, 6, None, True)]


@heavy
def test_an_old_slice_does_not_move_the_watermark_back(project: Project) -> None:
    counts(project, "item", [item("late", seen=7)], 7)
    counts(project, "item", [item("later", seen=2)], 8)
    assert [row["value"] for row in project.watermarks("item").collect()] == [day(7)]


@pytest.mark.parametrize(
    "setting",
    ["watermark: [{column: at, lag: soon}]", "max_deleted: most", "strategy: upsert", "absence: maybe", "columns: {n: integr}"],
)
def test_a_setting_that_cannot_be_read_is_a_mistake_with_its_line(tmp_path: Path, setting: str) -> None:
    strategy = "" if setting.startswith("strategy") else "strategy: merge\n"
    told = _refused(tmp_path, f"load: t\n{strategy}key: {{id: long}}\n{setting}\n")
    assert f"l.yml:{3 if not strategy else 4}" in told


@heavy
def test_closed_versions_are_never_stamped_again(project: Project) -> None:
    for at, n in ((8, 1), (9, 2), (10, 2)):
        counts(project, "past", [item("closed", n)], at)
    assert rows(project, "past", "closed", "n", "is_current", "last_seen_ts") == [(1, False, 8), (2, True, 10)]


@pytest.mark.parametrize(
    "setting",
    [
        "columns: {n: {type: int, expression: (SELECT 1)}}",
        "columns: {n: {type: string, expression: \"reflect('java.lang.System', 'exit', 1)\"}}",
        "columns: {n: {type: string, expression: input_file_name()}}",
        "deleted: \"1 = 1; DROP TABLE x\"",
        "transform: {n: \"java_method('a', 'b')\"}",
        "prefix: \"x; --\"",
        "partition: [\"a`b\"]",
    ],
)  # fmt: skip
def test_an_expression_or_a_name_that_would_be_more_is_refused(tmp_path: Path, setting: str) -> None:
    _refused(tmp_path, f"load: t\nstrategy: merge\nkey: {{id: long}}\n{setting}\n")
