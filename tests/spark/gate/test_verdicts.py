"""Every kind of bad row is set aside with its own reason and all that came; the good rows beside it go on (R19)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pyspark.sql import SparkSession

from muniment.gate.examine import RAW
from muniment.gate.verdict import DETAIL, REASON
from muniment.model.check import Accepted, NotNull, OnFail, SqlCheck
from muniment.model.entity import HistorySettings
from muniment.model.source import Undeclared

from tests.spark.gate.gating import GOOD, THING, but, judged_dicts

NO_KEY = {name: value for name, value in GOOD.items() if name != "line"}
CASES: list[tuple[dict[str, Any], str | None]] = [
    (GOOD, None),
    (NO_KEY, "key_missing"),
    ({**GOOD, "line": None}, "key_missing"),
    ({**GOOD, "id": "seven"}, "key_cast"),
    ({**GOOD, "id": 1.5}, "key_cast"),
    ({**GOOD, "id": 2**63}, "key_cast"),
    ({**GOOD, "line": ""}, None),
    ({**GOOD, "op": "x"}, "op_unknown"),
    ({**GOOD, "op": None}, "op_unknown"),
    ({**GOOD, "updated_at": None}, "event_time_missing"),
    ({**GOOD, "updated_at": "0001-01-01"}, "event_time_impossible"),
    ({**GOOD, "updated_at": "9999-12-31T23:59:59Z"}, "event_time_impossible"),
    ({**GOOD, "updated_at": float("nan")}, "event_time_impossible"),
    ({**GOOD, "updated_at": "yesterday"}, "event_time_impossible"),
    ({**GOOD, "updated_at": "09:00"}, "event_time_impossible"),
    ({**GOOD, "updated_at": "2026-02-30"}, "event_time_impossible"),
    ({**GOOD, "updated_at": 1_772_000_000}, "event_time_impossible"),
    ({**GOOD, "updated_at": "1900-01-01"}, None),
    ({**GOOD, "updated_at": "1899-12-31T23:59:59.999999Z"}, "event_time_impossible"),
    ({**GOOD, "lsn": "first"}, "sequence_cast"),
    ({**GOOD, "lsn": 12}, None),
    ({**GOOD, "size": 1.5}, "value_cast"),
    ({**GOOD, "size": "many"}, "value_cast"),
    ({**GOOD, "size": 2**31}, "value_cast"),
    ({**GOOD, "price": "12345.67"}, "value_cast"),
    ({**GOOD, "price": "1.005"}, "value_cast"),
    ({**GOOD, "price": "1.00000000001"}, "value_cast"),
    ({**GOOD, "price": "1.500"}, None),
    ({**GOOD, "born": "2026-02-30"}, "value_cast"),
    ({**GOOD, "tags": "a"}, "value_cast"),
    ({**GOOD, "tags": ["a", None]}, None),
    ({**GOOD, "parts": "a"}, "value_cast"),
    ({**GOOD, "parts": {"a": "x"}}, "value_cast"),
    ({**GOOD, "parts": {"a": 1}}, None),
    ({**GOOD, "parts": {}}, None),
    ({**GOOD, "parts": None}, None),
    ({**GOOD, "colour": "red"}, None),
    ({**GOOD, "op": "d", "size": "many"}, None),  # a delete states nothing else
]  # fmt: skip


def test_each_bad_row_has_its_reason_and_its_raw_content(spark: SparkSession) -> None:
    found = judged_dicts(spark, [row for row, _ in CASES])

    for (given, reason), row in zip(CASES, found, strict=True):
        assert row[REASON] == reason, (given, row[DETAIL])
        raw = json.dumps({**given, "updated_at": "NaN"} if given["updated_at"] != given["updated_at"] else given)
        assert (row[RAW] is None) if reason is None else json.loads(row[RAW]) == json.loads(raw)
        assert bool(row[DETAIL]) == (reason is not None)


def test_a_column_that_nobody_declared_is_kept_ignored_or_set_aside(spark: SparkSession) -> None:
    rows = [GOOD, {**GOOD, "colour": "red", "Size": 3}]
    kept, ignored, aside = (judged_dicts(spark, rows, source=but(undeclared=policy)) for policy in Undeclared)

    assert [row[REASON] for row in (*kept, *ignored)] == [None] * 4
    assert [row["payload"] is None for row in kept] == [True, False]
    assert json.loads(kept[1]["payload"]) == rows[1]
    assert [row["payload"] for row in ignored] == [None, None]
    assert [row[REASON] for row in aside] == [None, "undeclared_column"]
    assert "Size, colour" in aside[1][DETAIL] or "colour, Size" in aside[1][DETAIL]


def test_a_source_without_a_stable_key_has_every_row_set_aside(spark: SparkSession) -> None:
    found = judged_dicts(spark, [GOOD, NO_KEY], source=but(lacks_key=True))
    assert [row[REASON] for row in found] == ["no_stable_key"] * 2


def test_checks_and_lateness_set_rows_aside_only_where_the_row_states_something(spark: SparkSession) -> None:
    checked = replace(
        THING,
        history=HistorySettings(max_lateness=timedelta(days=30)),
        checks=(
            NotNull("name", OnFail.QUARANTINE),
            Accepted("size", (1, 2), OnFail.QUARANTINE),
            SqlCheck("`price` >= 0", OnFail.QUARANTINE),
            SqlCheck("`price` < 100", OnFail.WARN),
        ),
    )
    cases: list[tuple[dict[str, Any], str | None, list[str]]] = [
        (GOOD, None, []),
        ({**GOOD, "name": None}, "check_failed", []),
        ({**GOOD, "size": 3}, "check_failed", []),
        ({**GOOD, "size": None}, None, []),
        ({**GOOD, "price": -1}, "check_failed", []),
        ({**GOOD, "price": None}, None, []),
        ({**GOOD, "price": 100}, None, ["sql `price` < 100"]),
        ({**GOOD, "updated_at": "2026-02-03T11:59:59Z"}, "too_late", []),
        ({**GOOD, "updated_at": "2026-02-03T12:00:00Z"}, None, []),
    ]
    found = judged_dicts(spark, [row for row, _, _ in cases], entity=checked)

    for (given, reason, warnings), row in zip(cases, found, strict=True):
        assert (row[REASON], row["__warnings"]) == (reason, warnings), given
