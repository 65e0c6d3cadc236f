"""The window of a slice, and what is still unread: which rows are inside, at the boundaries too. No lake, a job for each look."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import types as T

from muniment.config.load_build import build_load
from muniment.config.load_shape import LoadShape
from muniment.loads.marks import Mark
from muniment.loads.values import Value
from muniment.loads.watermarks import Reach, told

KINDS: dict[str, T.DataType] = {"id": T.StringType(), "at": T.TimestampType(), "n": T.LongType()}
MARKS = {"at": Mark("at", "2026-03-01T10:00:00+00:00", "timestamp"), "n": Mark("n", "5", "bigint")}
HIGHS: dict[str, Value] = {"at": datetime(2026, 3, 1, 12, tzinfo=UTC), "n": 7}
ROWS: dict[str, tuple[int | None, int | None]] = {
    "before": (8, 4),
    "start": (9, 5),
    "inside": (11, 6),
    "end": (12, 7),
    "after": (13, 8),
    "timed": (11, 1),
    "numbered": (1, 6),
    "timeless": (None, 6),
    "null": (None, None),
}


def reach(*, highs: bool = True, marks: dict[str, Mark] | None = None, **given: object) -> Reach:
    load = build_load(LoadShape.model_validate({"load": "t", "strategy": "merge", "key": {"id": "string"}, "absence": "deletes", **given}))
    return Reach(load, MARKS if marks is None else marks, KINDS, HIGHS if highs else {})


def found(spark: SparkSession, condition: object) -> set[str]:
    rows = [(name, None if hour is None else datetime(2026, 3, 1, hour, tzinfo=UTC), n) for name, (hour, n) in ROWS.items()]
    frame = spark.createDataFrame(rows, "id string, at timestamp, n bigint")
    return {row["id"] for row in frame.where(condition).collect()}  # type: ignore[arg-type]


TIME = {"column": "at", "lag": "1 hour"}  # from nine o'clock on


@pytest.mark.parametrize(
    ("watermarks", "window", "inside"),
    [
        ([TIME], "open_start", {"inside", "end", "timed"}),
        ([TIME], "closed", {"start", "inside", "end", "timed"}),
        ([{"column": "n"}], "open_start", {"inside", "end", "numbered", "timeless"}),
        ([TIME, {"column": "n"}], "open_start", {"inside", "end"}),
        ([TIME, {"column": "n", "operation": "or"}], "open_start", {"inside", "end", "timed", "numbered", "timeless"}),
    ],
)
def test_a_row_is_inside_if_a_source_read_in_that_way_would_have_sent_it(
    spark: SparkSession, watermarks: list[dict[str, object]], window: str, inside: set[str]
) -> None:
    one = reach(watermark=watermarks, window=window)
    assert found(spark, one.window()) == inside
    beyond = found(spark, one.unread())
    assert inside < beyond  # what is after the slice's end is unread too, and never missed
    assert "after" in beyond


def test_without_every_watermark_there_is_no_window_and_everything_is_unread(spark: SparkSession) -> None:
    both = [TIME, {"column": "n"}]
    assert reach(watermark=both, highs=False).window() is None
    for marks in ({}, {"at": MARKS["at"]}, {**MARKS, "n": Mark("n", None, "bigint")}):
        one = reach(watermark=both, marks=marks)
        assert (one.window(), one.unread(), told(one.load, marks)) == (None, None, "everything")
    assert reach(watermark=[{"column": "elsewhere"}]).window() is None
    assert told(reach(watermark=both).load, MARKS) == "at > 2026-03-01T09:00:00+00:00 and n > 5"


def test_an_old_slice_moves_nothing_back() -> None:
    one = reach(watermark=[TIME, {"column": "n"}])
    assert [(move["column"], move["value"]) for move in one.moves()] == [("at", "2026-03-01T12:00:00+00:00"), ("n", "7")]
    older = Reach(one.load, MARKS, KINDS, {"at": datetime(2026, 3, 1, 9, tzinfo=UTC), "n": 5})
    assert older.moves() == []
