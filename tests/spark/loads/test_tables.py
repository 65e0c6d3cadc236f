"""What loads do to their tables beside the rows: drift, watermarks, windows, times, known slices; one lake for all."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from pyspark.sql import SparkSession

from muniment.errors import MunimentError
from muniment.loads.result import Loaded
from muniment.project import Project

from tests.spark.loads.telling import day, lines
from tests.spark.timeline.conftest import Make

pytestmark = pytest.mark.heavy  # many loads: make heavy

EVOLVING = "load: evolving\nstrategy: historic\nkey: {id: long}\n"
STRICT = "load: strict\nstrategy: merge\nkey: {id: long}\ndrift: fail\n"
CLOSED = """
load: closed
strategy: merge
key: {id: string}
columns: {at: timestamp, n: long}
watermark: [{column: at, lag: 1 hour}, {column: n, operation: or}]
absence: deletes
window: closed
"""
PLACED = """
load: placed
tags: [daily]
strategy: merge
read: {format: csv, path: slices/placed}
key: {id: long}
columns: {n: int}
"""


@pytest.fixture(scope="module")
def project(make: Make) -> Project:
    return make(EVOLVING, STRICT, CLOSED, PLACED)


def test_a_table_takes_new_columns_in_and_a_column_that_is_missing_is_no_change(project: Project, spark: SparkSession) -> None:
    def load(kinds: str, *rows: Sequence[object], at: int) -> Loaded:
        return project.load("evolving", spark.createDataFrame(list(rows), kinds), at=day(at))

    load("id int, n bigint, name string", (1, 5_000_000_000, "a"), (2, 7, "b"), at=1)
    grown = load("id int, n bigint, name string, `unit price` double", (1, 5_000_000_000, "a", None), (2, 7, "b", 1.5), at=2)
    assert grown.messages == ("column unit_price (double) is new",)
    assert (grown.updated, grown.unchanged) == (1, 1)  # a new column that is null says nothing new of row 1
    less = load("id int, name string", (1, "a"), (2, "c"), at=3)
    assert less.messages[0] == "column n is not in the slice; what is held stays"
    assert (less.updated, less.unchanged) == (1, 1)
    narrow = load("id int, n int, name string, unit_price float", (1, 6, "a", None), (2, 7, "c", 1.5), at=4)  # narrower types go in whole
    assert narrow.messages == ("column n is bigint here and int in the slice", "column unit_price is double here and float in the slice")
    with pytest.raises(MunimentError, match=r"MU-LOAD-003 .* n = 1.5; nothing was loaded"):
        load("id int, n double, name string", (1, 1.5, "a"), at=5)
    assert lines(project, "evolving", "id", "effective_from", "n", "name", "unit_price", "is_current") == [
        (1, 1, 5_000_000_000, "a", None, False),
        (1, 4, 6, "a", None, True),
        (2, 1, 7, "b", None, False),
        (2, 2, 7, "b", 1.5, False),
        (2, 3, 7, "c", 1.5, True),
    ]


def test_where_drift_fails_the_slice_is_refused_with_all_differences(project: Project) -> None:
    project.load("strict", [{"id": 1, "a": "x"}], at=day(2))
    with pytest.raises(MunimentError, match=r"MU-LOAD-005 strict: .*: column b \(string\) is new; column a is not in the slice"):
        project.load("strict", [{"id": 1, "b": "x"}], at=day(3))
    for at, says in (
        (day(1), "MU-LOAD-004 strict: the processing time 2026-03-01T00:00:00.00:00 is before"),
        ("soon", "MU-ARG-001 at: 'soon' is not a time"),
    ):
        with pytest.raises(MunimentError, match=says):
            project.load("strict", [{"id": 1, "a": "y"}], at=at)
    again = project.load("strict", [{"id": 1, "a": "y"}], at="2026-03-02T01:00+01:00")  # the same instant, with its offset
    assert (again.updated, lines(project, "strict", "id", "a", "last_seen_ts")) == (1, [(1, "y", 2)])


def closed(key: str, hour: int | None, n: int | None = None) -> dict[str, object]:
    return {"id": key, "at": None if hour is None else f"2026-03-01T{hour:02d}:00:00Z", "n": n}


def test_watermarks_move_only_forward_and_only_inside_their_window_is_anything_missed(project: Project) -> None:
    def load(*rows: dict[str, object]) -> tuple[int, dict[str, str | None]]:
        done = project.load("closed", list(rows), at=day(5))
        return done.inferred_deletes, dict(done.watermarks)

    first = [closed("a", 8, 1), closed("b", 9, 2), closed("c", 10, 3), closed("d", None, None), closed("e", 1, 9)]
    assert load(*first) == (0, {"at": "2026-03-01T10:00:00+00:00", "n": "9"})  # never on a first run
    assert load(closed("c", 10, None)) == (0, {})  # n has no value in this slice: its window cannot be told
    assert load() == (0, {})  # nor on an empty slice
    assert load(closed("x", 5, 3)) == (0, {})  # an old slice moves nothing back, and its window is empty
    with pytest.raises(
        MunimentError, match=r"MU-LOAD-006 closed: the slice lacks 2 of the 3 rows in its window, more than 'max_deleted: 0.5'"
    ):
        load(closed("c", 11, 10))  # b at nine o'clock, an hour before, is at the closed start; e by its number
    assert load(closed("b", 9, 2), closed("c", 11, 10)) == (1, {"at": "2026-03-01T11:00:00+00:00", "n": "10"})
    assert lines(project, "closed", "id", "is_deleted") == [
        ("a", False),
        ("b", False),
        ("c", False),
        ("d", False),
        ("e", True),
        ("x", False),
    ]

    assert project.next_read("closed") == "at >= 2026-03-01T10:00:00+00:00 or n >= 10"
    for value in ("2026-01-01' OR '1'='1", "tomorrow"):
        with pytest.raises(MunimentError, match=r"MU-LOAD-010 closed: at: '.*' is not a value of type timestamp"):
            project.reset_watermark("closed", "at", value, by="jane", reason="x")
    with pytest.raises(MunimentError, match="there is no watermark 'att'; did you mean 'at'"):
        project.reset_watermark("closed", "att", None, by="jane", reason="x")
    project.reset_watermark("closed", "at", "2026-03-01T07:00", by="jane", reason="read again")
    project.reset_watermark("closed", "n", None, by="jane", reason="renumbered")
    assert project.next_read("closed") == "everything"
    assert load(closed("c", 12, 11))[0] == 0  # without one of its watermarks nothing is inferred
    told = [tuple(row) for row in project.watermarks("closed", every=True).select("column", "value", "before", "kind", "made_by").collect()]
    assert told == [
        ("at", "2026-03-01T10:00:00+00:00", None, "moved", None),
        ("at", "2026-03-01T11:00:00+00:00", "2026-03-01T10:00:00+00:00", "moved", None),
        ("at", "2026-03-01T07:00:00+00:00", "2026-03-01T11:00:00+00:00", "reset", "jane"),
        ("at", "2026-03-01T12:00:00+00:00", "2026-03-01T07:00:00+00:00", "moved", None),
        ("n", "9", None, "moved", None),
        ("n", "10", "9", "moved", None),
        ("n", None, "10", "reset", "jane"),
        ("n", "11", None, "moved", None),
    ]


@pytest.mark.heavy
def test_a_delta_table_is_read_from_the_watermarks_on(make: Make, spark: SparkSession) -> None:
    project = make("load: d\nstrategy: merge\nread: {format: delta, path: source}\nkey: {id: long}\nwatermark: [{column: n}]\n")
    place = (project.model.root / "source").as_posix()
    spark.createDataFrame([(1, 1), (2, 2)], "id long, n int").write.format("delta").save(place)
    assert (project.load("d").inserted, project.load("d").skipped) == (2, 1)
    spark.createDataFrame([(1, 1), (3, 3)], "id long, n int").write.format("delta").mode("append").save(place)  # 1 again, not beyond
    again = project.load("d")
    assert (again.received, again.inserted, dict(again.watermarks)) == (1, 1, {"n": "3"})


def test_new_slices_at_a_place_are_planned_and_run_in_the_order_of_their_names_and_once(project: Project) -> None:
    place = project.model.root / "slices" / "placed"
    (place / "2.csv").mkdir(parents=True)  # a folder of parts is one slice
    (place / "1.csv").write_text("id,n\n1,1\n2,1\n", encoding="utf-8")
    for name, text in (("part-0", "id,n\n1,2\n"), ("part-1", "id,n\n3,2\n")):
        (place / "2.csv" / f"{name}.csv").write_text(text, encoding="utf-8")
    planned = project.plan(select="tag:daily")
    assert planned.outcomes[0].detail == "would load 2 of 2 slices, strategy merge"
    assert [(each.stage.source, each.detail) for each in planned.outcomes[1:4]] == [
        ("inject_transformations", "adds nothing"),
        ("add_calculated_columns", "adds nothing"),
        ("hash_source", "adds source_hash"),
    ]
    assert len(planned.outcomes) == 13
    assert [each.detail for each in project.run("placed").outcomes] == ["received 4, inserted 3, updated 1, seen again 0"]
    assert lines(project, "placed", "id", "n", "source_file") == [(1, 2, "part-0.csv"), (2, 1, "1.csv"), (3, 2, "part-1.csv")]
    assert [each.detail for each in project.run("placed").outcomes] == ["nothing new"]
    (place / "3.csv").write_text("id,n\n1,2,3\n", encoding="utf-8")
    (outcome,) = project.run("placed").outcomes
    assert (outcome.exit_code, "cannot be read: not a row of this file's columns" in outcome.detail) == (3, True)
    runs = project.runs("placed").select("counts", "files").collect()
    assert [(row["counts"]["inserted"], len(row["files"])) for row in reversed(runs)] == [(2, 1), (1, 2)]
    assert json.loads(json.dumps(dict(runs[0]["counts"]))) == {
        "received": 2, "inserted": 1, "updated": 1, "unchanged": 0, "deleted": 0, "ignored": 0, "quarantined": 0, "inferred_deletes": 0,
    }  # fmt: skip
