"""Captures as Parquet: the same content, the same history as from lines; and `verify`, which looks at both on disk."""

from __future__ import annotations

import json
import shutil

import pytest
from pyspark.sql import SparkSession

from muniment.quality.problems import Problem

from tests.captures.api import Answer, paged
from tests.spark.captures.market import Market, market_at

pytestmark = pytest.mark.heavy  # a server and a lake in both formats: make heavy

A = {"symbol": "A", "tick_size": 0.01, "lot": 1}
B = {"symbol": "B", "tick_size": 0.1 * 3, "lot": 1, "name": "Bé", "big": 12345678901234567890, "more": {"deep": [1, None, 2.50]}}
DAYS: dict[str, Answer] = {
    "2026-03-01T10:00": paged([A, B]),
    "2026-03-02T10:00": paged(
        [{**B, "more": {"deep": [1.0, None, 2.5]}}, {"lot": 1, "name": None, "tick_size": 1e-2, "symbol": "A"}], size=3
    ),
    "2026-03-03T10:00": paged([{**A, "tick_size": 0.001}]),
    "2026-03-04T10:00": paged([{**A, "lot": 2, "extra": "text"}, {**B, "lot": 5, "extra": 7}]),  # no column holds both
}
FORMATS = ["parquet", "parquet", "parquet", "jsonl.gz"]


@pytest.fixture(scope="module")
def market(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Market:
    made = market_at(tmp_path_factory.mktemp("formats"), spark, "lines", "columns")
    for entity in ("lines", "columns"):
        made.captures(entity, DAYS)
        made.take(entity)
    return made


def manifests(market: Market, entity: str) -> list[dict[str, object]]:
    paths = [row["path"] for row in market.project.captures(entity).collect()]
    return [json.loads((market.root / path / "_manifest.json").read_text(encoding="utf-8")) for path in paths]


def test_the_content_is_the_same_in_both_formats_and_the_manifest_says_which_it_is(market: Market) -> None:
    lines, columns = manifests(market, "lines"), manifests(market, "columns")
    assert [each["records_content_sha256"] for each in lines] == [each["records_content_sha256"] for each in columns]
    assert [each["record_format"] for each in columns] == FORMATS
    assert [bool(each["format_note"]) for each in columns] == [False, False, False, True]  # what an API gave is never lost to a format
    assert {path.name for path in (market.root / "captures/columns").rglob("records*")} == {"records.parquet", "records.jsonl.gz"}
    assert market.statuses("lines") == market.statuses("columns") == ["success", "skipped_duplicate", "success", "success"]


def test_the_history_is_the_same_from_both(market: Market) -> None:
    told = market.versions("columns", "tick_size", "lot", "name", "is_current")
    assert told == market.versions("lines", "tick_size", "lot", "name", "is_current")
    assert told == [
        ("A", "01 10:00", "03 10:00", 0.01, 1, None, False),
        ("A", "03 10:00", "04 10:00", 0.001, 1, None, False),
        ("A", "04 10:00", None, 0.01, 2, None, True),
        ("B", "01 10:00", "03 10:00", 0.1 * 3, 1, "Bé", False),
        ("B", "04 10:00", None, 0.1 * 3, 5, "Bé", True),
    ]


def test_verify_names_every_capture_that_is_not_as_it_was(market: Market) -> None:
    assert market.project.verify("lines").ok
    one, two, three, four = [market.root / row["path"] for row in market.project.captures("columns").collect()]
    changed = bytearray((one / "records.parquet").read_bytes())
    changed[len(changed) // 2] ^= 1
    (one / "records.parquet").write_bytes(changed)
    manifest = (two / "_manifest.json").read_text(encoding="utf-8")
    (two / "_manifest.json").write_text(manifest.replace('"complete": true', '"complete":  true'), encoding="utf-8")
    shutil.rmtree(three)
    (four / "records.jsonl.gz").unlink()
    found = market.project.verify("columns")
    assert not found.ok
    assert found.problems == tuple(
        Problem("captures", path.relative_to(market.root).as_posix(), detail)
        for path, detail in (
            (one, "its records records.parquet are not those that were captured"),
            (two, "its _manifest.json was changed"),
            (three, "it is not there any more"),
            (four, "its records records.jsonl.gz are not there any more"),
        )
    )
