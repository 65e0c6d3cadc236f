"""Every recorded event becomes the assertion that its file's name says (R11, R16, R19)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from math import isnan
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from muniment.gate.verdict import DETAIL, REASON

from tests.spark.arrival.shop import CUSTOMER, ORDER, PAIR, judged, sample

CUSTOMERS = (
    "snapshot_r_first", "insert_c", "update_u_replica_identity_full", "delete_d_replica_identity_full", "tombstone",
    "pk_change_1_delete_old_key", "pk_change_2_tombstone_old_key", "pk_change_3_create_new_key", "add_column_c", "add_column_then_update_u",
    "drop_column_u", "rename_column_u", "incremental_snapshot_r", "logical_message_m", "transaction_begin", "transaction_end",
    "with_schema/insert_c",
)  # fmt: skip
ORDERS = (
    "snapshot_r_last", "update_u_replica_identity_default", "delete_d_replica_identity_default", "toast_unavailable_u",
    "toast_replica_identity_full_u", "alter_type_int_to_bigint_c", "special_values_nan_infinity_c", "truncate_t",
    "with_schema/delete_d_replica_identity_default", "with_schema/special_values_nan_infinity_c", "with_schema/toast_unavailable_u",
    "with_schema/truncate_t",
)  # fmt: skip
CREATED = datetime(2026, 11, 15, 23, 9, 27, 884410, tzinfo=UTC)
ALL_OF_ORDER = set(ORDER["attributes"])


def at(text: str) -> datetime:
    """A time of the night the events were recorded."""
    return datetime.fromisoformat(f"2026-11-15T{text}+00:00")


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> dict[str, Row]:
    """All samples through the gate at once, by name."""
    rows: dict[str, Row] = {}
    for entity, names in ((CUSTOMER, CUSTOMERS), (ORDER, ORDERS)):
        records = [{**sample(name)[0]} for name in names]
        rows.update(zip(names, judged(spark, entity, records), strict=True))
    return rows


def told(row: Row) -> dict[str, Any]:
    """What the row states, and how."""
    stated = {name: row[name] for name in row["asserted"]}
    utc = row["source_event_ts"].astimezone(UTC)
    return {"id": row["id"], "op": row["op"], "at": utc, "gone": row["is_deleted"], **stated}


def test_every_recorded_file_is_in_a_test() -> None:
    from tests.spark.arrival.shop import SAMPLES

    files = {str(path.relative_to(SAMPLES).with_suffix("")) for path in SAMPLES.rglob("*.json")}
    assert files == {*CUSTOMERS, *ORDERS, "no_primary_key_c", "transaction_all_events"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("snapshot_r_first", (1, "insert", "23:09:32.825239", "Ann", "ann@x.org", "10.50")),
        ("insert_c", (4, "insert", "23:10:22.844550", "Dee", "d@x.org", "99.99")),
        ("with_schema/insert_c", (4, "insert", "23:10:22.844550", "Dee", "d@x.org", "99.99")),
        ("update_u_replica_identity_full", (2, "update", "23:10:22.846641", "Bob", "bob@x.org", "1.00")),
        ("pk_change_3_create_new_key", (20, "insert", "23:10:22.847110", "Bob", "bob@x.org", "1.00")),
        ("add_column_c", (5, "insert", "23:10:22.851807", "Eve", None, None)),
        ("add_column_then_update_u", (1, "update", "23:10:22.852128", "Ann", "ann@x.org", "7.00")),
    ],
)
def test_an_image_is_a_whole_row(found: dict[str, Row], name: str, expected: tuple[Any, ...]) -> None:
    row = found[name]
    balance = None if row["balance"] is None else str(row["balance"])
    assert row[REASON] is None
    assert (row["id"], row["op"], told(row)["at"], row["name"], row["email"], balance) == (*expected[:2], at(expected[2]), *expected[3:])
    assert row["is_deleted"] is False
    assert (row["load_type"], row["time_basis"], row["source_type"]) == ("CHANGES", "SOURCE", "debezium")


@pytest.mark.parametrize(
    ("name", "key", "time"),
    [
        ("delete_d_replica_identity_full", 3, "23:10:22.846806"),
        ("pk_change_1_delete_old_key", 2, "23:10:22.847110"),
        ("delete_d_replica_identity_default", 101, "23:10:22.846950"),
        ("with_schema/delete_d_replica_identity_default", 101, "23:10:22.846950"),
    ],
)
def test_a_delete_states_that_and_nothing_else(found: dict[str, Row], name: str, key: int, time: str) -> None:
    assert found[name][REASON] is None
    assert told(found[name]) == {"id": key, "op": "delete", "at": at(time), "gone": True}


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("tombstone", "tombstone"),
        ("pk_change_2_tombstone_old_key", "tombstone"),
        ("logical_message_m", "message"),
        ("transaction_begin", "transaction"),
        ("transaction_end", "transaction"),
    ],
)
def test_what_carries_nothing_new_is_ignored_by_name(found: dict[str, Row], name: str, what: str) -> None:
    assert (found[name][REASON], found[name][DETAIL]) == ("ignored", what)


@pytest.mark.parametrize("name", ["truncate_t", "with_schema/truncate_t"])
def test_a_truncate_waits_unless_it_may_count(found: dict[str, Row], name: str) -> None:
    assert found[name][REASON] == "truncate"


@pytest.mark.parametrize("name", ["toast_unavailable_u", "with_schema/toast_unavailable_u"])
def test_a_value_that_was_not_sent_is_absent(found: dict[str, Row], name: str) -> None:
    row = found[name]
    assert row[REASON] is None
    assert set(row["asserted"]) == ALL_OF_ORDER - {"big"}
    assert (row["id"], row["op"], row["status"], row["big"]) == (100, "update", "paid", None)


def test_a_large_value_that_was_sent_is_stated(found: dict[str, Row]) -> None:
    row = found["toast_replica_identity_full_u"]
    assert set(row["asserted"]) == ALL_OF_ORDER
    assert (row["id"], row["status"], set(row["big"])) == (105, "paid", {"y"})


def test_every_type_of_a_snapshot_row_is_read(found: dict[str, Row]) -> None:
    row = found["snapshot_r_last"]
    assert (row[REASON], row["id"], row["op"], row["customer_id"], row["status"], row["qty"]) == (None, 100, "insert", 1, "new", 2)
    assert (row["amount"], row["note"], row["f"], row["flag"]) == (Decimal("19.99"), "first", 1.5, True)
    assert row["ts"].astimezone(UTC) == datetime(2024, 1, 2, 3, 4, 5, 123456, tzinfo=UTC)
    assert row["tstz"].astimezone(UTC) == datetime(2024, 1, 2, 1, 4, 5, 123456, tzinfo=UTC)
    assert (row["d"], row["j"], row["u"]) == (date(2024, 1, 2), '{"a": 1}', "11111111-2222-3333-4444-555555555555")
    assert (row["arr"], bytes(row["b"])) == ([1, 2, None], b"\xde\xad\xbe\xef")


def test_an_update_without_a_before_image_is_a_whole_row(found: dict[str, Row]) -> None:
    row = found["update_u_replica_identity_default"]
    assert (row["id"], row["op"], row["qty"], row["amount"], row["note"]) == (102, "update", 4, Decimal("30.00"), None)
    assert set(row["asserted"]) == ALL_OF_ORDER


def test_a_widened_type_is_read(found: dict[str, Row]) -> None:
    assert (found["alter_type_int_to_bigint_c"][REASON], found["alter_type_int_to_bigint_c"]["qty"]) == (None, 5_000_000_000)


@pytest.mark.parametrize("name", ["special_values_nan_infinity_c", "with_schema/special_values_nan_infinity_c"])
def test_infinity_and_what_no_reader_can_hold_become_the_bound(found: dict[str, Row], name: str) -> None:
    row = found[name]
    assert row[REASON] is None
    assert row["ts"].astimezone(UTC) == datetime(9999, 12, 31, tzinfo=UTC)
    assert row["tstz"].astimezone(UTC) == datetime(1, 1, 3, tzinfo=UTC)
    assert row["d"] == date(1, 1, 1)
    assert isnan(row["f"])


def test_columns_that_come_go_and_change_their_name_leave_the_others_alone(found: dict[str, Row]) -> None:
    added, dropped, renamed = (found[name] for name in ("add_column_c", "drop_column_u", "rename_column_u"))
    assert (added["tier"], added["__undeclared"]) == ("gold", [])
    assert (set(dropped["asserted"]), dropped["balance"]) == ({"name", "balance", "created", "tier"}, Decimal("8.00"))
    assert (set(renamed["asserted"]), renamed["__undeclared"]) == ({"name", "balance", "created"}, ["level"])
    assert '"level":"silver"' in renamed["payload"].replace(" ", "")


def test_a_row_of_an_incremental_snapshot_has_the_position_its_sequence_says(found: dict[str, Row]) -> None:
    row = found["incremental_snapshot_r"]
    assert (row["id"], row["op"], told(row)["at"]) == (1, "insert", at("23:10:23.579359"))
    assert row["source_sequence"] == [Decimal(22215296), None, None]


def test_the_events_of_a_transaction_share_an_instant_and_have_an_order(spark: SparkSession) -> None:
    first, second, _ = judged(spark, ORDER, sample("transaction_all_events"))
    assert first["source_event_ts"] == second["source_event_ts"]
    assert [row["source_sequence"] for row in (first, second)] == [
        [Decimal(22130848), None, Decimal(1)],
        [Decimal(22131000), None, Decimal(2)],
    ]
    assert (first["qty"], second["qty"]) == (3, 4)


def test_a_table_without_a_key_is_named_by_its_image(spark: SparkSession) -> None:
    (row,) = judged(spark, PAIR, sample("no_primary_key_c"))
    assert (row[REASON], row["a"], row["b"], row["op"]) == (None, 1, "one", "insert")
