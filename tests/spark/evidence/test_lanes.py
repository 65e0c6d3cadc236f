"""The two lanes: going on from the heads equals folding everything, and a key that cannot go on says why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment.columns import LOAD
from muniment.evidence.absence import gone
from muniment.evidence.fold import fold
from muniment.evidence.lanes import continue_from, difference, gone_since, needs_repair
from muniment.model.entity import Entity
from muniment.model.source import Complete

from tests.properties.generate import ABSENCE_SETTINGS, DAWN, SETTINGS, Case, histories, world
from tests.properties.oracle import Statement
from tests.spark.evidence.bridge import accepted_of, entity_of, loads_of, log_of, table_of
from tests.spark.evidence.tales import AS_RECEIVED, CUSTOMER, Hears, Tale, entity_with, frame_of, hears, load_rows, loads

CUT = DAWN + 4
MUCH_LATER = 1_000


def before_and_after(case: Case) -> tuple[list[Statement], list[Statement]]:
    """What speaks for the time up to the cut, and what for later and was received later."""
    later = [replace(s, received=s.received + MUCH_LATER) for s in case.statements if s.at > CUT]
    return [s for s in case.statements if s.at <= CUT], later


def assert_same(found: DataFrame, expected: DataFrame) -> None:
    change = difference(found, expected)
    assert change.rows.select("before", "after").take(1) == []


def head_rows(history: DataFrame) -> DataFrame:
    return history.where("is_head")


@pytest.mark.parametrize("name", SETTINGS)
def test_going_on_from_the_heads_equals_folding_everything(spark: SparkSession, name: str) -> None:
    case = histories(seed=21, count=1000, settings=SETTINGS[name])
    entity = entity_of(case.settings)
    old, new = (log_of(spark, rows, entity=entity) for rows in before_and_after(case))
    history = fold(old, entity=entity).localCheckpoint()
    went_on = continue_from(head_rows(history), new, entity=entity).unionByName(history.where("not is_head"))
    assert needs_repair(new, head_rows(history), loads_of(spark, []), entity=entity).count() == 0
    assert_same(went_on, fold(old.unionByName(new), entity=entity))


@pytest.mark.parametrize("name", [name for name in ABSENCE_SETTINGS if name != "patient"])
def test_with_absence_going_on_from_the_heads_equals_folding_everything(spark: SparkSession, name: str) -> None:
    case = world(seed=22, keys=150, settings=ABSENCE_SETTINGS[name])
    entity = entity_of(case.settings)
    old, new = (log_of(spark, rows, entity=entity).drop("salt", "row_digest") for rows in before_and_after(case))
    late = [replace(load, received=load.received + MUCH_LATER) for load in case.loads if load.at > CUT]
    counted = [load for load in case.loads if load.at <= CUT]
    headers, accepted = loads_of(spark, [*counted, *late]), accepted_of(spark, case.accepted)
    history = _folded(old, loads_of(spark, counted), accepted, entity=entity).localCheckpoint()
    heads = head_rows(history)
    news = new.unionByName(gone_since(heads, new, headers, accepted=accepted, entity=entity)).localCheckpoint()
    went_on = continue_from(heads, news, entity=entity).unionByName(history.where("not is_head"))
    assert needs_repair(news, heads, loads_of(spark, counted), entity=entity).count() == 0
    assert news.where("op = 'absence'").count() > 0
    assert_same(went_on, _folded(old.unionByName(new), headers, accepted, entity=entity))


def _folded(rows: DataFrame, headers: DataFrame, accepted: DataFrame, *, entity: Entity) -> DataFrame:
    return fold(rows.unionByName(gone(rows, headers, accepted, entity=entity)), entity=entity)


def test_a_key_goes_to_repair_when_a_row_is_not_later_than_everything_it_has(spark: SparkSession) -> None:
    tale = Tale("late", [hears(*said, key_=key) for key in "ABC" for said in (("core", "10:00"), ("crm", "11:00"))], "")
    new = [
        hears("core", "10:30", key_="A"),
        hears("core", "11:00", key_="B"),
        hears("core", "11:01", key_="C"),
        hears("core", "09:00", key_="D"),
    ]
    assert _repaired(spark, tale, new) == {"A": "not later than what the key has", "B": "not later than what the key has"}


def test_as_received_a_key_goes_to_repair_when_a_row_was_received_before_what_it_has(spark: SparkSession) -> None:
    tale = Tale("received", [hears("core", "10:00", key_=key, heard_=5) for key in "AB"], "", AS_RECEIVED)
    new = [hears("core", "11:00", key_="A", heard_=4), hears("core", "11:00", key_="B", heard_=5)]
    assert _repaired(spark, tale, new) == {"A": "received before what the key has"}


def test_a_key_goes_to_repair_when_a_row_is_not_later_than_a_load_of_its_source_and_scope(spark: SparkSession) -> None:
    counted = [loads("list", "10:00", "X@EU"), loads("list", "12:00", "Y@US")]
    tale = Tale("loads", counted, "", absence=Complete(), scope=("region",))
    new = [
        hears("list", "11:00", key_="A", region="EU"),
        hears("list", "11:00", key_="B", region="US"),
        hears("list", "11:00", key_="C", name="its scope is not said"),
        hears("core", "11:00", key_="D", region="US"),
    ]
    assert _repaired(spark, tale, new) == {"B": "not later than a load", "C": "not later than a load"}


def test_a_key_goes_to_repair_when_absence_counts_in_a_row(spark: SparkSession) -> None:
    tale = Tale("patient", [loads("list", "10:00", "X")], "", absence=Complete(absences=2))
    new = [hears("list", "11:00", key_="A"), hears("core", "11:00", key_="B")]
    assert _repaired(spark, tale, new) == {"A": "absence counts in a row"}


@pytest.mark.parametrize("first", ["core", "crm"])
def test_of_two_heads_of_one_instant_and_rank_the_later_source_is_inherited_from(spark: SparkSession, first: str) -> None:
    tale = Tale("ranks", [hears("core", "09:00", status="of core"), hears("crm", "09:00", status="of crm")], "")
    entity = replace(entity_with(tale), precedence=())
    heads = head_rows(fold(frame_of(spark, tale), entity=entity)).orderBy(~F.col("source_system").contains(first))
    rows = frame_of(spark, replace(tale, heard=[hears("list", "10:00", name="Jane")]))
    (found,) = continue_from(heads.coalesce(1).localCheckpoint(), rows, entity=entity, few=True).where("name = 'Jane'").collect()
    assert found["status"] == "of crm"


def test_what_is_inherited_from_a_head_whose_source_states_everything_is_what_that_said_last(spark: SparkSession) -> None:
    whole: dict[str, object] = {**{attribute.name: None for attribute in CUSTOMER.attributes}, "status": "Active"}
    tale = Tale("whole", [hears("core", time, "update", **whole) for time in ("09:00", "10:00")], "")
    entity = entity_with(tale)
    (head,) = (heads := head_rows(fold(frame_of(spark, tale), entity=entity)).localCheckpoint()).collect()
    assert (head["seen_count"], head["effective_from"].hour) == (2, 9)
    rows = frame_of(spark, replace(tale, heard=[hears("crm", "11:00", name="Jane")]))
    (found,) = continue_from(heads, rows, entity=entity, few=True).where("name = 'Jane'").collect()
    assert (found["status"], found["origin"]["status"]["event_ts"].hour) == ("Active", 10)


def _repaired(spark: SparkSession, tale: Tale, new: list[Hears]) -> dict[str, str]:
    entity = entity_with(tale)
    heads = head_rows(fold(frame_of(spark, tale), entity=entity))
    rows = frame_of(spark, replace(tale, heard=new))
    headers = table_of(spark, load_rows(tale), LOAD)
    found = needs_repair(rows, heads, headers, entity=entity).join(rows.select("sk", "id").distinct(), ["sk"])
    return {row["id"]: row["why"] for row in found.collect()}


def test_only_rows_that_differ_go_and_come_and_nulls_are_compared(spark: SparkSession) -> None:
    schema = "sk string, source_system string, effective_from int, value string"
    before = spark.createDataFrame([("a", "s", 1, None), ("a", "s", 2, "x"), ("a", "s", 3, "y"), ("b", "s", 1, "z")], schema)
    after = spark.createDataFrame([("a", "s", 1, None), ("a", "s", 2, None), ("a", "s", 3, "y"), ("c", "s", 1, "z")], schema)
    change = difference(before, after)
    order = F.struct("sk", "effective_from")
    assert [tuple(row) for row in change.removed.orderBy(order).collect()] == [("a", "s", 2, "x"), ("b", "s", 1, "z")]
    assert [tuple(row) for row in change.added.orderBy(order).collect()] == [("a", "s", 2, None), ("c", "s", 1, "z")]
