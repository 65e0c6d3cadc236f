"""The fold, rule by rule: each tale's sentence is what it proves."""

from __future__ import annotations

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from muniment.canon.hashes import attr_hash, kinds_of
from muniment.evidence.fold import fold
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.entity import Entity
from muniment.model.tables import history_columns, log_columns

from tests.spark.evidence.bridge import table_of
from tests.spark.evidence.tales import AS_RECEIVED, CLOSE, CUSTOMER, Tale, books, drawn, frame_of, hears, table, time

ORDER = (
    Tale(
        "R6: at an equal instant readers see the higher rank, and each source keeps its own chain",
        [
            hears("core", "09:00", "insert", status="Active"),
            hears("crm", "09:00", "insert", status="Lead"),
            hears("crm", "10:00", status="Client"),
        ],
        """
        source | from  | to    | own to | status | current | own current | head
        crm    | 09:00 | 09:00 | 10:00  | Lead   |         |             |
        core   | 09:00 | 10:00 |        | Active |         | yes         | yes
        crm    | 10:00 |       |        | Client | yes     | yes         | yes
        """,
    ),
    Tale(
        "R6: of one source's rows at one instant only the last makes a version, and all of them are statements",
        [
            hears("core", "09:00", "insert", seq_=(2,), status="Active"),
            hears("core", "09:00", seq_=(1,), status="New", address="1 Elm"),
            hears("core", "09:00", name="Jane", status="Draft"),
        ],
        """
        from  | to | name | address | status | seen | first | last
        09:00 |    | Jane | 1 Elm   | Active | 3    | 1     | 3
        """,
    ),
    Tale(
        "R6: an exact repeat is one assertion seen twice, at its earliest place",
        [
            hears("core", "09:00", "insert", file_="a.csv", status="Active"),
            hears("core", "09:00", "insert", file_="b.csv", status="Closed"),
            hears("core", "09:00", "insert", file_="c.csv", status="Active"),
        ],
        """
        from  | to | status | seen | first | last | file
        09:00 |    | Closed | 3    | 1     | 3    | b.csv
        """,
    ),
    Tale(
        "R6: sequences count only inside one source",
        [
            hears("crm", "09:00", "insert", seq_=(9,), status="Lead"),
            hears("core", "09:00", "insert", seq_=(1,), status="Active"),
        ],
        """
        source | from  | to    | status | current
        crm    | 09:00 | 09:00 | Lead   |
        core   | 09:00 |       | Active | yes
        """,
    ),
    Tale(
        "R8: a late row takes its own place in time",
        [
            hears("core", "09:00", "insert", name="Jane", status="Active"),
            hears("core", "11:00", address="18 King Street"),
            hears("core", "10:00", status="Restricted"),
        ],
        """
        from  | to    | name | address        | status     | current
        09:00 | 10:00 | Jane |                | Active     |
        10:00 | 11:00 | Jane |                | Restricted |
        11:00 |       | Jane | 18 King Street | Restricted | yes
        """,
    ),
)

COMPLETION = (
    Tale(
        "R8: as received, a row is completed once, by what was heard no later",
        [
            hears("core", "09:00", "insert", name="Jane", status="Active"),
            hears("core", "11:00", address="18 King Street"),
            hears("core", "10:00", status="Restricted"),
        ],
        """
        from  | to    | name | address        | status     | current
        09:00 | 10:00 | Jane |                | Active     |
        10:00 | 11:00 | Jane |                | Restricted |
        11:00 |       | Jane | 18 King Street | Active     | yes
        """,
        AS_RECEIVED,
    ),
    Tale(
        "R8: as received, rows of one arrival complete each other whatever their order in it",
        [
            hears("core", "11:00", address="18 King Street", heard_=1),
            hears("core", "09:00", "insert", name="Jane", heard_=1),
        ],
        """
        from  | name | address
        09:00 | Jane |
        11:00 | Jane | 18 King Street
        """,
        AS_RECEIVED,
    ),
    Tale(
        "R11: absent inherits and null overwrites",
        [
            hears("core", "09:00", "insert", name="Jane", address="1 Elm"),
            hears("core", "10:00", name=None, status="Active"),
            hears("core", "11:00", status="Closed"),
        ],
        """
        from  | name | address | status | from name  | from status
        09:00 | Jane | 1 Elm   |        | core 09:00 |
        10:00 |      | 1 Elm   | Active | core 10:00 | core 10:00
        11:00 |      | 1 Elm   | Closed | core 10:00 | core 11:00
        """,
    ),
    Tale(
        "R12: a row inherits from its own source first, else from the latest of any",
        [
            hears("crm", "09:00", "insert", name="Jane", status="Lead"),
            hears("core", "10:00", status="Active"),
            hears("crm", "11:00", address="1 Elm"),
        ],
        """
        source | from  | name | status | from name | from status | from address
        crm    | 09:00 | Jane | Lead   | crm 09:00 | crm 09:00   |
        core   | 10:00 | Jane | Active | crm 09:00 | core 10:00  |
        crm    | 11:00 | Jane | Lead   | crm 09:00 | crm 09:00   | crm 11:00
        """,
    ),
    Tale(
        "R13: a partial row for a key never seen is kept, with the rest unknown",
        [hears("core", "09:00", status="Active")],
        """
        from  | to | name | status | deleted | current
        09:00 |    |      | Active |         | yes
        """,
    ),
    Tale(
        "R14: a late whole row takes its own place and never overwrites what is newer",
        [
            hears("core", "10:00", "update", load_="CHANGES", name="Jane", status="Active"),
            hears("core", "09:00", "update", load_="FULL", name="Jan", status="New"),
        ],
        """
        from  | to    | name | status | current
        09:00 | 10:00 | Jan  | New    |
        10:00 |       | Jane | Active | yes
        """,
    ),
)

