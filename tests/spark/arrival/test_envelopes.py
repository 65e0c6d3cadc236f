"""Forms of Debezium's events that were not recorded: other connectors, other settings, other wrappings."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

from muniment.config import ConfigurationError, parse_entity
from muniment.gate.verdict import DETAIL, REASON

from tests.spark.arrival.shop import CUSTOMER, ORDER, judged, reading, sample

NOON = 1_772_539_200_000_000  # 2026-03-03T12:00:00Z


def event(op: str = "c", *, after: Any = None, before: Any = None, source: Any = None, **more: Any) -> dict[str, Any]:
    """An event's value."""
    return {"op": op, "before": before, "after": after, "source": source or {"ts_us": NOON, "lsn": 7}, **more}


def test_a_line_may_be_the_value_the_record_or_a_record_with_its_value_as_text(spark: SparkSession) -> None:
    (record,) = sample("insert_c")
    (schooled,) = sample("with_schema/insert_c")
    texts = {**record, "key": json.dumps(record["key"]), "value": json.dumps(record["value"])}
    rows = judged(spark, CUSTOMER, [record, record["value"], texts, schooled["value"], schooled])
    assert len({(row["sk"], row["record_hash"], row["source_event_ts"], tuple(row["source_sequence"])) for row in rows}) == 1
    assert [row[REASON] for row in rows] == [None] * 5


def test_the_key_is_the_messages_then_the_images(spark: SparkSession) -> None:
    by_message = {"key": {"id": 9}, "value": event("d")}
    by_after, by_before, by_nobody = event(after={"id": 9}), event("d", before={"id": 9}), event("d")
    rows = judged(spark, CUSTOMER, [by_message, by_after, by_before, by_nobody])
    assert [row["id"] for row in rows] == [9, 9, 9, None]
    assert [row[REASON] for row in rows] == [None, None, None, "key_missing"]


def test_an_update_that_changes_the_key_is_a_delete_and_an_insert(spark: SparkSession) -> None:
    moved = event("u", before={"id": 1, "name": "Ann"}, after={"id": 2, "name": "Ann"})
    old, new = judged(spark, CUSTOMER, [{"key": {"id": 2}, "value": moved}])
    assert [(row["id"], row["op"], row["is_deleted"], row["asserted"]) for row in (old, new)] == [
        (1, "delete", True, []),
        (2, "insert", False, ["name"]),
    ]


