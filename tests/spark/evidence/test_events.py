"""Facts: said once, counted when repeated, never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from pyspark.sql import DataFrame, SparkSession

from muniment.clock import utc
from muniment.evidence.events import add_corrected_by, conflicts, facts
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.entity import Entity, Kind
from muniment.model.tables import event_columns, log_columns

from tests.spark.evidence.bridge import table_of

PAYMENT = Entity(
    name="payment",
    key=(KeyPart("payment_id", "string"),),
    attributes=(Attribute("amount", "int"), Attribute("corrects", "string")),
    kind=Kind.EVENT,
    corrects="corrects",
)


@dataclass(frozen=True, slots=True)
class Said:
    payment: str
    at: str
    amount: int
    heard: str
    corrects: str | None = None


SAID = (
    Said("P1", "09:00", 100, heard="09:01"),
    Said("P2", "10:00", 250, heard="10:01"),
    Said("P1", "09:00", 100, heard="11:00"),
    Said("P2", "10:00", 999, heard="12:00"),
    Said("P3", "13:00", 205, heard="13:01", corrects="P2"),
)


def at(clock: str) -> object:
    return utc(f"2026-03-01 {clock}")


def log(spark: SparkSession, said: Iterable[Said]) -> DataFrame:
    rows = (
        {
            "sk": f"key of {s.payment}",
            "payment_id": s.payment,
            "amount": s.amount,
            "corrects": s.corrects,
            "asserted": ["amount", "corrects"],
            "source_system": "core",
            "source_event_ts": at(s.at),
            "ingest_ts": at(s.heard),
            "record_hash": f"{s.amount} {s.corrects}",
        }
        for s in said
    )
    return table_of(spark, rows, log_columns(PAYMENT))


@pytest.mark.parametrize("said", [SAID, SAID[::-1]], ids=["as heard", "the other way round"])
def test_a_fact_is_kept_once_and_a_repeat_moves_only_the_count_and_the_time(spark: SparkSession, said: tuple[Said, ...]) -> None:
    found = facts(log(spark, said), entity=PAYMENT)
    columns = ("payment_id", "amount", "corrects", "seen_count", "conflict_count")
    rows = [tuple(row) for row in found.orderBy("payment_id").select(*columns).collect()]
    assert found.columns == [column.name for column in event_columns(PAYMENT)]
    assert rows == [("P1", 100, None, 2, 0), ("P2", 250, None, 1, 1), ("P3", 205, "P2", 1, 0)]
    repeated = found.where("payment_id = 'P1'").selectExpr("date_format(first_seen_ts, 'HH:mm')", "date_format(last_seen_ts, 'HH:mm')")
    assert tuple(repeated.collect()[0]) == ("09:01", "11:00")


def test_another_statement_of_a_fact_without_a_correction_is_listed_as_a_conflict(spark: SparkSession) -> None:
    found = conflicts(log(spark, SAID), entity=PAYMENT).select("payment_id", "amount").collect()
    assert [tuple(row) for row in found] == [("P2", 999)]


def test_a_corrected_fact_stays_and_readers_see_what_corrects_it(spark: SparkSession) -> None:
    found = add_corrected_by(facts(log(spark, SAID), entity=PAYMENT), entity=PAYMENT)
    rows = found.orderBy("payment_id").select("payment_id", "amount", "corrected_by").collect()
    assert [tuple(row) for row in rows] == [("P1", 100, None), ("P2", 250, "key of P3"), ("P3", 205, None)]
