"""Absence (R17): what complete loads say of the keys they do not carry."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from muniment.columns import LOAD
from muniment.evidence.loads import overturned, verdicts
from muniment.model.source import Complete, OnShort

from tests.spark.evidence.bridge import accepted_of, table_of
from tests.spark.evidence.tales import AS_RECEIVED, Tale, books, drawn, entity_with, hears, list_name, load_rows, loads, table, tell

HALF = Complete()

TALES = (
    Tale(
        "a key that a complete load does not carry is gone at its instant",
        [loads("list", "09:00", "A", "B"), loads("list", "10:00", "A")],
        """
        key | from  | to    | name | deleted | current | seen | first | last
        A   | 09:00 |       | A    |         | yes     | 2    | 1     | 2
        B   | 09:00 | 10:00 | B    |         |         | 1    | 1     | 1
        B   | 10:00 |       | B    | yes     | yes     | 0    | 2     | 2
        """,
        absence=HALF,
    ),
    Tale(
        "loads may arrive in any order",
        [loads("list", "11:00", "A", "B"), loads("list", "10:00", "A"), loads("list", "09:00", "A", "B")],
        """
        key | from  | to    | deleted
        A   | 09:00 |       |
        B   | 09:00 | 10:00 |
        B   | 10:00 | 11:00 | yes
        B   | 11:00 |       |
        """,
        absence=HALF,
    ),
    Tale(
        "a key that stays away makes nothing, and another source's rows are not touched",
        [
            loads("list", "09:00", "A", "B"),
            loads("list", "10:00", "A"),
            hears("core", "10:30", "insert", key_="B", name="Bo"),
            loads("list", "11:00", "A"),
        ],
        """
        key | source | from  | to    | deleted
        A   | list   | 09:00 |       |
        B   | list   | 09:00 | 10:00 |
        B   | list   | 10:00 | 10:30 | yes
        B   | core   | 10:30 |       |
        """,
        absence=HALF,
    ),
    Tale(
        "loads of one instant act as their union",
        [loads("list", "09:00", "A", "B"), loads("list", "10:00", "A"), loads("list", "10:00", "B")],
        """
        key | from  | to | deleted | seen
        A   | 09:00 |    |         | 2
        B   | 09:00 |    |         | 2
        """,
        absence=HALF,
    ),
    Tale(
        "absence counts only inside the scope that the source stated last",
        [
            loads("list", "09:00", "A@EU", "B@US", "C@EU"),
            hears("list", "09:30", key_="C", region="US"),
            loads("list", "10:00", "A@EU"),
            loads("list", "11:00", "B@US"),
        ],
        """
        key | from  | to    | region | deleted
        A   | 09:00 |       | EU     |
        B   | 09:00 |       | US     |
        C   | 09:00 | 09:30 | EU     |
        C   | 09:30 | 11:00 | US     |
        C   | 11:00 |       | US     | yes
        """,
        absence=HALF,
        scope=("region",),
    ),
    Tale(
        "a load that is too short is held, and says nothing of absence",
        [loads("list", "09:00", "A", "B", "C"), loads("list", "10:00", "A"), loads("list", "11:00", "A", "B")],
        """
        key | from  | to    | deleted | seen
        A   | 09:00 |       |         | 3
        B   | 09:00 |       |         | 2
        C   | 09:00 | 11:00 |         | 1
        C   | 11:00 |       | yes     | 0
        """,
        absence=HALF,
    ),
    Tale(
        "a held load that a person accepted counts, and the next is judged against it",
        [loads("list", "09:00", "A", "B", "C"), loads("list", "10:00", "A", accepted=True), loads("list", "11:00", "A")],
        """
        key | from  | to    | deleted
        A   | 09:00 |       |
        B   | 09:00 | 10:00 |
        B   | 10:00 |       | yes
        C   | 09:00 | 10:00 |
        C   | 10:00 |       | yes
        """,
        absence=HALF,
    ),
    Tale(
        "a load that is not complete says nothing",
        [loads("list", "09:00", "A", "B"), loads("list", "10:00", "A", complete=False)],
        """
        key | from  | to | deleted
        A   | 09:00 |    |
        B   | 09:00 |    |
        """,
        absence=HALF,
    ),
    Tale(
        "an empty load is held",
        [loads("list", "09:00", "A"), loads("list", "10:00")],
        """
        key | from  | to | deleted
        A   | 09:00 |    |
        """,
        absence=HALF,
    ),
    Tale(
        "an empty load counts where that is allowed",
        [loads("list", "09:00", "A"), loads("list", "10:00")],
        """
        key | from  | to    | deleted
        A   | 09:00 | 10:00 |
        A   | 10:00 |       | yes
        """,
        absence=Complete(allow_empty=True),
    ),
    Tale(
        "an empty load has only the scope given with it",
        [loads("list", "09:00", "A@EU", "B@US"), loads("list", "10:00", scopes=('["US"]',))],
        """
        key | from  | to    | deleted
        A   | 09:00 |       |
        B   | 09:00 | 10:00 |
        B   | 10:00 |       | yes
        """,
        absence=Complete(allow_empty=True),
        scope=("region",),
    ),
    Tale(
        "a short load counts where that is wanted",
        [loads("list", "09:00", "A", "B", "C"), loads("list", "10:00", "A")],
        """
        key | from  | to    | deleted
        A   | 09:00 |       |
        B   | 09:00 | 10:00 |
        B   | 10:00 |       | yes
        C   | 09:00 | 10:00 |
        C   | 10:00 |       | yes
        """,
        absence=Complete(on_short=OnShort.COUNT),
    ),
    Tale(
        "with two absences in a row the delete is dated to the first, and known with the second",
        [
            loads("list", "09:00", "A", "B"),
            loads("list", "10:00", "A"),
            loads("list", "11:00", "A", "B"),
            loads("list", "12:00", "A"),
            loads("list", "13:00", "A"),
        ],
        """
        key | from  | to    | deleted | first
        A   | 09:00 |       |         | 1
        B   | 09:00 | 12:00 |         | 1
        B   | 12:00 |       | yes     | 5
        """,
        absence=Complete(absences=2),
    ),
    Tale(
        "absence comes before all rows of its source at that instant",
        [loads("list", "09:00", "A", "B"), hears("list", "10:00", key_="B", name="Bo"), loads("list", "10:00", "A")],
        """
        key | from  | to    | name | deleted | seen | first
        A   | 09:00 |       | A    |         | 2    | 1
        B   | 09:00 | 10:00 | B    |         | 1    | 1
        B   | 10:00 |       | Bo   | yes     | 1    | 2
        """,
        absence=HALF,
    ),
    Tale(
        "as received, a row heard before a load does not know of the absence",
        [loads("list", "09:00", "A", "B"), hears("core", "11:00", key_="B", name="Bo"), loads("list", "10:00", "A")],
        """
        key | source | from  | to    | name | deleted
        A   | list   | 09:00 |       | A    |
        B   | list   | 09:00 | 10:00 | B    |
        B   | list   | 10:00 | 11:00 | B    | yes
        B   | core   | 11:00 |       | Bo   |
        """,
        AS_RECEIVED,
        absence=HALF,
    ),
)

GUARDED = Tale(
    "guarded",
    [
        loads("list", "09:00", "A", "B", "C"),
        loads("list", "10:00", "A"),
        loads("list", "11:00"),
        loads("list", "12:00", "A", "B"),
        loads("list", "13:00", "A", complete=False),
    ],
    "",
    absence=HALF,
)


@pytest.fixture(scope="module")
def told(spark: SparkSession) -> dict[str, list[Row]]:
    return books(spark, TALES)


@pytest.mark.parametrize("tale", TALES, ids=lambda tale: tale.sentence)
def test_absence(tale: Tale, told: dict[str, list[Row]]) -> None:
    expected = table(tale.history)
    assert drawn(told[tale.sentence], expected) == expected


def test_the_verdict_on_each_load_says_why(spark: SparkSession) -> None:
    headers = table_of(spark, load_rows(GUARDED), LOAD)
    found = verdicts(headers, accepted_of(spark, []), entity=entity_with(GUARDED)).orderBy("load_ts").collect()
    assert [(row["keys"], row["verdict"], row["why"]) for row in found] == [
        (3, "accepted", "3 keys, the first of its scope"),
        (1, "held", "1 keys after 3, at least 0.5 of them needed"),
        (0, "held", "empty"),
        (2, "accepted", "2 keys after 3, at least 0.5 of them needed"),
        (1, "incomplete", "not complete"),
    ]


def test_accepting_a_held_load_or_hearing_an_older_one_overturns_the_past_and_a_newer_load_does_not(spark: SparkSession) -> None:
    entity, rows = entity_with(GUARDED), list(load_rows(GUARDED))

    def judged(*places: int, accepted: tuple[str, ...] = ()) -> DataFrame:
        headers = table_of(spark, (rows[place] for place in places), LOAD)
        return verdicts(headers, accepted_of(spark, accepted), entity=entity)

    first = judged(0, 1)
    outcomes = {
        "newer": overturned(first, judged(0, 1, 3)),
        "older": overturned(judged(0, 3), judged(0, 1, 3)),
        "accepted": overturned(first, judged(0, 1, accepted=(str(rows[1]["load_id"]),))),
    }
    found = {name: [tuple(row) for row in frame.collect()] for name, frame in outcomes.items()}
    assert found == {"newer": [], "older": [(list_name(GUARDED), "[]")], "accepted": [(list_name(GUARDED), "[]")]}


def test_without_a_source_that_counts_absence_there_is_none(spark: SparkSession) -> None:
    tale = Tale("kept", [loads("list", "09:00", "A", "B"), loads("list", "10:00", "A")], "")
    assert [row["is_deleted"] for row in tell(spark, [tale])["kept"]] == [False, False]
