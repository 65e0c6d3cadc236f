"""Forms of Debezium's events that were not recorded: other connectors, other settings, other wrappings."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from muniment.arrival.messages import records
from muniment.arrival.place import Place
from muniment.config import ConfigurationError, parse_entity
from muniment.gate.rows import FILE, PATH
from muniment.gate.verdict import DETAIL, REASON

from tests.spark.arrival.shop import CUSTOMER, ORDER, judge_lines, judged, judged_cases, reading, sample

NOON = 1_772_539_200_000_000  # 2026-03-03T12:00:00Z
WORD = "__debezium_unavailable_value"
WIDE = CUSTOMER | {"attributes": {**CUSTOMER["attributes"], "balance": "decimal(38,2)"}}


def event(op: str = "c", *, after: Any = None, before: Any = None, source: Any = None, **more: Any) -> dict[str, Any]:
    """An event's value."""
    return {"op": op, "before": before, "after": after, "source": source or {"ts_us": NOON, "lsn": 7}, **more}


def _wrappings() -> list[Any]:
    (record,) = sample("insert_c")
    (schooled,) = sample("with_schema/insert_c")
    texts = {**record, "key": json.dumps(record["key"]), "value": json.dumps(record["value"])}
    return [record, record["value"], texts, schooled["value"], schooled]


