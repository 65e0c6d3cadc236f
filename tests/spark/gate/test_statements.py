"""What a row states: absent, null or a value (R11, R13, R14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql import Row, SparkSession

from muniment.model.source import NullMeans

from tests.spark.gate.gating import GOOD, WHOLE, but, judged_dicts, judged_frame

COLUMNS = "id bigint, line string, updated_at string, op string, name string, size int"


def said(rows: list[Row]) -> list[tuple[list[str], bool | None]]:
    return [(row["asserted"], row["is_deleted"]) for row in rows]


def test_in_a_dict_a_missing_key_is_absent_and_none_is_null(spark: SparkSession) -> None:
    found = judged_dicts(spark, [GOOD, {**GOOD, "name": None}, {**GOOD, "name": "null", "size": 1}])

    assert said(found) == [([], None), (["name"], None), (["name", "size"], None)]
    assert [row["name"] for row in found] == [None, None, "null"]


def test_in_a_partial_table_null_is_absent_unless_the_source_says_otherwise(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "a", "2026-03-01", "u", None, 3), (1, "a", "2026-03-01", "u", "", None)], COLUMNS)

    assert said(judged_frame(frame)) == [(["size"], None), (["name"], None)]
    assert said(judged_frame(frame, source=but(null_means=NullMeans.VALUE))) == [(["name", "size"], None)] * 2
    assert said(judged_frame(frame, source=WHOLE)) == [(["name", "size"], False)] * 2


def test_objects_may_be_told_that_null_is_absent(spark: SparkSession) -> None:
    found = judged_dicts(spark, [{**GOOD, "name": None, "size": 1}], source=but(null_means=NullMeans.ABSENT))
    assert said(found) == [(["size"], None)]


def test_a_whole_row_states_what_its_source_carries_and_the_data_has(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "a", "2026-03-01", "u", None, 3)], COLUMNS)
    carrying = replace(WHOLE, carries=("name", "born"))

    assert said(judged_frame(frame, source=carrying)) == [(["name"], False)]
    assert said(judged_dicts(spark, [{**GOOD, "born": None, "size": 1}], source=carrying)) == [(["born"], False)]
    assert said(judged_dicts(spark, [{**GOOD, "size": 1}], source=WHOLE)) == [(["size"], False)]


def test_what_a_whole_row_does_not_state_leaves_no_trace_in_its_hashes(spark: SparkSession) -> None:
    carrying = replace(WHOLE, carries=("name",))
    without, beside = judged_dicts(spark, [{**GOOD, "name": "a"}, {**GOOD, "name": "a", "size": 1}], source=carrying)

    assert (beside["size"], beside["attr_hash"], beside["record_hash"]) == (None, without["attr_hash"], without["record_hash"])


def test_deletes_state_nothing_but_the_deletion(spark: SparkSession) -> None:
    rows: list[dict[str, Any]] = [{**GOOD, "op": op, "name": "a"} for op in ("c", "u", "d")]
    found = judged_dicts(spark, rows)

    assert said(found) == [(["name"], False), (["name"], None), ([], True)]
    assert [(row["op"], row["name"]) for row in found] == [("insert", "a"), ("update", "a"), ("delete", None)]


def test_several_names_may_mean_one_attribute(spark: SparkSession) -> None:
    source = but(columns={"no": "id", "label": "name", "title": "name"})
    rest = {name: value for name, value in GOOD.items() if name != "id"}
    rows = [{**rest, "no": 7, "title": "T"}, {**rest, "no": 8, "label": None}, {**rest, "id": 9, "name": "N"}]
    found = judged_dicts(spark, rows, source=source)
    frame = spark.createDataFrame([(7, "a", "2026-03-01", "u", "T", 1)], COLUMNS.replace("id ", "no ").replace("name", "title"))

    assert [(row["id"], row["name"], row["asserted"]) for row in found] == [(7, "T", ["name"]), (8, None, ["name"]), (9, "N", ["name"])]
    assert [(row["id"], row["name"]) for row in judged_frame(frame, source=source)] == [(7, "T")]


def test_an_exact_repeat_has_the_same_id_and_anything_else_another(spark: SparkSession) -> None:
    one = {**GOOD, "name": "a", "lsn": 1}
    others = [{**one, "lsn": 2}, {**one, "name": None}, {**one, "id": 2}, {**one, "updated_at": "2026-03-01T09:00:00.000001"}]
    ids = [row["assertion_id"] for row in judged_dicts(spark, [one, {**one, "updated_at": "2026-03-01T10:00+01:00"}, *others])]

    assert ids[0] == ids[1]
    assert len(set(ids)) == 1 + len(others)