def test_mysql_orders_by_file_position_and_row(spark: SparkSession) -> None:
    places = [("mysql-bin.000002", 900, 0), ("mysql-bin.000010", 4, 0), ("mysql-bin.000010", 4, 1)]
    blocks = [{"connector": "mysql", "ts_ms": NOON // 1000, "file": file, "pos": pos, "row": row} for file, pos, row in places]
    rows = judged(spark, CUSTOMER, [event("u", after={"id": 1}, source=block) for block in blocks])
    found = [row["source_sequence"] for row in rows]
    assert found == sorted(found, key=lambda parts: [part or 0 for part in parts])
    assert len({tuple(parts) for parts in found}) == 3
    assert {row["source_event_ts"].astimezone(UTC) for row in rows} == {datetime(2026, 3, 3, 12, tzinfo=UTC)}


def test_sql_server_orders_by_commit_change_and_serial_number(spark: SparkSession) -> None:
    places = [("00000027:00000758:0005", "00000027:00000758:0003", 1), ("00000027:00000758:000a", "00000027:00000758:0006", 1)]
    places += [("00000027:00000758:000a", "00000027:00000758:0006", 2), ("00000100:00000001:0001", "00000100:00000001:0001", 1)]
    blocks = [
        {"ts_ms": NOON // 1000, "commit_lsn": commit, "change_lsn": change, "event_serial_no": serial} for commit, change, serial in places
    ]
    rows = judged(spark, CUSTOMER, [event("u", after={"id": 1}, source=block) for block in blocks])
    found = [row["source_sequence"] for row in rows]
    assert found == sorted(found)
    assert len({tuple(parts) for parts in found}) == 4


def test_the_finest_time_of_the_source_counts_and_a_snapshot_without_one_has_the_connectors(spark: SparkSession) -> None:
    nanos = event(after={"id": 1}, source={"ts_ns": NOON * 1000 + 1999})
    old_snapshot = event("r", after={"id": 1}, source={"ts_ms": 0}, ts_ms=NOON // 1000)
    timeless = event("u", after={"id": 1}, source={"ts_ms": 0}, ts_ms=NOON // 1000)
    rows = judged(spark, CUSTOMER, [nanos, old_snapshot, timeless])
    assert [row["source_event_ts"] and row["source_event_ts"].astimezone(UTC) for row in rows] == [
        datetime(2026, 3, 3, 12, 0, 0, 1, tzinfo=UTC),
        datetime(2026, 3, 3, 12, tzinfo=UTC),
        None,
    ]
    assert rows[2][REASON] == "event_time_missing"


def test_a_decimal_is_text_a_number_or_base64(spark: SparkSession) -> None:
    given = {
        "10.50": "10.50", "-0.5": "-0.50", "BBo=": "10.50", "+GI=": "-19.50", "AA==": "0.00", "/w==": "-0.01", "F0h25//0": "255999999999.88",
        "SztMqFqGxHoJiiI//////w==": "999999999999999999999999999999999999.99",
        "tMSzV6V5O4X2dd3AAAAAAQ==": "-999999999999999999999999999999999999.99",
    }  # fmt: skip
    more: list[tuple[object, str]] = [*given.items(), (1050, "1050.00"), (12.5, "12.50"), ({"scale": 1, "value": "BBo="}, "105.00")]
    wide = CUSTOMER | {"attributes": {"balance": "decimal(38,2)"}}
    rows = judged(spark, wide, [event(after={"id": 1, "balance": value}) for value, _ in more])
    assert [(row[REASON], row["balance"]) for row in rows] == [(None, Decimal(expected)) for _, expected in more]


def test_a_decimal_that_could_be_text_or_base64_waits_until_somebody_says_which(spark: SparkSession) -> None:
    events = [event(after={"id": 1, "balance": "1234"})]
    (untold,) = judged(spark, CUSTOMER, events)
    (text,) = judged(spark, reading(CUSTOMER, **{"decimal.handling.mode": "string"}), events)
    (encoded,) = judged(spark, reading(CUSTOMER, **{"decimal.handling.mode": "precise"}), events)
    assert (untold[REASON], untold[DETAIL]) == (
        "unreadable",
        "balance: text or base64? say 'decimal.handling.mode' in the options of 'read'",
    )
    assert (text["balance"], encoded["balance"]) == (Decimal("1234.00"), Decimal("-26588.24"))  # base64 of d7 6d f8


def test_times_of_all_precisions_are_read(spark: SparkSession) -> None:
    days, units = 20515, (NOON // 1000, NOON, NOON * 1000)
    texts = [{"id": 1, "ts": unit, "tstz": "2026-03-03T13:00:00+01:00", "d": days} for unit in units]
    rows = judged(spark, ORDER, [event(after=image) for image in texts])
    noon = datetime(2026, 3, 3, 12, tzinfo=UTC)
    assert [(row["ts"].astimezone(UTC), row["tstz"].astimezone(UTC), row["d"]) for row in rows] == [(noon, noon, date(2026, 3, 3))] * 3


def test_a_setting_or_a_schema_says_the_unit_where_its_size_would_mislead(spark: SparkSession) -> None:
    soon = event(after={"id": 1, "ts": 5_000_000})  # five seconds after 1970 began, in microseconds
    (by_setting,) = judged(spark, reading(ORDER, **{"time.precision.mode": "microseconds"}), [soon])
    fields = [{"field": "ts", "type": "int64", "name": "io.debezium.time.MicroTimestamp"}]
    schema = {"type": "struct", "fields": [{"field": "after", "type": "struct", "fields": fields}]}
    (by_schema,) = judged(spark, ORDER, [{"schema": schema, "payload": soon}])
    assert [row["ts"].astimezone(UTC) for row in (by_setting, by_schema)] == [datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)] * 2


def test_the_marker_of_what_was_not_sent_has_the_form_of_its_column(spark: SparkSession) -> None:
    word = "__debezium_unavailable_value"
    image = {"id": 1, "big": word, "b": "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==", "arr": [ord(sign) for sign in word], "j": {word: word}}
    (usual,) = judged(spark, ORDER, [event("u", after={**image, "u": [word], "note": None, "status": "paid"})])
    (renamed,) = judged(spark, reading(ORDER, **{"unavailable.value.placeholder": "gone"}), [event("u", after={"id": 1, "big": "gone"})])
    assert set(usual["asserted"]) == {"note", "status"}
    assert renamed["asserted"] == []


def test_heartbeats_and_schema_changes_are_ignored_and_bare_nulls_are_tombstones(spark: SparkSession) -> None:
    beat, change = {"ts_ms": NOON // 1000}, {"source": {"ts_ms": 1}, "databaseName": "shop", "ddl": "ALTER TABLE t ADD c INT"}
    rows = judged(spark, CUSTOMER, [beat, change, "null", {"key": {"id": 1}, "value": None}])
    assert [(row[REASON], row[DETAIL]) for row in rows] == [
        ("ignored", "heartbeat"),
        ("ignored", "schema change"),
        ("ignored", "tombstone"),
        ("ignored", "tombstone"),
    ]


def test_what_is_no_event_waits_with_its_place(spark: SparkSession) -> None:
    place = {"topic": "shop.customers", "partition": 2, "offset": 17}
    bad: list[Any] = [
        "no json", '{"op": "c", "after": {"id": 1', "[1, 2]", {"some": "object"}, {**place, "value": "no json"}, {**place, "value": '{"op": "c"'},
        {**place, "value": [event(after={"id": 1})]}, {**place, "value": event("c")}, {**place, "value": event("x", after={"id": 1})},
        '{"op":"c","source":{"ts_us":1772539200000000},"after":{"id":1,"name":"a","name":"b"}}',
    ]  # fmt: skip
    rows = judged(spark, CUSTOMER, bad)
    assert [(row[REASON], row[DETAIL]) for row in rows] == [
        ("unreadable", "not a JSON object"),
        ("unreadable", "not a JSON object, or cut off"),
        ("unreadable", "not a JSON object"),
        ("unreadable", "no event of Debezium: it has no op"),
        ("unreadable", "the value is not a JSON object, or cut off (shop.customers, partition 2, offset 17)"),
        ("unreadable", "the value is not a JSON object, or cut off (shop.customers, partition 2, offset 17)"),
        ("unreadable", "the value is not a JSON object, or cut off (shop.customers, partition 2, offset 17)"),
        ("unreadable", "the event has no after-image"),
        ("op_unknown", "__debezium.op: no known operation"),
        ("unreadable", "a field is there twice"),
    ]
    assert [json.loads(row["__raw"])["offset"] for row in rows[4:9]] == [17] * 5


def test_an_option_that_no_connector_has_is_a_mistake() -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_entity(reading(CUSTOMER, **{"decimal.handling.mod": "string", "time.precision.mode": "minutes"}))
    assert [str(mistake) for mistake in caught.value.mistakes] == [
        "entity customer: sources.shop.read.options.'decimal.handling.mod': there is no option 'decimal.handling.mod'; did you mean 'decimal.handling.mode'?",
        "entity customer: sources.shop.read.options.'time.precision.mode': there is no value 'minutes'; declared: adaptive, adaptive_time_microseconds, connect, "
        "isostring, microseconds, nanoseconds",
    ]
