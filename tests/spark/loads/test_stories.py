"""Each strategy over a week of slices: after every slice the whole table is what a person would have written down."""

from __future__ import annotations

from decimal import Decimal

import pytest

from muniment.project import Project

from tests.spark.loads.telling import counts, day, lines
from tests.spark.timeline.conftest import Make

REGION = """
load: region
strategy: full
key: {code: string}
partition: [year]
columns: {code: string, year: int, name: string}
"""
ORDERS = """
load: orders
strategy: merge
key: {order_id: long}
partition: [year]
columns:
  year: {type: int, expression: year(modified)}
  qty: int
  price: "decimal(8,2)"
  total: {type: "decimal(18,2)", expression: qty * price}
  modified: date
  loaded: {type: timestamp, expression: now()}
  state: {type: string, from: Order State}
transform: {Order State: "upper(trim(`Order State`))"}
deleted: op = 'D'
drift: ignore
watermark: [{column: modified, lag: 2 days}]
absence: deletes
max_deleted: 1.0
"""
CLIENT = """
load: client
strategy: historic
key: {id: string}
columns: {id: string, name: string, tier: string, seen: date}
deleted: gone = 'yes'
drift: ignore
watermark: [{column: seen, lag: 3 days}]
absence: deletes
max_deleted: 1.0
prefix: m_
"""


@pytest.fixture(scope="module")
def project(make: Make) -> Project:
    return make(REGION, ORDERS, CLIENT)


def region(year: int | None, *codes: str, name: str = "N") -> list[dict[str, object]]:
    return [{"code": code, "year": year, "name": f"{name} {code}"} for code in codes]


def test_full_replaces_the_partitions_that_a_slice_has_and_no_key_is_there_twice(project: Project) -> None:
    def table() -> list[tuple[object, ...]]:
        return lines(project, "region", "code", "year", "name", "last_seen_ts")

    assert counts(project, "region", region(2024, "a", "b") + region(2025, "c"), 1) == (3, 0, 0, 0, 0, 0)
    assert table() == [("a", 2024, "N a", 1), ("b", 2024, "N b", 1), ("c", 2025, "N c", 1)]
    counts(project, "region", region(2025, "c", "d", name="M"), 2)  # only 2025 is in the slice
    assert table() == [("a", 2024, "N a", 1), ("b", 2024, "N b", 1), ("c", 2025, "M c", 2), ("d", 2025, "M d", 2)]
    counts(project, "region", region(2025, "d", name="M"), 3)  # c is not in 2025 any more
    assert table() == [("a", 2024, "N a", 1), ("b", 2024, "N b", 1), ("d", 2025, "M d", 3)]
    counts(project, "region", region(None, "x"), 4)  # no year is a partition too
    counts(project, "region", region(None, "y"), 5)
    assert table() == [("a", 2024, "N a", 1), ("b", 2024, "N b", 1), ("d", 2025, "M d", 3), ("y", None, "N y", 5)]
    assert counts(project, "region", [], 6) == (0, 0, 0, 0, 0, 0)  # a blank slice leaves the table as it is
    assert len(table()) == 4
    counts(project, "region", region(2026, "a", name="moved"), 7)  # a leaves 2024, where b stays
    assert table() == [("a", 2026, "moved a", 7), ("b", 2024, "N b", 1), ("d", 2025, "M d", 3), ("y", None, "N y", 5)]


def order(number: int, modified: str, qty: int = 1, price: str = "2.50", state: str = "open", op: str = "U") -> dict[str, object]:
    return {"order_id": number, "modified": modified, "qty": qty, "price": price, "Order State": f" {state} ", "op": op, "noise": modified}


