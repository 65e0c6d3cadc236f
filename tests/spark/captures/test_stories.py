"""Stories of captures through real HTTP: scopes, authority, absences, vendors' dates, changes, the first format, replay."""

from __future__ import annotations

import gzip
import json

import pytest
from pyspark.sql import SparkSession

from muniment.steps.capture import Captured

from tests.captures.api import paged, whole
from tests.spark.captures.market import STORIES, Market, market_at

Line = tuple[object, ...]


@pytest.fixture(scope="module")
def market(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Market:
    return market_at(tmp_path_factory.mktemp("stories"), spark, *STORIES)


def listed(*symbols: str, exchange: str = "SZSE") -> list[dict[str, object]]:
    return [{"symbol": symbol, "lot": 1, "exchange": exchange} for symbol in symbols]


@pytest.mark.heavy  # eleven captures: make heavy
def test_one_exchange_never_touches_another_and_only_the_authority_delists(market: Market) -> None:
    market.captures(
        "scoped", {"2026-03-01T10:00": paged(listed("A", "B", "TEST1")), "2026-03-01T10:01": paged(listed("C", "D", exchange="SSE"))}
    )
    market.captures("scoped", {"2026-03-01T10:02": paged(listed("E", "F"))}, source="y")  # which has no authority over SZSE
    first = market.project.land("scoped", "x")
    market.project.land("scoped", "y")
    market.project.derive("scoped")
    assert (first.received, first.landed, first.ignored, first.quarantined, first.held) == (5, 4, 1, 0, False)
    assert "1 rows were left out as 'exclude' declares" in first.messages
    other = market.project.table("bronze.scoped_history").where("exchange = 'SSE'").orderBy("symbol").collect()

    captured = market.capture("scoped", paged(listed("A", "TEST1")), "2026-03-02T10:00")
    market.capture("scoped", paged(listed("F")), "2026-03-02T10:02", source="y")
    market.project.land("scoped", "x")
    market.project.land("scoped", "y")
    market.project.derive("scoped")
    assert "/exchange=SZSE/date=2026-03-02/" in captured.path
    assert market.versions("scoped") == [
        ("A", "01 10:00", None),
        ("B", "01 10:00", "02 10:00"),
        ("C", "01 10:01", None),
        ("D", "01 10:01", None),
        ("E", "01 10:02", None),  # y lacks it, and may not say so
        ("F", "01 10:02", None),
    ]
    assert market.project.table("bronze.scoped_history").where("exchange = 'SSE'").orderBy("symbol").collect() == other

    market.capture("scoped", lambda _: whole([], total=0), "2026-03-03T10:01", scope={"exchange": "SSE"})
    assert market.project.land("scoped", "x").held  # an empty snapshot of one exchange closes nothing, there or elsewhere
    market.project.derive("scoped")
    assert len(market.project.history("scoped", as_of="2026-03-04").collect()) == 5
    assert market.statuses("scoped") == ["success"] * 2 + ["success", "quarantined"] + ["success"] * 2


def test_one_absence_closes_nothing_where_two_are_asked_for_and_the_same_list_again_is_the_second(market: Market) -> None:
    days = {1: ("A", "B"), 2: ("A",), 3: ("A", "B"), 4: ("A",), 5: ("A",)}
    captured = market.captures("twice", {f"2026-03-0{day}T10:00": paged(listed(*there)) for day, there in days.items()})
    assert [bool(each.duplicate_of) for each in captured] == [False, False, False, False, True]
    market.take("twice")
    assert market.versions("twice") == [("A", "01 10:00", None), ("B", "01 10:00", "04 10:00")]


@pytest.mark.heavy
def test_a_vendors_own_history_is_loaded_with_its_dates_and_what_has_ended_is_closed(market: Market) -> None:
    records: list[dict[str, object]] = [
        {"symbol": "A", "lot": 1, "listed": "2026-01-01", "delisted": "2026-01-10"},
        {"symbol": "A", "lot": 2, "listed": "2026-01-10", "delisted": None},
        {"symbol": "B", "lot": 1, "listed": "2026-01-05T12:00:00Z", "delisted": "2026-01-20T12:00:00Z"},
    ]
    market.capture("dated", paged(records, size=5), "2026-02-01", mode="history")
    market.take("dated")
    assert market.versions("dated", "lot", "is_current") == [
        ("A", "01 00:00", "10 00:00", 1, False),
        ("A", "10 00:00", None, 2, True),
        ("B", "05 12:00", "20 12:00", 1, False),
    ]


@pytest.mark.heavy
def test_changes_never_delist_envelopes_of_the_first_format_are_read_and_a_capture_is_known_from_its_own_time(market: Market) -> None:
    said = {"schema_version": 1, "vendor": "x", "dataset": "old", "captured_at_us": 1772359200000000, "snapshot_ts_us": 1772323200000000}
    place = market.root / "captures/old/date=2026-03-01"
    place.mkdir(parents=True)
    with gzip.open(place / "records.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps({**said, "record": record}) + "\n" for record in listed("A", "B"))
    changes = market.capture("old", paged(listed("C")), "2026-03-02T10:00", mode="incremental")
    assert isinstance(changes, Captured)
    landed = market.project.land("old", "x")
    assert (landed.landed, landed.held) == (3, True)  # the first format cannot say whether it is complete
    market.capture("old", paged(listed("A", "C")), "2026-03-03T10:00")
    market.take("old")
    assert market.versions("old") == [("A", "01 10:00", None), ("B", "01 10:00", "03 10:00"), ("C", "02 10:00", None)]
    assert market.statuses("old") == ["quarantined", "success", "success"]
    known = market.project.history("old", known_at="2026-03-01T12:00").select("symbol").collect()
    assert {row["symbol"] for row in known} == {"A", "B"}


@pytest.mark.heavy
def test_a_replay_takes_the_backdated_capture_too_and_says_what_differs(market: Market) -> None:
    market.captures("backdated", {f"2026-03-0{day}T10:00": paged(listed("A", "B")) for day in (1, 2)})
    market.take("backdated")
    market.capture("backdated", paged(listed("A", "B", "Z")), "2026-03-01T12:00")
    with pytest.raises(Exception, match=r"MU-CAPTURE-007 .* 2026-03-01T12:00:00\+00:00, and one for 2026-03-02T10:00:00\+00:00"):
        market.project.land("backdated", "x")
    before = market.versions("backdated")
    replayed = market.project.replay("backdated")
    told = [(row["which"], row["symbol"]) for row in replayed.differences.select("which", "symbol").collect()]
    # Z was there once and is lacking then, so it has two rows in the replay: listed, and gone
    assert told == [("only in the replay", "Z"), ("only in the replay", "Z")]
    assert (replayed.differs, replayed.landed, market.versions("backdated")) == (2, 7, before)