def _mysql(file: str, pos: int, row: int) -> dict[str, Any]:
    return event("u", after={"id": 1}, source={"connector": "mysql", "ts_ms": NOON // 1000, "file": file, "pos": pos, "row": row})


def _sql_server(commit: str, change: str, serial: int) -> dict[str, Any]:
    block = {"ts_ms": NOON // 1000, "commit_lsn": commit, "change_lsn": change, "event_serial_no": serial}
    return event("u", after={"id": 1}, source=block)


PLACED = {"topic": "shop.customers", "partition": 2, "offset": 17}
DECIMALS: Sequence[tuple[object, str]] = (
    ("10.50", "10.50"), ("-0.5", "-0.50"), ("BBo=", "10.50"), ("+GI=", "-19.50"), ("AA==", "0.00"), ("/w==", "-0.01"),
    ("F0h25//0", "255999999999.88"), ("SztMqFqGxHoJiiI//////w==", "999999999999999999999999999999999999.99"),
    ("tMSzV6V5O4X2dd3AAAAAAQ==", "-999999999999999999999999999999999999.99"), (1050, "1050.00"), (12.5, "12.50"),
    ({"scale": 1, "value": "BBo="}, "105.00"),
)  # fmt: skip
CASES: Mapping[str, Sequence[Any]] = {
    "wrappings": _wrappings(),
    "keys": [{"key": {"id": 9}, "value": event("d")}, event(after={"id": 9}), event("d", before={"id": 9}), event("d")],
    "moved": [{"key": {"id": 2}, "value": event("u", before={"id": 1, "name": "Ann"}, after={"id": 2, "name": "Ann"})}],
    "mysql": [_mysql("mysql-bin.000002", 900, 0), _mysql("mysql-bin.000010", 4, 0), _mysql("mysql-bin.000010", 4, 1)],
    "sql server": [
        _sql_server("00000027:00000758:0005", "00000027:00000758:0003", 1),
        _sql_server("00000027:00000758:000a", "00000027:00000758:0006", 1),
        _sql_server("00000027:00000758:000a", "00000027:00000758:0006", 2),
        _sql_server("00000100:00000001:0001", "00000100:00000001:0001", 1),
    ],
    "times": [
        event(after={"id": 1}, source={"ts_ns": NOON * 1000 + 1999}),
        event("r", after={"id": 1}, source={"ts_ms": 0}, ts_ms=NOON // 1000),
        event("u", after={"id": 1}, source={"ts_ms": 0}, ts_ms=NOON // 1000),
    ],
    "decimals": [event(after={"id": 1, "balance": value}) for value, _ in DECIMALS],
    "untold": [event(after={"id": 1, "balance": "1234"})],
    "nothing": [
        {"ts_ms": NOON // 1000},
        {"source": {"ts_ms": 1}, "databaseName": "shop", "ddl": "ALTER TABLE t ADD c INT"},
        "null",
        {"key": {"id": 1}, "value": None},
    ],
    "bad": [
        "no json", '{"op": "c", "after": {"id": 1', "[1, 2]", {"some": "object"}, {**PLACED, "value": "no json"}, {**PLACED, "value": '{"op": "c"'},
        {**PLACED, "value": [event(after={"id": 1})]}, {**PLACED, "value": event("c")}, {**PLACED, "value": event("x", after={"id": 1})},
        '{"op":"c","source":{"ts_us":1772539200000000},"after":{"id":1,"name":"a","name":"b"}}',
    ],
}  # fmt: skip
SCHEMA = {
    "type": "struct",
    "fields": [{"field": "after", "fields": [{"field": "ts", "type": "int64", "name": "io.debezium.time.MicroTimestamp"}]}],
}
SOON = event(after={"id": 1, "ts": 5_000_000})  # five seconds after 1970 began, in microseconds
ORDERS: Mapping[str, Sequence[Any]] = {
    "units": [event(after={"id": 1, "ts": unit, "tstz": "2026-03-03T13:00:00+01:00", "d": 20515}) for unit in (NOON // 1000, NOON, NOON * 1000)],
    "schooled": [{"schema": SCHEMA, "payload": SOON}],
    "unsent": [
        event("u", after={
            "id": 1, "big": WORD, "b": base64.b64encode(WORD.encode()).decode(), "arr": [ord(sign) for sign in WORD], "j": {WORD: WORD},
            "u": [WORD], "note": None, "status": "paid",
        })
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> dict[str, list[Row]]:
    """All cases through the gate, in two looks."""
    return {**judged_cases(spark, WIDE, CASES), **judged_cases(spark, ORDER, ORDERS)}


def test_a_line_may_be_the_value_the_record_or_a_record_with_its_value_as_text(found: dict[str, list[Row]]) -> None:
    rows = found["wrappings"]
    assert len({(row["sk"], row["record_hash"], row["source_event_ts"], tuple(row["source_sequence"])) for row in rows}) == 1
    assert [row[REASON] for row in rows] == [None] * 5


def test_the_key_is_the_messages_then_the_images(found: dict[str, list[Row]]) -> None:
    assert [row["id"] for row in found["keys"]] == [9, 9, 9, None]
    assert [row[REASON] for row in found["keys"]] == [None, None, None, "key_missing"]


def test_an_update_that_changes_the_key_is_a_delete_and_an_insert(found: dict[str, list[Row]]) -> None:
    assert [(row["id"], row["op"], row["is_deleted"], row["asserted"]) for row in found["moved"]] == [
        (1, "delete", True, []),
        (2, "insert", False, ["name"]),
    ]


def test_mysql_orders_by_file_position_and_row(found: dict[str, list[Row]]) -> None:
    sequences = [row["source_sequence"] for row in found["mysql"]]
    assert sequences == sorted(sequences, key=lambda parts: [part or 0 for part in parts])
    assert len({tuple(parts) for parts in sequences}) == 3
    assert {row["source_event_ts"].astimezone(UTC) for row in found["mysql"]} == {datetime(2026, 3, 3, 12, tzinfo=UTC)}


def test_sql_server_orders_by_commit_change_and_serial_number(found: dict[str, list[Row]]) -> None:
    sequences = [row["source_sequence"] for row in found["sql server"]]
    assert sequences == sorted(sequences)
    assert len({tuple(parts) for parts in sequences}) == 4


def test_the_finest_time_of_the_source_counts_and_a_snapshot_without_one_has_the_connectors(found: dict[str, list[Row]]) -> None:
    rows = found["times"]
    assert [row["source_event_ts"] and row["source_event_ts"].astimezone(UTC) for row in rows] == [
        datetime(2026, 3, 3, 12, 0, 0, 1, tzinfo=UTC),
        datetime(2026, 3, 3, 12, tzinfo=UTC),
        None,
    ]
    assert rows[2][REASON] == "event_time_missing"


def test_a_decimal_is_text_a_number_or_base64(found: dict[str, list[Row]]) -> None:
    expected = [(None, Decimal(text)) for _, text in DECIMALS]
    assert [(row[REASON], row["balance"]) for row in found["decimals"]] == expected


def test_a_decimal_that_could_be_text_or_base64_waits_until_somebody_says_which(spark: SparkSession, found: dict[str, list[Row]]) -> None:
    (untold,) = found["untold"]
    (text,) = judged(spark, reading(CUSTOMER, **{"decimal.handling.mode": "string"}), CASES["untold"])
    (encoded,) = judged(spark, reading(CUSTOMER, **{"decimal.handling.mode": "precise"}), CASES["untold"])
    assert (untold[REASON], untold[DETAIL]) == (
        "unreadable",
        "balance: text or base64? say 'decimal.handling.mode' in the options of 'read'",
    )
    assert (text["balance"], encoded["balance"]) == (Decimal("1234.00"), Decimal("-26588.24"))  # base64 of d7 6d f8


def test_times_of_all_precisions_are_read(found: dict[str, list[Row]]) -> None:
    noon = datetime(2026, 3, 3, 12, tzinfo=UTC)
    told = [(row["ts"].astimezone(UTC), row["tstz"].astimezone(UTC), row["d"]) for row in found["units"]]
    assert told == [(noon, noon, date(2026, 3, 3))] * 3


def test_a_setting_or_a_schema_says_what_size_would_not(spark: SparkSession, found: dict[str, list[Row]]) -> None:
    options = {"time.precision.mode": "microseconds", "unavailable.value.placeholder": "gone"}
    by_setting, renamed = judged(spark, reading(ORDER, **options), [SOON, event("u", after={"id": 1, "big": "gone"})])
    (by_schema,) = found["schooled"]
    assert [row["ts"].astimezone(UTC) for row in (by_setting, by_schema)] == [datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)] * 2
    assert renamed["asserted"] == []


def test_the_marker_of_what_was_not_sent_has_the_form_of_its_column(found: dict[str, list[Row]]) -> None:
    assert [set(row["asserted"]) for row in found["unsent"]] == [{"note", "status"}]


def test_heartbeats_and_schema_changes_are_ignored_and_bare_nulls_are_tombstones(found: dict[str, list[Row]]) -> None:
    names = ["heartbeat", "schema change", "tombstone", "tombstone"]
    assert [(row[REASON], row[DETAIL]) for row in found["nothing"]] == [("ignored", name) for name in names]


def test_what_is_no_event_waits_with_its_place(found: dict[str, list[Row]]) -> None:
    rows = found["bad"]
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


def test_messages_as_kafka_hands_them_out_are_records_and_say_where_they_stood(spark: SparkSession) -> None:
    values = [json.dumps(event(after={"id": 1, "name": "Ann"})).encode(), b"\xff\xfe", b"no json", None]
    rows = [(bytearray(b'{"id": 1}'), value and bytearray(value), "shop.customers", 2, number) for number, value in enumerate(values)]
    frame = spark.createDataFrame(rows, "key binary, value binary, topic string, partition int, offset bigint").coalesce(1)
    lines = records(frame.withColumn("timestamp", F.lit("2026-03-03").cast("timestamp")), place=Place("customer", "shop"))
    good, *others = judge_lines(lines, parse_entity(CUSTOMER)).collect()
    assert (good[REASON], good["id"], good["name"], good[PATH], good[FILE]) == (None, 1, "Ann", "shop.customers", "2/000000000000")
    assert [(row[REASON], row[DETAIL]) for row in others] == [
        ("unreadable", "not UTF-8; its bytes are kept as base64 (shop.customers, partition 2, offset 1)"),
        ("unreadable", "the value is not a JSON object, or cut off (shop.customers, partition 2, offset 2)"),
        ("ignored", "tombstone"),
    ]
    assert base64.b64decode(json.loads(others[0]["__raw"])["value_base64"]) == b"\xff\xfe"


def test_an_option_that_no_connector_has_is_a_mistake() -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_entity(reading(CUSTOMER, **{"decimal.handling.mod": "string", "time.precision.mode": "minutes"}))
    assert [str(mistake) for mistake in caught.value.mistakes] == [
        "entity customer: sources.shop.read.options.'decimal.handling.mod': there is no option 'decimal.handling.mod'; did you mean 'decimal.handling.mode'?",
        "entity customer: sources.shop.read.options.'time.precision.mode': there is no value 'minutes'; declared: adaptive, adaptive_time_microseconds, connect, "
        "isostring, microseconds, nanoseconds",
    ]
