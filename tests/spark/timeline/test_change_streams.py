"""What real connectors do, one story each: all of them in one lake, in three deliveries, derived one by one."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.arrival.envelope import GIANT
from muniment.project import Project

from tests.spark.timeline.conftest import Make

SHOP = """
entity: {entity}
key: {{id: string}}
attributes: {{name: string, bio: string}}
sources:
  shop: {{read: {{format: debezium, path: landing/{entity}}}, truncate: {truncate}}}
"""
NOT_SENT = "__debezium_unavailable_value"


def event(key: str, at: str, lsn: int | None, op: str = "u", **values: Any) -> dict[str, Any]:
    """A record about a key, at a time of 3 March 2026."""
    micros = clock.micros(clock.utc(f"2026-03-03T{at}"))
    source = {"ts_us": micros, "lsn": lsn, "sequence": f'[null,"{lsn or 999}"]', "snapshot": "incremental" if lsn is None else "false"}
    image = {"id": key, **values}
    images = {"before": {**image, "name": None}, "after": None} if op == "d" else {"before": None, "after": image}
    order = values.pop("order", None)
    image.pop("order", None)
    value = {"op": op, "source": source, **images, "transaction": {"id": "1", "total_order": order} if order else None}
    return {"key": {"id": key}, "value": value, "topic": "shop.customers", "partition": 0, "offset": lsn}


def tombstone(key: str) -> dict[str, Any]:
    return {"key": {"id": key}, "value": None, "topic": "shop.customers", "partition": 0, "offset": 1}


def truncate(at: str, lsn: int) -> dict[str, Any]:
    return {**event("", at, lsn, "t"), "key": None, "value": {**event("", at, lsn, "t")["value"], "after": None}}


DELIVERIES = [
    [
        event("weave", "09:00", 5, "c", name="A"),
        event("other", "09:00", 6, "c", name="A"),
        event("weave", "09:01", 20, name="B"),  # the transaction that began later and was done first
        event("other", "09:02", 10, name="B"),  # the topic's positions go back
        event("weave", "09:02", 30, name="C"),
        event("ghost", "09:00", 40, "c", name="Ghost"),
        event("ghost", "09:05", 41, "d"),
        tombstone("ghost"),
        event("still", "08:00", 1, "r", name="Still"),
        event("moved", "08:00", 1, "r", name="Moved"),
        event("old", "09:00", 50, "c", name="One"),
        event("many", "09:00", 60, "c", name="first", order=1),
        event("many", "09:00", 61, name="second", order=2),
        event("many", "09:00", 62, name="third", order=3),
        event("brief", "09:00", 63, "c", name="Brief", order=4),
        event("brief", "09:00", 64, "d", order=5),
        event("large", "09:00", 70, "c", name="Large", bio="a long story"),
        {**event("x", "09:00", 71, "t"), "key": None},
    ],
    [
        event("ghost", "09:00", 40, "c", name="Ghost"),  # again after a crash; its delete comes with the next delivery
        event("still", "10:00", None, "r", name="Still"),
        event("fresh", "10:00", None, "r", name="Fresh"),
        event("old", "09:30", 51, "d", order=1),
        tombstone("old"),
        event("new", "09:30", 51, "c", name="One", order=2),
        event("large", "09:30", 72, name="Larger", bio=NOT_SENT),
    ],
    [
        event("ghost", "09:05", 41, "d"),
        event("still", "12:00", 90, "r", name="Still"),
        event("moved", "12:00", 90, "r", name="Moved on"),
        event("large", "12:00", 90, "r", name="Larger", bio="a long story"),
    ],
]
ORDERS = [
    [event("one", "09:00", 1, "c", name="One"), truncate("10:00", 10), event("same", "10:00", 11, "c", name="Same")],
    [event("two", "09:30", 2, "c", name="Two"), event("three", "10:30", 12, "c", name="Three")],  # of partitions that lagged
]

TILLS = [[event("one", "09:00", 1, "c", name="One"), truncate("10:00", 10), event("later", "10:30", 12, "c", name="Later")]]

# One transaction is one instant: what it inserts before its truncate is gone, what it inserts after is there.
STALLS = [
    [
        event("known", "09:00", 1, "c", name="Known"),
        event("before", "10:00", 20, "c", name="Before", order=1),
        event("both", "10:00", 21, "c", name="Both, before", order=2),
        truncate("10:00", 22),
        event("both", "10:00", 23, "c", name="Both, after", order=4),
        event("after", "10:00", 24, "c", name="After", order=5),
    ],
    [
        event("lagged", "10:00", 19, "c", name="Lagged"),
        event("more", "10:00", 25, "c", name="More"),
        event("later", "11:00", 30, "c", name="L"),
    ],
    [truncate("12:00", 41), event("again", "12:00", 42, "c", name="Again")],
]
# The partition of the truncates lags: the others have come and were derived long before.
SHELVES = [
    [
        event("gone", "09:00", 1, "c", name="Gone"),
        event("back", "09:00", 2, "c", name="Back"),
        event("back", "11:00", 30, name="Back again"),
        event("before", "10:00", 9, "c", name="Before"),
        event("after", "10:00", 11, "c", name="After"),
    ],
    [truncate("10:00", 10)],
    [truncate("10:00", 12)],
]


def entities(*, till: str) -> list[str]:
    ways = {"customer": "quarantine", "order": "apply", "till": till, "stall": "apply", "shelf": "apply"}
    return [SHOP.format(entity=entity, truncate=way) for entity, way in ways.items()]


@pytest.fixture(scope="module")
def shop(make: Make) -> Project:
    """Everything landed, each delivery derived before the next; the sums are right each time (R19)."""
    project = make(*entities(till="quarantine"))
    for entity, deliveries in (("customer", DELIVERIES), ("order", ORDERS), ("till", TILLS), ("stall", STALLS), ("shelf", SHELVES)):
        for number, records in enumerate(deliveries, start=1):
            landed = project.land(entity, "shop", records, received_at=f"2026-03-04T0{number}:00")
            assert landed.received == len(records) == landed.landed + landed.quarantined + landed.ignored
            project.derive(entity)
    return project


def lines(versions: DataFrame) -> dict[str, list[tuple[Any, ...]]]:
    """Per key: from, to, name, bio, deleted, how often seen."""
    start, end = (F.substring(F.col(name).cast("string"), 12, 5) for name in ("effective_from", "effective_to"))
    rows = versions.orderBy("id", "effective_from").select("id", start, end, "name", "bio", "is_deleted", "seen_count").collect()
    found: dict[str, list[tuple[Any, ...]]] = {}
    for key, *line in rows:
        found.setdefault(key, []).append(tuple(line))
    return found


@pytest.fixture(scope="module")
def told(shop: Project) -> dict[str, list[tuple[Any, ...]]]:
    return lines(shop.history("customer"))


def test_positions_that_go_back_in_a_topic_lose_nothing(told: dict[str, Any]) -> None:
    assert told["weave"] == [
        ("09:00", "09:01", "A", None, False, 1),
        ("09:01", "09:02", "B", None, False, 1),
        ("09:02", None, "C", None, False, 1),
    ]
    assert told["other"] == [("09:00", "09:02", "A", None, False, 1), ("09:02", None, "B", None, False, 1)]


def test_a_repeated_insert_raises_nobody_from_the_dead(shop: Project, told: dict[str, Any]) -> None:
    between = lines(shop.history("customer", key="ghost", known_at="2026-03-04T02:30"))
    assert between["ghost"] == [("09:00", "09:05", "Ghost", None, False, 2), ("09:05", None, "Ghost", None, True, 1)]
    assert told["ghost"] == [("09:00", "09:05", "Ghost", None, False, 2), ("09:05", None, "Ghost", None, True, 2)]


def test_a_second_snapshot_makes_versions_of_what_changed_and_of_nothing_else(told: dict[str, Any]) -> None:
    assert told["still"] == [("08:00", None, "Still", None, False, 3)]  # an incremental snapshot without a position is one of the three
    assert told["moved"] == [("08:00", "12:00", "Moved", None, False, 1), ("12:00", None, "Moved on", None, False, 1)]
    assert told["fresh"] == [("10:00", None, "Fresh", None, False, 1)]


def test_a_changed_key_is_a_delete_and_an_insert_at_one_instant(told: dict[str, Any]) -> None:
    assert told["old"] == [("09:00", "09:30", "One", None, False, 1), ("09:30", None, "One", None, True, 1)]
    assert told["new"] == [("09:30", None, "One", None, False, 1)]


def test_changes_of_one_key_in_one_transaction_are_one_version(told: dict[str, Any]) -> None:
    assert told["many"] == [("09:00", None, "third", None, False, 3)]
    assert [(line[0], line[4], line[5]) for line in told["brief"]] == [("09:00", True, 2)]


def test_a_large_value_that_was_not_sent_is_inherited(told: dict[str, Any]) -> None:
    assert told["large"] == [
        ("09:00", "09:30", "Large", "a long story", False, 1),
        ("09:30", None, "Larger", "a long story", False, 2),
    ]


def test_a_truncate_waits_with_all_that_came(shop: Project) -> None:
    (row,) = shop.quarantine("customer").collect()
    assert (row["reason"], row["source_type"], '"op": "t"' in row["raw"]) == ("truncate", "debezium", True)
    released = shop.release([row["quarantine_id"]], by="jane", reason="let it count")  # only the configuration can do that
    assert (released.released, released.refused) == (0, 1)


def test_a_truncate_that_counts_reaches_the_keys_of_all_partitions_and_only_those_before_it(shop: Project) -> None:
    # No row says that a key is gone, so none is counted.
    assert lines(shop.history("order")) == {
        "one": [("09:00", "10:00", "One", None, False, 1), ("10:00", None, "One", None, True, 0)],
        "same": [("10:00", None, "Same", None, False, 1)],
        "two": [("09:30", "10:00", "Two", None, False, 1), ("10:00", None, "Two", None, True, 0)],
        "three": [("10:30", None, "Three", None, False, 1)],
    }
    (header,) = shop.table("bronze.order_load").select("note", "rows", "complete").collect()
    assert tuple(header) == ("truncate", 0, True)


def test_a_truncate_empties_what_its_transaction_inserted_before_it_and_not_what_it_inserted_after(shop: Project) -> None:
    ended = [("12:00", None, True, 0)]
    assert {key: [(*line[:2], line[4], line[5]) for line in found] for key, found in lines(shop.history("stall")).items()} == {
        "known": [("09:00", "10:00", False, 1), ("10:00", None, True, 0)],
        "before": [("10:00", None, True, 1)],
        "both": [("10:00", "12:00", False, 2), *ended],
        "after": [("10:00", "12:00", False, 1), *ended],
        "lagged": [("10:00", None, True, 1)],
        "more": [("10:00", "12:00", False, 1), *ended],
        "later": [("11:00", "12:00", False, 1), *ended],
        "again": [("12:00", None, False, 1)],
    }
    assert lines(shop.history("stall", key="both"))["both"][0][2] == "Both, after"


def test_a_truncate_whose_partition_lags_reaches_what_was_derived_before_it_came(shop: Project) -> None:
    assert lines(shop.history("shelf", known_at="2026-03-04T02:30")) == {
        "gone": [("09:00", "10:00", "Gone", None, False, 1), ("10:00", None, "Gone", None, True, 0)],
        "back": [
            ("09:00", "10:00", "Back", None, False, 1),
            ("10:00", "11:00", "Back", None, True, 0),
            ("11:00", None, "Back again", None, False, 1),
        ],
        "before": [("10:00", None, "Before", None, True, 1)],
        "after": [("10:00", None, "After", None, False, 1)],
    }
    assert lines(shop.history("shelf"))["after"] == [("10:00", None, "After", None, True, 1)]  # the second one came after it


def test_a_truncate_that_waits_can_be_released_once_it_may_count(shop: Project, make: Make) -> None:
    (row,) = shop.quarantine("till").collect()
    project = make(*entities(till="apply"), again=shop)
    released = project.release([row["quarantine_id"]], by="jane", reason="the till was emptied")
    assert (released.released, released.refused) == (1, 0)
    project.rebuild("till")
    assert lines(project.history("till")) == {
        "one": [("09:00", "10:00", "One", None, False, 1), ("10:00", None, "One", None, True, 0)],
        "later": [("10:30", None, "Later", None, False, 1)],
    }


def test_bad_messages_wait_with_topic_partition_and_offset_and_the_others_land(shop: Project) -> None:
    place = {"topic": "shop.orders", "partition": 2, "key": {"id": "bad"}}
    good = json.dumps(event("good", "11:00", 100, "c", name="Good"))
    lines_of_file = [
        good.encode(),
        json.dumps({**place, "offset": 1, "value": "no event"}).encode(),
        json.dumps({**place, "offset": 2, "value": good[:-40]}).encode(),
        json.dumps({**place, "offset": 3, "value": event("big", "11:00", 101, "c", bio="x" * GIANT)["value"]}).encode(),
        good.replace("Good", "Gäst").encode("latin-1"),
        good[:100].encode(),
        json.dumps(tombstone("good")).encode(),
        b"",
    ]
    folder = shop.model.root / "landing/order"
    folder.mkdir(parents=True)
    (folder / "events.json").write_bytes(b"\n".join(lines_of_file))
    landed = shop.land("order", "shop")
    assert (landed.received, landed.landed, landed.quarantined, landed.ignored) == (7, 1, 5, 1)
    rows = (
        shop.quarantine("order").where(F.col("ingest_run_id") == landed.run_id).select("reason", "detail", "raw", "source_file").collect()
    )
    assert sorted((row["reason"], row["detail"], row["source_file"]) for row in rows) == [
        ("unreadable", f"larger than {GIANT >> 20} MiB", "events.json"),
        ("unreadable", "not UTF-8; its bytes are kept as base64", "events.json"),
        ("unreadable", "not a JSON object, or cut off", "events.json"),
        ("unreadable", "the value is not a JSON object, or cut off (shop.orders, partition 2, offset 1)", "events.json"),
        ("unreadable", "the value is not a JSON object, or cut off (shop.orders, partition 2, offset 2)", "events.json"),
    ]
    raw = {row["detail"][:9]: row["raw"] for row in rows}
    assert base64.b64decode(raw["not UTF-8"]) == lines_of_file[4]
    assert json.loads(raw["larger th"])["offset"] == 3


def test_the_histories_follow_from_the_log_alone(shop: Project) -> None:
    assert shop.verify("customer", "order", "stall", "shelf").problems == ()