COLLAPSE = (
    Tale(
        "R15: the same state again is one version",
        [
            hears("core", "09:00", "insert", name="Jane"),
            hears("core", "10:00", "insert", name="Jane"),
            hears("core", "11:00", name="Jane"),
        ],
        """
        from  | to | name | seen | first | last | from name
        09:00 |    | Jane | 3    | 1     | 3    | core 09:00
        """,
    ),
    Tale(
        "R15: the same state from another source is a new row",
        [hears("core", "09:00", "insert", name="Jane"), hears("crm", "10:00", "insert", name="Jane")],
        """
        source | from  | to    | name | seen
        core   | 09:00 | 10:00 | Jane | 1
        crm    | 10:00 |       | Jane | 1
        """,
    ),
    Tale(
        "R15: another source in between keeps two equal states apart",
        [
            hears("core", "09:00", "insert", name="Jane"),
            hears("core", "11:00", "insert", name="Jane"),
            hears("crm", "10:00", "insert", name="Jan"),
        ],
        """
        source | from  | to    | own to | name
        core   | 09:00 | 10:00 | 11:00  | Jane
        crm    | 10:00 | 11:00 |        | Jan
        core   | 11:00 |       |        | Jane
        """,
    ),
    Tale(
        "R15: a late row splits a run again",
        [
            hears("core", "09:00", "insert", name="Jane"),
            hears("core", "11:00", "insert", name="Jane"),
            hears("core", "10:00", "insert", name="Janet"),
        ],
        """
        from  | to    | name  | seen | first | last
        09:00 | 10:00 | Jane  | 1    | 1     | 1
        10:00 | 11:00 | Janet | 1    | 3     | 3
        11:00 |       | Jane  | 1    | 2     | 2
        """,
    ),
    Tale(
        "R15: a stated null equals never stated",
        [hears("core", "09:00", "insert", name="Jane"), hears("core", "10:00", status=None), hears("core", "11:00", status="New")],
        """
        from  | to    | status | seen | from status
        09:00 | 11:00 |        | 2    |
        11:00 |       | New    | 1    | core 11:00
        """,
    ),
    Tale(
        "R3: null to value and value to null are changes",
        [hears("core", "09:00", "insert", name=None), hears("core", "10:00", name="Jane"), hears("core", "11:00", name=None)],
        """
        from  | to    | name
        09:00 | 10:00 |
        10:00 | 11:00 | Jane
        11:00 |       |
        """,
    ),
    Tale(
        "R2: values are compared rounded and trimmed, and shown as they came",
        [
            hears("core", "09:00", "insert", balance=1.251, nick=" Jay"),
            hears("core", "10:00", balance=1.249, nick="Jay "),
            hears("core", "11:00", balance=1.26),
        ],
        """
        from  | to    | balance | nick   | seen
        09:00 | 11:00 | 1.251   | ' Jay' | 2
        11:00 |       | 1.26    | 'Jay ' | 1
        """,
    ),
    Tale(
        "R2: what is not tracked makes no version, and a version shows the last value seen",
        [
            hears("core", "09:00", "insert", name="Jane", note="a"),
            hears("core", "10:00", note="b"),
            hears("core", "11:00", name="Janet"),
            hears("core", "12:00", note=None),
        ],
        """
        from  | to    | name  | note | from note  | seen
        09:00 | 11:00 | Jane  | b    | core 10:00 | 2
        11:00 |       | Janet |      | core 12:00 | 2
        """,
    ),
    Tale(
        "R10: only consecutive repeats collapse",
        [
            hears("core", "09:00", "insert", name="A"),
            hears("core", "10:00", "insert", name="B"),
            hears("core", "11:00", "insert", name="A"),
        ],
        """
        from  | to    | name
        09:00 | 10:00 | A
        10:00 | 11:00 | B
        11:00 |       | A
        """,
    ),
)

