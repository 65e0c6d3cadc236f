"""What small changes to the fold could break unnoticed: the far ends of the order, of the guard and of the lanes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from muniment.canon.hashes import HASH_VERSION
from muniment.columns import LOAD
from muniment.evidence.absence import gone
from muniment.evidence.fold import fold
from muniment.evidence.lanes import gone_since, needs_repair
from muniment.evidence.loads import verdicts
from muniment.model.source import Absence, Complete, LoadType, Source
from muniment.model.tables import log_columns

from tests.spark.evidence.bridge import accepted_of, table_of
from tests.spark.evidence.tales import (
    AS_RECEIVED,
    CUSTOMER,
    Hears,
    Loads,
    Tale,
    books,
    drawn,
    entity_with,
    frame_of,
    hears,
    load_rows,
    loads,
    log_rows,
    received,
    table,
    tell,
    time,
)

ALL = {"name": "Jane", "address": "1 Elm", "status": "New", "region": "EU", "nick": "Jay", "balance": 1.0}
AWAY = Tale("away", [loads("list", "09:00", "A", "B"), loads("list", "10:00", "A"), loads("list", "11:00", "A")], "", absence=Complete())

TALES = (
    Tale(
        "R6: the receipt decides before the run's id, which sorts 10 before 9",
        [hears("core", "09:00", status="first", heard_=9), hears("core", "09:00", status="last", heard_=10)],
        """
        from  | status | seen
        09:00 | last   | 2
        """,
    ),
    Tale(
        "R13: never stated means false, so saying that the key is there changes nothing",
        [hears("core", "09:00", name="Jane"), hears("core", "10:00", "insert", name="Jane")],
        """
        from  | to | name | deleted | seen
        09:00 |    | Jane |         | 2
        """,
    ),
    Tale(
        "R17: absence of a key that its source holds deleted by another's word makes no version, and is the source's own statement from then on",
        [
            hears("list", "09:00", key_="B", name="B"),
            hears("core", "09:10", "delete", key_="B"),
            hears("list", "09:20", key_="B", name="Bo"),
            loads("list", "10:00", "A"),
            hears("core", "10:30", "insert", key_="B", name="Bob"),
            hears("list", "11:00", key_="B", status="New"),
        ],
        """
        key | source | from  | to    | name | status | deleted
        A   | list   | 10:00 |       | A    |        |
        B   | list   | 09:00 | 09:10 | B    |        |
        B   | core   | 09:10 | 09:20 | B    |        | yes
        B   | list   | 09:20 | 10:30 | Bo   |        | yes
        B   | core   | 10:30 | 11:00 | Bob  |        |
        B   | list   | 11:00 |       | Bo   | New    | yes
        """,
        absence=Complete(),
    ),
    Tale(
        "R17: a key that a load carries is there, whatever else its source says of it at that instant",
        [
            loads("list", "09:00", "A", "B"),
            loads("list", "10:00", "A"),
            loads("list", "11:00", "A", "B"),
            hears("list", "11:00", key_="B", status="New"),
        ],
        """
        key | from  | to    | status | deleted
        A   | 09:00 |       |        |
        B   | 09:00 | 11:00 |        |
        B   | 11:00 |       | New    |
        """,
        absence=Complete(absences=2),
    ),
    Tale(
        "R17: what loads of one instant do not carry is heard gone with the last of them",
        [loads("list", "09:00", "A", "B", "C"), loads("list", "10:00", "A"), loads("list", "10:00", "B")],
        """
        key | from  | deleted | first
        A   | 09:00 |         | 1
        B   | 09:00 |         | 1
        C   | 09:00 |         | 1
        C   | 10:00 | yes     | 3
        """,
        absence=Complete(),
    ),
    Tale(
        "R17: a load that is not complete counts when a person says so",
        [loads("list", "09:00", "A", "B"), loads("list", "10:00", "A", complete=False, accepted=True)],
        """
        key | from  | deleted
        A   | 09:00 |
        B   | 09:00 |
        B   | 10:00 | yes
        """,
        absence=Complete(),
    ),
    Tale(
        "R17: a row of the load's own instant takes absence back, though it was heard before the load and is none of it",
        [loads("list", "09:00", "A", "B"), hears("list", "10:00", "insert", key_="B", name="Bo"), loads("list", "10:00", "A")],
        """
        key | from  | to    | name | deleted | op
        A   | 09:00 |       | A    |         | insert
        B   | 09:00 | 10:00 | B    |         | insert
        B   | 10:00 |       | Bo   |         | insert
        """,
        absence=Complete(),
    ),
)


@pytest.fixture(scope="module")
def told(spark: SparkSession) -> dict[str, list[Row]]:
    return books(spark, TALES)


@pytest.mark.parametrize("tale", TALES, ids=lambda tale: tale.sentence)
def test_rule(tale: Tale, told: dict[str, list[Row]]) -> None:
    expected = table(tale.history)
    assert drawn(told[tale.sentence], expected) == expected


@pytest.mark.parametrize("runs", [("a", "b"), ("b", "a")], ids=" then ".join)
def test_of_two_runs_that_received_at_one_moment_the_later_id_decides(spark: SparkSession, runs: tuple[str, str]) -> None:
    tale = Tale("runs", [hears("core", "09:00", status=status, heard_=1) for status in ("one", "other")], "")
    rows = [row | {"ingest_run_id": run} for row, run in zip(log_rows(tale), runs, strict=True)]
    found = fold(table_of(spark, rows, log_columns(CUSTOMER)), entity=CUSTOMER).collect()
    assert [(row["status"], row["seen_count"]) for row in found] == [("other" if runs == ("a", "b") else "one", 2)]


def test_a_head_knows_the_last_absence_of_its_key_though_that_made_no_version(spark: SparkSession) -> None:
    (head,) = (row for row in tell(spark, [AWAY])["away"] if row["id"] == "B" and row["is_head"])
    order, stated = head["last_order"], head["stated"]["is_deleted"]
    moments = (head["effective_from"], order["event_ts"], order["statement_ts"], stated["event_ts"], order["receipt_ts"])
    assert [moment.astimezone(UTC) for moment in moments] == [time("10:00"), time("10:00"), time("11:00"), time("11:00"), received(3)]


@pytest.mark.parametrize(
    "source", [Source("list", load=LoadType.FULL), Source("list", load=LoadType.CHANGES, absence=Absence.DELETES)], ids=["kept", "changes"]
)
def test_absence_says_nothing_unless_complete_loads_are_declared_to_delete(spark: SparkSession, source: Source) -> None:
    tale = Tale("silent", [loads("list", "09:00", "A", "B"), loads("list", "10:00", "A")], "", absence=Complete())
    entity = replace(CUSTOMER, sources=(source,))
    rows = [row | {"source_system": "list"} for row in log_rows(tale)]
    headers = [row | {"source_system": "list"} for row in load_rows(tale)]
    absences = gone(table_of(spark, rows, log_columns(entity)), table_of(spark, headers, LOAD), accepted_of(spark, []), entity=entity)
    assert absences.collect() == []


def test_a_version_keeps_the_seal_of_an_assertion_that_states_all_that_is_tracked(spark: SparkSession) -> None:
    tale = Tale("seal", [hears("core", "09:00", "insert", **ALL), hears("core", "10:00", status="Old")], "")
    found = fold(frame_of(spark, tale), entity=CUSTOMER).orderBy("effective_from").collect()
    assert [row["hash_version"] for row in found] == [0, HASH_VERSION]  # 0 is what the log has
    assert [row["attr_hash"] == "of the log" for row in found] == [True, False]


def test_a_load_that_does_not_say_whether_it_is_complete_is_not(spark: SparkSession) -> None:
    tale = Tale("silent header", [loads("list", "09:00", "A")], "", absence=Complete())
    headers = table_of(spark, [row | {"complete": None} for row in load_rows(tale)], LOAD)
    assert [row["verdict"] for row in verdicts(headers, accepted_of(spark, []), entity=entity_with(tale)).collect()] == ["incomplete"]


@pytest.mark.parametrize(
    "heard",
    [
        [loads("list", "09:00", *"ABCD"), loads("list", "10:00", *"AB"), loads("list", "11:00", "A")],
        [loads("list", "09:00", *"ABCD"), loads("list", "10:00", "A"), loads("list", "10:00", "B")],
    ],
    ids=["the last accepted, not the first", "loads of one instant together"],
)
def test_a_load_is_measured_by(spark: SparkSession, heard: list[Loads]) -> None:
    tale = Tale("measured", heard, "", absence=Complete(min_fraction=0.5))
    headers = table_of(spark, load_rows(tale), LOAD)
    found = verdicts(headers, accepted_of(spark, []), entity=entity_with(tale)).collect()
    assert [row["verdict"] for row in found] == ["accepted", "accepted", "accepted"]


def test_a_header_that_landed_twice_carries_its_keys_once(spark: SparkSession) -> None:
    tale = Tale("twice", [loads("list", "09:00", "A", "B", "C"), loads("list", "10:00", "A")], "", absence=Complete())
    rows = list(load_rows(tale))
    again = rows[1] | {"ingest_ts": received(9), "ingest_run_id": "again"}
    found = verdicts(table_of(spark, [*rows, again], LOAD), accepted_of(spark, []), entity=entity_with(tale)).orderBy("load_ts")
    assert [(row["keys"], row["verdict"]) for row in found.collect()] == [(3, "accepted"), (1, "held")]


def test_as_received_the_newest_receipt_counts_whichever_row_and_source_had_it(spark: SparkSession) -> None:
    old = [
        *(hears("core", "09:00", key_="A", heard_=9), hears("core", "10:00", key_="A", heard_=5, name="an older receipt")),
        *(hears("core", "09:00", key_="B", heard_=9), hears("crm", "10:00", key_="B", heard_=5)),
        *(hears("crm", "09:00", key_="C", heard_=9), hears("core", "10:00", key_="C", heard_=5)),
    ]
    new = [hears("core", "11:00", key_=key, heard_=7) for key in "ABC"]
    found = _repairs(spark, Tale("receipts", old, "", AS_RECEIVED), new)
    assert {key: why for key, (why, _) in found.items()} == dict.fromkeys("ABC", "received before what the key has")


def test_a_row_at_the_instant_of_a_load_of_its_scope_or_before_the_newest_of_several_goes_to_repair(spark: SparkSession) -> None:
    counted = [loads("list", "10:00", "X@EU"), loads("list", "12:00", "X@EU")]
    tale = Tale("loads", counted, "", absence=Complete(), scope=("region",))
    new = [hears("list", at, key_=key, region="EU") for key, at in (("A", "11:00"), ("B", "12:00"), ("C", "12:01"))]
    assert _repairs(spark, tale, new) == {"A": ("not later than a load", 0), "B": ("not later than a load", 0)}


def test_a_row_that_states_only_a_part_of_its_scope_is_measured_by_all_loads_of_its_source(spark: SparkSession) -> None:
    tale = Tale("parts", [loads("list", "10:00", "X")], "", absence=Complete(), scope=("region", "status"))
    headers = table_of(spark, [row | {"carried": {'["EU","New"]': 1}} for row in load_rows(tale)], LOAD)
    new = [hears("list", "09:00", key_="A", region="EU"), hears("list", "09:00", key_="B", region="US", status="New")]
    assert _repairs(spark, tale, new, headers=headers) == {"A": ("not later than a load", 0)}


def test_rows_at_or_before_what_the_key_has_are_counted_as_late(spark: SparkSession) -> None:
    tale = Tale("late", [hears("core", "10:00")], "")
    new = [hears("core", "09:00"), hears("core", "10:00", name="at the same instant"), hears("core", "11:00")]
    assert _repairs(spark, tale, new) == {"C1": ("not later than what the key has", 2)}


def test_a_row_before_the_last_absence_of_its_key_goes_to_repair_though_that_made_no_version(spark: SparkSession) -> None:
    assert _repairs(spark, AWAY, [hears("core", "10:30", key_="B")]) == {"B": ("not later than what the key has", 1)}


def _repairs(spark: SparkSession, tale: Tale, new: list[Hears], *, headers: DataFrame | None = None) -> Mapping[str, tuple[str, int]]:
    entity = entity_with(tale)
    counted = table_of(spark, load_rows(tale), LOAD) if headers is None else headers
    rows = frame_of(spark, replace(tale, heard=new))
    found = needs_repair(rows, _heads(spark, tale, counted), counted, entity=entity).join(rows.select("sk", "id").distinct(), ["sk"])
    return {row["id"]: (row["why"], row["late"]) for row in found.collect()}


def _heads(spark: SparkSession, tale: Tale, headers: DataFrame) -> DataFrame:
    entity, rows = entity_with(tale), frame_of(spark, tale)
    absences = gone(rows, headers, accepted_of(spark, []), entity=entity)
    return fold(rows.drop("salt", "row_digest").unionByName(absences), entity=entity).where("is_head")


def test_going_on_from_the_heads_only_later_loads_say_gone(spark: SparkSession) -> None:
    headers = list(load_rows(replace(AWAY, heard=[*AWAY.heard, loads("list", "12:00", "A")])))
    heads = _heads(spark, AWAY, table_of(spark, headers[:3], LOAD))
    again = frame_of(spark, replace(AWAY, heard=[hears("list", "12:00", key_="A", load_="FULL", name="A")]))
    found = gone_since(heads, again, table_of(spark, headers, LOAD), accepted=accepted_of(spark, []), entity=entity_with(AWAY))
    assert [(row["id"], row["source_event_ts"].astimezone(UTC)) for row in found.collect()] == [("B", time("12:00"))]


BY_KEY = Tale("by key", [loads("list", "09:00", "A", "B")], "", absence=Complete(allow_empty=True), scope=("id",))


def by_key(spark: SparkSession, *, at: str) -> DataFrame:
    """The header of a load that is scoped by a column of the key, and carries nothing of B."""
    tale = replace(BY_KEY, heard=[loads("list", at, scopes=('["B"]',))])
    return table_of(spark, load_rows(tale), LOAD)


def test_a_scope_may_be_a_column_of_the_key(spark: SparkSession) -> None:
    entity = entity_with(BY_KEY)
    found = gone(frame_of(spark, BY_KEY), by_key(spark, at="10:00"), accepted_of(spark, []), entity=entity)
    assert [row["id"] for row in found.collect()] == ["B"]


def test_a_scope_may_be_a_column_of_the_key_when_going_on_from_the_heads(spark: SparkSession) -> None:
    entity = entity_with(BY_KEY)
    rows = frame_of(spark, BY_KEY)
    heads = fold(rows, entity=entity).where("is_head")
    found = gone_since(heads, rows.limit(0), by_key(spark, at="10:00"), accepted=accepted_of(spark, []), entity=entity)
    assert [row["id"] for row in found.collect()] == ["B"]
