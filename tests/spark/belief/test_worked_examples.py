"""Document 000, sections 12.4.7 and 12.4.8, and each rule at work: pure functions, one job per set of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from pyspark.sql import Row, SparkSession

from muniment.belief.resolution import resolve
from muniment.model.belief import Belief, BeliefRule, Nulls, RuleName
from muniment.model.source import Source
from muniment.model.tables import log_columns

from tests.spark.evidence.bridge import table_of
from tests.spark.evidence.tales import CUSTOMER, Tale, drawn, hears, log_rows, table
from tests.spark.evidence.test_worked_examples import CONFLICT, TWO_SOURCES

RULES = (
    BeliefRule(("name",), RuleName.LONGEST),
    BeliefRule(("address", "region"), RuleName.MOST_RECENT, together=True),
    BeliefRule(("status",), RuleName.PRECEDENCE, ("core", "crm")),
    BeliefRule(("nick",), RuleName.MOST_FREQUENT),
    BeliefRule(("balance", "note"), RuleName.MOST_COMPLETE),
)
SOURCES = (Source("core"), Source("crm"), Source("events"))
CRM_DELETES = replace(CUSTOMER, sources=SOURCES, belief=Belief(RULES, ("crm",)))
CORE_DELETES = replace(CUSTOMER, sources=SOURCES, belief=Belief(RULES, ("core",)))
NULLS_COMPETE = replace(CUSTOMER, sources=SOURCES, belief=Belief((BeliefRule(("status",), RuleName.MOST_RECENT, nulls=Nulls.COMPETE),)))

TALES = (
    Tale(
        "12.4.7: precedence overrides time, and the third answer is the core system's",
        CONFLICT,
        """
        from     | to       | status     | from status
        09:00    | 02 10:00 | Active     | crm 09:00
        02 10:00 | 02 18:00 | Restricted | core 02 10:00
        02 18:00 |          | Active     | core 02 18:00
        """,
        CRM_DELETES,
    ),
    Tale(
        "12.4.8 where the branches have a say in deletion",
        TWO_SOURCES,
        """
        from     | to       | name        | address          | status     | deleted
        09:00    | 02 10:00 | Jane Carter | 12 Market Street | Active     |
        02 10:00 | 02 18:00 | Jane Carter | 12 Market Street | Restricted |
        02 18:00 | 03 09:00 | Jane Carter | 12 Market Street | Active     |
        03 09:00 | 04 12:00 | Jane Carter | 18 King Street   | Active     |
        04 12:00 |          | Jane Carter | 18 King Street   | Active     | yes
        """,
        CRM_DELETES,
    ),
    Tale(
        "12.4.8 where only the core system has",
        TWO_SOURCES,
        """
        from     | to       | name        | address          | status     | deleted
        09:00    | 02 10:00 | Jane Carter | 12 Market Street | Active     |
        02 10:00 | 02 18:00 | Jane Carter | 12 Market Street | Restricted |
        02 18:00 | 03 09:00 | Jane Carter | 12 Market Street | Active     |
        03 09:00 |          | Jane Carter | 18 King Street   | Active     |
        """,
        CORE_DELETES,
    ),
    Tale(
        "the longest text wins, and who lost contests it",
        [hears("core", "09:00", name="J. Carter"), hears("crm", "10:00", name="Jane Carter"), hears("core", "11:00", name="Jane")],
        """
        from  | to    | name        | from name  | contested
        09:00 | 10:00 | J. Carter   | core 09:00 |
        10:00 |       | Jane Carter | crm 10:00  | name
        """,
        CRM_DELETES,
    ),
    Tale(
        "no street of one source stands with the region of another",
        [
            hears("core", "09:00", address="1 Low Road", region="EU"),
            hears("crm", "10:00", address="2 High Road"),
            hears("core", "11:00", region="US"),
        ],
        """
        from  | to    | address     | region | from address | from region
        09:00 | 10:00 | 1 Low Road  | EU     | core 09:00   | core 09:00
        10:00 | 11:00 | 2 High Road |        | crm 10:00    |
        11:00 |       |             | US     |              | core 11:00
        """,
        CRM_DELETES,
    ),
    Tale(
        "two who agree after trimming outvote the latest",
        [hears("core", "09:00", nick="Jay"), hears("crm", "10:00", nick=" Jay"), hears("events", "11:00", nick="Kay")],
        """
        from  | to | nick  | from nick  | contested
        09:00 |    | 'Jay' | core 09:00 |
        """,
        CRM_DELETES,
    ),
    Tale(
        "the source with most values of the group is taken, attribute by attribute",
        [hears("core", "09:00", balance=1.0, note="x"), hears("crm", "10:00", balance=2.0)],
        """
        from  | to | balance | note | contested
        09:00 |    | 1.0     | x    |
        """,
        CRM_DELETES,
    ),
    Tale(
        "a null says nothing where nulls are silent",
        [hears("crm", "09:00", status="Active"), hears("core", "10:00", status=None)],
        """
        from  | to | status | from status
        09:00 |    | Active | crm 09:00
        """,
        CRM_DELETES,
    ),
    Tale(
        "a null wins where nulls compete",
        [hears("crm", "09:00", status="Active"), hears("core", "10:00", status=None)],
        """
        from  | to    | status | from status | contested
        09:00 | 10:00 | Active | crm 09:00   |
        10:00 |       |        | core 10:00  | status
        """,
        NULLS_COMPETE,
    ),
    Tale(
        "a source that deleted the key itself contests nothing",
        [hears("crm", "09:00", status="Active"), hears("core", "10:00", status="Closed"), hears("crm", "11:00", "delete")],
        """
        from  | to    | status | deleted | contested
        09:00 | 10:00 | Active |         |
        10:00 |       | Closed |         | status
        """,
        CORE_DELETES,
    ),
    Tale(
        "a delete that only collapsing would hide: belief turns at the authority's own delete",
        [hears("crm", "09:00", "delete"), hears("core", "10:00", name="A"), hears("core", "11:00", "delete")],
        """
        from  | to    | name | deleted
        10:00 | 11:00 | A    |
        11:00 |       | A    | yes
        """,
        CORE_DELETES,
    ),
)


@pytest.fixture(scope="module")
def told(spark: SparkSession) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {tale.sentence: [] for tale in TALES}
    for entity in (CRM_DELETES, CORE_DELETES, NULLS_COMPETE):
        tales: Sequence[Tale] = [tale for tale in TALES if tale.entity is entity]
        log = table_of(spark, (row for tale in tales for row in log_rows(tale)), log_columns(entity))
        for row in resolve(log, None, entity=entity, version=1, few=True).collect():
            found[row["tale"]].append(row)
    return found


@pytest.mark.parametrize("tale", TALES, ids=lambda tale: tale.sentence)
def test_belief_of(tale: Tale, told: dict[str, list[Row]]) -> None:
    expected = table(tale.history)
    assert drawn(told[tale.sentence], expected) == expected
