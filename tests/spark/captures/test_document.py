"""The twelve acceptance tests of the document, end to end: a real server, capture, land, derive; one entity's day, told in order."""

from __future__ import annotations

import json
import math

import pytest
from pyspark.sql import SparkSession

from muniment.captures.errors import Backdated, CaptureIncomplete

from tests.captures.api import Answer, Asked, Reply, paged, whole
from tests.spark.captures.market import Market, market_at

DAY = "2026-03-02T"
A = {"symbol": "A", "tick_size": 0.01, "lot": 1}
B = {"symbol": "B", "tick_size": 0.3, "lot": 1}
C = {"symbol": "C", "tick_size": 5e-10, "lot": 1}


@pytest.fixture(scope="module")
def day(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Market:
    """One day of captures, some of which go wrong, landed and derived."""
    market = market_at(tmp_path_factory.mktemp("market"), spark, "plain")
    later, other = {**A, "tick_size": 0.001}, {**C, "tick_size": 5.6e-10}
    answers = {
        "09:00": paged([A, B, C]),
        "10:30": paged([later, B, C]),
        "11:00": paged([{"lot": 1, "tick_size": 3e-1, "symbol": "B", "name": None}, C, later], size=3),  # the same again
        "11:30": broken([later, B, C]),
        "12:00": paged([later, {**B, "tick_size": 0.1 * 3}, {**C, "tick_size": 5.4e-10}]),
        "13:00": paged([later, B, other]),
        "14:00": paged([later, other]),
        "15:00": paged([later, B, other]),
    }
    market.captures("plain", {f"{DAY}{at}": answer for at, answer in answers.items()})
    market.take("plain")
    return market


def broken(records: list[dict[str, object]]) -> Answer:
    """An API whose second page never comes."""

    def answer(asked: Asked) -> Reply:
        return Reply(status=500) if asked.query["page"] == "2" else paged(records)(asked)

    return answer


def test_the_whole_history_is_as_written_by_hand(day: Market) -> None:
    assert math.isclose(0.1 * 3, 0.3)
    assert 0.1 * 3 != 0.3
    assert day.versions("plain", "tick_size", "is_current") == [
        ("A", "02 09:00", "02 10:30", 0.01, False),
        ("A", "02 10:30", None, 0.001, True),
        ("B", "02 09:00", "02 14:00", 0.3, False),
        ("B", "02 15:00", None, 0.3, True),
        ("C", "02 09:00", "02 13:00", 5e-10, False),
        ("C", "02 13:00", None, 5.6e-10, True),
    ]


def test_1_a_capture_of_half_past_ten_says_nothing_of_nine(day: Market) -> None:
    assert at(day, "A", "10:29:59.999999") == [0.01]
    assert at(day, "A", "08:59") == []


def test_2_a_backdated_capture_is_refused_with_both_times_and_changes_nothing(day: Market) -> None:
    log, history = (day.project.table(f"bronze.plain_{name}").count() for name in ("log", "history"))
    day.capture("plain", paged([A]), f"{DAY}12:30")
    with pytest.raises(Backdated, match=r"12:30:00\+00:00, and one for 2026-03-02T15:00:00\+00:00"):
        day.project.land("plain", "x")
    assert (day.project.table("bronze.plain_log").count(), day.project.table("bronze.plain_history").count()) == (log, history)
    assert day.project.land("plain", "x").received == 0
    assert day.statuses("plain").count("quarantined") == 1


def test_3_and_4_the_same_content_is_a_duplicate_and_one_changed_field_is_not(day: Market) -> None:
    rows = day.project.captures("plain").where("effective_ts < '2026-03-02 11:15:00Z'").collect()
    first, second, third = rows
    assert (first["status"], second["status"], third["status"]) == ("success", "success", "skipped_duplicate")
    assert (second["content_sha256"] == third["content_sha256"], first["content_sha256"] == second["content_sha256"]) == (True, False)
    assert (third["duplicate_of"], second["duplicate_of"]) == (second["path"], None)
    assert second["file_sha256"] != third["file_sha256"]
    seen = day.project.history("plain", "A").where("is_current").select("seen_count").first()
    assert seen is not None
    assert seen["seen_count"] == 6  # a duplicate is evidence too


def test_5_and_6_an_incomplete_capture_is_kept_and_refused_as_input_and_as_baseline(day: Market) -> None:
    (row,) = day.project.captures("plain").where("status = 'skipped_incomplete'").collect()
    manifest = json.loads((day.root / row["path"] / "_manifest.json").read_text(encoding="utf-8"))
    assert (manifest["complete"], manifest["record_count"], manifest["expected_record_count"]) == (False, 2, 3)
    assert "page 2 could not be had" in manifest["reason"]
    with pytest.raises(CaptureIncomplete, match="page 2 could not be had"):
        day.project.land("plain", "x", row["path"])
    for previous, current in ((row["path"], None), (None, row["path"])):
        other = day.project.captures("plain").where("status = 'success'").first()
        assert other is not None
        with pytest.raises(CaptureIncomplete):
            day.project.diff(previous or other["path"], current or other["path"], entity="plain", source="x")
    assert day.project.table("bronze.plain_log").where(f"source_path LIKE '{row['path']}%'").count() == 0
    after = day.project.captures("plain").where("effective_ts = '2026-03-02 12:00:00Z'").first()
    assert after is not None
    assert after["scd2_delisted"] == 0


def test_7_and_8_at_the_transition_the_new_version_answers_and_nothing_overlaps(day: Market) -> None:
    assert at(day, "A", "10:30") == [0.001]
    for moment in ("09:00", "10:29", "10:31", "12:00", "13:00", "15:00", "23:00"):
        assert len(at(day, "A", moment)) == len(at(day, "C", moment)) == 1
    assert day.project.verify("plain").ok


def test_9_and_10_numbers_that_differ_only_as_doubles_make_no_version_and_the_last_place_that_counts_does(day: Market) -> None:
    counts = {
        row["at"]: (row["scd2_new"], row["scd2_modified"], row["scd2_delisted"], row["scd2_unchanged"])
        for row in day.project.captures("plain")
        .where("status = 'success'")
        .selectExpr(
            "date_format(from_utc_timestamp(effective_ts, 'UTC'), 'HH:mm') AS at",
            "scd2_new",
            "scd2_modified",
            "scd2_delisted",
            "scd2_unchanged",
        )
        .collect()
    }
    assert counts == {
        "09:00": (3, 0, 0, 0),
        "10:30": (0, 1, 0, 2),
        "12:00": (0, 0, 0, 3),  # 0.1 × 3 and 0.3; 5.4e-10 rounds to 5e-10
        "13:00": (0, 1, 0, 2),  # 5.6e-10 rounds to 6e-10
        "14:00": (0, 0, 1, 2),
        "15:00": (1, 0, 0, 2),
    }


def test_11_and_12_delisting_closes_and_relisting_opens_after_a_gap(day: Market) -> None:
    assert at(day, "B", "13:59:59") == [0.3]
    assert at(day, "B", "14:00") == at(day, "B", "14:59:59") == []
    assert at(day, "B", "15:00") == [0.3]
    log = [
        (row["natural_key"], row["change_type"], row["changed_columns"])
        for row in day.project.change_log("plain").where("change_type <> 'new_listing'").collect()
    ]
    assert [(key, kind) for key, kind, _ in log] == [
        ('{"symbol":"A"}', "modification"),
        ('{"symbol":"C"}', "modification"),
        ('{"symbol":"B"}', "delisting"),
    ]
    assert {name: (pair["old"], pair["new"]) for name, pair in log[0][2].items()} == {"tick_size": ("0.01", "0.001")}


def at(market: Market, symbol: str, moment: str) -> list[float]:
    """The tick sizes that hold at a moment."""
    return [row["tick_size"] for row in market.project.history("plain", symbol, as_of=f"{DAY}{moment}").select("tick_size").collect()]


def test_an_empty_snapshot_closes_nothing_until_somebody_accepts_it(day: Market) -> None:
    day.capture("plain", lambda asked: whole([], total=0), f"{DAY}16:00")
    landed = day.project.land("plain", "x")
    day.project.derive("plain")
    assert landed.held
    assert [row["symbol"] for row in day.project.history("plain", as_of=f"{DAY}17:00").orderBy("symbol").collect()] == ["A", "B", "C"]
    (row,) = day.project.captures("plain").where("effective_ts = '2026-03-02 16:00:00Z'").collect()
    assert row["status"] == "quarantined"
    assert "muniment quarantine accept plain" in row["reason"]
    (header,) = day.project.table("bronze.plain_load").where("load_ts = '2026-03-02 16:00:00Z'").collect()
    day.project.accept(header["load_id"], by="jane", reason="the exchange has closed")
    day.take("plain")
    assert day.project.history("plain", as_of=f"{DAY}17:00").count() == 0
    assert day.statuses("plain")[-1] == "success"