def test_merge_keeps_one_row_per_key_and_counts_what_happened(project: Project) -> None:
    columns = ("order_id", "year", "qty", "total", "state", "modified", "is_deleted", "last_seen_ts", "loaded")

    def table() -> list[tuple[object, ...]]:
        rows = lines(project, "orders", *columns)
        return [(line[0], line[1], line[2], line[3], line[4], line[5].day, *line[6:]) for line in rows]  # type: ignore[attr-defined]

    one = Decimal("2.50")
    slice1 = [order(1, day(1)), order(2, day(1)), order(3, "2025-12-31"), order(9, day(1), op="D")]
    assert counts(project, "orders", slice1, 1) == (3, 0, 0, 0, 1, 0)  # 9 was never known: neither inserted nor deleted
    assert table() == [
        (1, 2026, 1, one, "OPEN", 1, False, 1, 1),
        (2, 2026, 1, one, "OPEN", 1, False, 1, 1),
        (3, 2025, 1, one, "OPEN", 31, False, 1, 1),
    ]
    # 1 changes, 2 is only seen again: a calculated now() makes it no change; 3 is outside the window of two days
    assert counts(project, "orders", [order(1, day(2), qty=2), order(2, day(1))], 2) == (0, 1, 1, 0, 0, 0)
    assert table() == [
        (1, 2026, 2, Decimal("5.00"), "OPEN", 2, False, 2, 2),
        (2, 2026, 1, one, "OPEN", 1, False, 2, 1),
        (3, 2025, 1, one, "OPEN", 31, False, 1, 1),
    ]
    assert counts(project, "orders", [order(1, day(2), qty=2, op="D"), order(4, day(3))], 3) == (1, 0, 0, 1, 0, 1)  # 2 is missed
    assert table() == [
        (1, 2026, 2, Decimal("5.00"), "OPEN", 2, True, 3, 2),
        (2, 2026, 1, one, "OPEN", 1, True, 2, 1),
        (3, 2025, 1, one, "OPEN", 31, False, 1, 1),
        (4, 2026, 1, one, "OPEN", 3, False, 3, 3),
    ]
    # 1 comes back unchanged and is alive again; 2 is said to be gone once more, which is nothing new
    assert counts(project, "orders", [order(1, day(2), qty=2), order(2, day(1), op="D"), order(4, day(3))], 4) == (0, 1, 2, 0, 0, 0)
    assert table()[:2] == [(1, 2026, 2, Decimal("5.00"), "OPEN", 2, False, 4, 4), (2, 2026, 1, one, "OPEN", 1, True, 4, 1)]
    assert counts(project, "orders", [], 5) == (0, 0, 0, 0, 0, 0)
    # 3 moves from 2025 to 2026, and is one row; 4 is missed, and 1 is before the window
    assert counts(project, "orders", [order(3, day(6), state="shut")], 6) == (0, 1, 0, 0, 0, 2)
    assert table() == [
        (1, 2026, 2, Decimal("5.00"), "OPEN", 2, True, 4, 4),
        (2, 2026, 1, one, "OPEN", 1, True, 4, 1),
        (3, 2026, 1, one, "SHUT", 6, False, 6, 6),
        (4, 2026, 1, one, "OPEN", 3, True, 4, 3),
    ]
    row = project.watermarks("orders").select("value", "before", "kind").collect()
    assert [tuple(each) for each in row] == [(day(6), day(3), "moved")]


def client(key: str, seen: int, name: str | None = "N", tier: str | None = "gold", gone: str = "no") -> dict[str, object]:
    return {"id": key, "name": name, "tier": tier, "seen": day(seen), "gone": gone}


def test_historic_keeps_a_version_per_change_and_never_touches_a_closed_one(project: Project) -> None:
    columns = ("id", "m_effective_from", "m_effective_to", "name", "tier", "m_is_current", "m_is_deleted", "m_last_seen_ts")

    def table() -> list[tuple[object, ...]]:
        return lines(project, "client", *columns)

    assert counts(project, "client", [client("a", 1), client("b", 1), client("z", 1, gone="yes")], 1) == (2, 0, 0, 0, 1, 0)
    assert table() == [("a", 1, None, "N", "gold", True, False, 1), ("b", 1, None, "N", "gold", True, False, 1)]
    assert counts(project, "client", [client("a", 1), client("b", 1, tier=None)], 2) == (0, 1, 1, 0, 0, 0)  # value → null is a change
    after2 = [
        ("a", 1, None, "N", "gold", True, False, 2),
        ("b", 1, 2, "N", "gold", False, False, 1),
        ("b", 2, None, "N", None, True, False, 2),
    ]
    assert table() == after2
    assert counts(project, "client", [client("a", 3), client("b", 1, gone="yes")], 3) == (0, 1, 0, 1, 0, 0)
    after3 = [
        ("a", 1, 3, "N", "gold", False, False, 2),
        ("a", 3, None, "N", "gold", True, False, 3),
        ("b", 1, 2, "N", "gold", False, False, 1),
        ("b", 2, 3, "N", None, False, False, 2),
        ("b", 3, None, "N", None, True, True, 3),
    ]
    assert table() == after3
    # b comes back as it was and is alive again; a is missed inside the window
    assert counts(project, "client", [client("b", 4, tier=None), client("c", 4)], 4) == (1, 1, 0, 0, 0, 1)
    after4 = [
        ("a", 1, 3, "N", "gold", False, False, 2),
        ("a", 3, 4, "N", "gold", False, False, 3),
        ("a", 4, None, "N", "gold", True, True, 3),
        ("b", 1, 2, "N", "gold", False, False, 1),
        ("b", 2, 3, "N", None, False, False, 2),
        ("b", 3, 4, "N", None, False, True, 3),
        ("b", 4, None, "N", None, True, False, 4),
        ("c", 4, None, "N", "gold", True, False, 4),
    ]
    assert table() == after4
    assert counts(project, "client", [], 5) == (0, 0, 0, 0, 0, 0)
    # the same processing time again, as after a crash: the same slice changes nothing, another one takes the place of what began then
    assert counts(project, "client", [client("b", 4, tier=None), client("c", 4)], 5) == (0, 0, 2, 0, 0, 0)
    assert counts(project, "client", [client("b", 4, tier="new"), client("c", 4)], 6) == (0, 1, 1, 0, 0, 0)
    assert counts(project, "client", [client("b", 4, tier="newer"), client("c", 4)], 6) == (0, 1, 1, 0, 0, 0)
    assert [line for line in table() if line[0] == "b"][-2:] == [
        ("b", 4, 6, "N", None, False, False, 5),
        ("b", 6, None, "N", "newer", True, False, 6),
    ]
    assert [line for line in table() if line[0] == "a"] == [line for line in after4 if line[0] == "a"]
    current = project.table("silver.client").where("m_is_current").groupBy("id").count().collect()
    assert sorted(tuple(row) for row in current) == [("a", 1), ("b", 1), ("c", 1)]