LIFE_AND_DEATH = [
    hears("core", "09:00", "insert", name="Jane"),
    hears("core", "10:00", "delete"),
    hears("core", "11:00", "insert", name="Jane"),
]

DELETES = (
    Tale(
        "R16: a delete is a version of its own, and a later insert revives",
        LIFE_AND_DEATH,
        """
        from  | to    | name | deleted | current
        09:00 | 10:00 | Jane |         |
        10:00 | 11:00 | Jane | yes     |
        11:00 |       | Jane |         | yes
        """,
    ),
    Tale(
        "R16: an older event after a delete does not revive",
        [hears("core", "09:00", "insert", name="Jane"), hears("core", "11:00", "delete"), hears("core", "10:00", "insert", name="Janet")],
        """
        from  | to    | name  | deleted | current
        09:00 | 10:00 | Jane  |         |
        10:00 | 11:00 | Janet |         |
        11:00 |       | Janet | yes     | yes
        """,
    ),
    Tale(
        "R13: a partial row after a delete stays deleted, and what another source deleted is not taken over",
        [
            hears("core", "09:00", "insert", name="Jane"),
            hears("crm", "09:30", "insert", name="Jane"),
            hears("core", "10:00", "delete"),
            hears("core", "11:00", name="Janet"),
            hears("crm", "12:00", status="Lead"),
        ],
        """
        source | from  | name  | deleted
        core   | 09:00 | Jane  |
        crm    | 09:30 | Jane  |
        core   | 10:00 | Jane  | yes
        core   | 11:00 | Janet | yes
        crm    | 12:00 | Jane  |
        """,
    ),
    Tale(
        "R16: with deletes closed the version before ends there and none is current",
        LIFE_AND_DEATH[:2],
        """
        from  | to    | name | deleted | current | own current | head
        09:00 | 10:00 | Jane |         |         |             |
        10:00 |       | Jane | yes     |         |             | yes
        """,
        CLOSE,
    ),
    Tale(
        "R16: with deletes closed a later insert is current again",
        LIFE_AND_DEATH,
        """
        from  | to    | name | deleted | current
        09:00 | 10:00 | Jane |         |
        10:00 | 11:00 | Jane | yes     |
        11:00 |       | Jane |         | yes
        """,
        CLOSE,
    ),
)

TALES = (*ORDER, *COMPLETION, *COLLAPSE, *DELETES)


@pytest.fixture(scope="module")
def told(spark: SparkSession) -> dict[str, list[Row]]:
    return books(spark, TALES)


@pytest.mark.parametrize("tale", TALES, ids=lambda tale: tale.sentence)
def test_rule(tale: Tale, told: dict[str, list[Row]]) -> None:
    expected = table(tale.history)
    assert drawn(told[tale.sentence], expected) == expected


def test_a_version_has_all_columns_of_the_history(spark: SparkSession) -> None:
    versions = fold(frame_of(spark, TALES[0]), entity=CUSTOMER)
    declared = table_of(spark, [], history_columns(CUSTOMER)).schema
    assert versions.schema.simpleString() == declared.simpleString()


def test_a_version_that_its_assertion_states_only_in_part_is_sealed_over_its_whole_state(spark: SparkSession) -> None:
    tale = Tale("sealed", [hears("core", "09:00", "insert", name="Jane"), hears("core", "10:00", "delete")], "")
    versions = fold(frame_of(spark, tale), entity=CUSTOMER)
    whole = versions.select(attr_hash(CUSTOMER, kinds_of(versions.schema)).alias("whole"), "attr_hash")
    assert whole.where(F.col("whole") == F.col("attr_hash")).count() == 2


@pytest.mark.heavy
def test_any_name_will_do_and_five_hundred_attributes_are_no_trouble(spark: SparkSession) -> None:
    names = ["a.b", "it's `quoted`", *(f"x{n}" for n in range(498))]
    wide = Entity("wide", (KeyPart("the key", "string"),), tuple(Attribute(name, "string") for name in names))
    row = {"sk": "k", "the key": "k", "assertion_id": "1", "source_system": "core", "record_hash": "r", "ingest_ts": None}
    whole = row | dict.fromkeys(names, "v") | {"asserted": names, "source_event_ts": time("09:00")}
    partial = row | {"a.b": "w", "asserted": ["a.b"], "source_event_ts": time("10:00"), "record_hash": "s"}
    versions = fold(table_of(spark, [whole, partial], log_columns(wide)), entity=wide)
    found = versions.orderBy("effective_from").select("`a.b`", "`it's ``quoted```", "x497").collect()
    assert [tuple(row) for row in found] == [("v", "v", "v"), ("w", "v", "v")]
