"""The worked examples of document 000, sections 12.4.6 to 12.4.8, as printed and, where the default differs, as it differs."""

from __future__ import annotations

import pytest
from pyspark.sql import Row, SparkSession

from tests.spark.evidence.tales import AS_RECEIVED, Tale, books, drawn, hears, table

JANE = {"name": "Jane Carter", "address": "12 Market Street", "status": "Active"}

CDC = [
    hears("core", "01 09:00", "insert", **JANE),
    hears("core", "03 10:00", address="18 King Street"),
    hears("core", "05 08:30", "delete"),
    hears("core", "02 15:00", status="Restricted"),
]
CONFLICT = [
    hears("crm", "01 09:00", status="Active"),
    hears("core", "02 10:00", status="Restricted"),
    hears("crm", "03 09:00", status="Active"),
    hears("core", "02 18:00", status="Active"),
]
TWO_SOURCES = [
    hears("crm", "01 09:00", "insert", **JANE),
    hears("core", "02 10:00", status="Restricted"),
    hears("crm", "03 09:00", address="18 King Street"),
    hears("crm", "04 12:00", "delete"),
    hears("core", "02 18:00", status="Active"),
]
CONFLICT_HISTORY = """
    source | from     | status
    crm    | 09:00    | Active
    core   | 02 10:00 | Restricted
    core   | 02 18:00 | Active
    crm    | 03 09:00 | Active
    """
TWO_SOURCES_HISTORY = """
    source | precedence_rank | from     | to       | name        | address          | status     | deleted | current
    crm    | 1               | 09:00    | 02 10:00 | Jane Carter | 12 Market Street | Active     |         |
    core   | 2               | 02 10:00 | 02 18:00 | Jane Carter | 12 Market Street | Restricted |         |
    core   | 2               | 02 18:00 | 03 09:00 | Jane Carter | 12 Market Street | Active     |         |
    crm    | 1               | 03 09:00 | 04 12:00 | Jane Carter | 18 King Street   | Active     |         |
    crm    | 1               | 04 12:00 |          | Jane Carter | 18 King Street   | Active     | yes     | yes
    """

TALES = (
    Tale(
        "12.4.6 as received, as it is printed",
        CDC,
        """
        from     | to       | name        | address          | status     | deleted | current
        09:00    | 02 15:00 | Jane Carter | 12 Market Street | Active     |         |
        02 15:00 | 03 10:00 | Jane Carter | 12 Market Street | Restricted |         |
        03 10:00 | 05 08:30 | Jane Carter | 18 King Street   | Active     |         |
        05 08:30 |          | Jane Carter | 18 King Street   | Active     | yes     | yes
        """,
        AS_RECEIVED,
    ),
    Tale(
        "12.4.6 by source time: the restriction holds for what comes after it",
        CDC,
        """
        from     | to       | name        | address          | status     | deleted | current
        09:00    | 02 15:00 | Jane Carter | 12 Market Street | Active     |         |
        02 15:00 | 03 10:00 | Jane Carter | 12 Market Street | Restricted |         |
        03 10:00 | 05 08:30 | Jane Carter | 18 King Street   | Restricted |         |
        05 08:30 |          | Jane Carter | 18 King Street   | Restricted | yes     | yes
        """,
    ),
    Tale("12.4.7 by source time, as it is printed", CONFLICT, CONFLICT_HISTORY),
    Tale("12.4.7 as received, as it is printed", CONFLICT, CONFLICT_HISTORY, AS_RECEIVED),
    Tale("12.4.8 by source time, as it is printed", TWO_SOURCES, TWO_SOURCES_HISTORY),
    Tale("12.4.8 as received, as it is printed", TWO_SOURCES, TWO_SOURCES_HISTORY, AS_RECEIVED),
)


@pytest.fixture(scope="module")
def told(spark: SparkSession) -> dict[str, list[Row]]:
    return books(spark, TALES)


@pytest.mark.parametrize("tale", TALES, ids=lambda tale: tale.sentence)
def test_worked_example(tale: Tale, told: dict[str, list[Row]]) -> None:
    expected = table(tale.history)
    assert drawn(told[tale.sentence], expected) == expected
