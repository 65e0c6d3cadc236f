"""Lists of delistings through real HTTP: each end at its own date; what the snapshot lists all the same is a conflict that somebody sees."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from muniment.captures.errors import NoDates

from tests.captures.api import Answer, paged
from tests.spark.captures.market import Market, market_at

pytestmark = pytest.mark.heavy  # a server and a lake for each story: make heavy

C_KEY = '{"symbol":"C"}'


def snapshot(*symbols: str) -> Answer:
    return paged([{"symbol": symbol, "lot": 1, "exchange": "SZSE"} for symbol in symbols])


def ended(**dates: str) -> Answer:
    return paged([{"symbol": symbol, "exchange": "SZSE", "ended": at} for symbol, at in dates.items()])


EARLY = {"A": "2026-03-03T12:00:00Z", "C": "2026-02-20", "Q": "2025-01-01"}  # C is listed after that; Q never was
DAYS = {
    "2026-03-01T10:00": snapshot("A", "B", "C", "D"),
    "2026-03-04T10:00": ended(**EARLY),
    "2026-03-05T10:00": snapshot("B", "C"),
    "2026-03-06T10:00": ended(**EARLY, D="2026-03-04T18:00:00Z"),  # before the snapshot that lacks it
}
LISTS = ("2026-03-04T10:00", "2026-03-06T10:00")
CONFLICT = f"1 of its keys are listed by the snapshot beside it at or after the date of their end, such as {C_KEY}; the snapshot counts"


@pytest.fixture(scope="module")
def market(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Market:
    made = market_at(tmp_path_factory.mktemp("lists"), spark, "listed")
    made.captures("listed", DAYS, lists=LISTS)
    made.captures("listed", {"2026-03-04T11:00": ended(B="2026-03-02")}, source="y", lists=("2026-03-04T11:00",))
    return made


def test_a_delisting_ends_a_version_at_its_own_date_and_a_conflict_is_reported(market: Market) -> None:
    landed = market.project.land("listed", "x")
    assert (landed.received, landed.landed, landed.quarantined, landed.held) == (13, 11, 2, False)
    assert [message for message in landed.messages if CONFLICT in message] == [
        f"{row['path']}: {CONFLICT}"
        for row in market.project.captures("listed").where("capture_mode = 'delistings' AND source = 'x'").collect()
    ]
    foreign = market.project.land("listed", "y")  # which has no authority over SZSE
    assert (foreign.received, foreign.landed, foreign.ignored) == (1, 0, 1)
    assert any(message.startswith("1 delistings are of scopes") for message in foreign.messages)
    market.project.derive("listed")
    assert market.versions("listed") == [
        ("A", "01 10:00", "03 12:00"),
        ("B", "01 10:00", None),
        ("C", "01 10:00", None),
        ("D", "01 10:00", "04 18:00"),
    ]
    assert market.project.verify("listed").ok


def test_what_a_list_shows_is_counted_and_in_the_change_log(market: Market) -> None:
    counted = ("status", "scd2_new", "scd2_delisted", "scd2_unchanged", "reason")
    rows = market.project.captures("listed").where("source = 'x'").select(*counted).collect()
    assert [tuple(row) for row in rows] == [
        ("success", 4, 0, 0, None),
        ("success", 0, 2, 0, CONFLICT),
        ("success", 0, 2, 2, None),  # against the snapshot before it: A and D
        ("success", 0, 1, 2, CONFLICT),  # D is news; of A and Q it was said before
    ]
    log = market.project.change_log("listed").where("change_type IN ('delisting', 'conflict')")
    when = "date_format(from_utc_timestamp(effective_ts, 'UTC'), 'yyyy-MM-dd HH:mm')"
    told = sorted(
        tuple(row) for row in log.selectExpr("natural_key", "change_type", when, "curr_snapshot_path LIKE '%1772618400%'").collect()
    )
    first = [(key, kind, at) for key, kind, at, is_first_list in told if is_first_list]
    assert first == [
        ('{"symbol":"A"}', "delisting", "2026-03-03 12:00"),
        (C_KEY, "conflict", "2026-02-20 00:00"),
        ('{"symbol":"Q"}', "delisting", "2025-01-01 00:00"),
    ]
    assert [at for key, kind, at, _ in told if key == '{"symbol":"D"}'] == ["2026-03-04 18:00", "2026-03-05 10:00"]


def test_a_conflict_waits_for_a_person_and_stays_a_delisting_when_it_is_released(market: Market) -> None:
    waiting = market.project.quarantine("listed").select("quarantine_id", "reason").collect()
    assert [row["reason"] for row in waiting] == ["too_late", "too_late"]
    released = market.project.release([row["quarantine_id"] for row in waiting], by="jane", reason="it was listed anew")
    assert (released.released, released.refused) == (2, 0)
    log = market.project.table("bronze.listed_log").where("symbol = 'C' AND is_deleted")
    assert [tuple(row) for row in log.selectExpr("op", "size(asserted)", "source_event_ts = '2026-02-20T00:00:00Z'").collect()] == [
        ("delete", 0, True)
    ] * 2
    market.project.derive("listed")
    assert ("C", "01 10:00", None) in market.versions("listed")  # the snapshots are later, and count


def test_a_list_whose_dates_nobody_named_is_refused_before_it_is_fetched(market: Market, spark: SparkSession) -> None:
    def never() -> list[list[dict[str, object]]]:
        raise AssertionError

    other = market_at(market.root / "other", spark, "plain")
    with pytest.raises(NoDates, match="until: COLUMN"):
        other.project.capture("plain", "x", never, mode="delistings")
