"""Thousands of random histories in one job each: the same timeline as the plain-Python specification gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment.evidence.absence import gone
from muniment.evidence.fold import fold
from muniment.evidence.order import collisions, known_at, suspected
from muniment.model.entity import Entity

from tests.properties.failing import explained
from tests.properties.generate import ABSENCE_SETTINGS, HEARD, SETTINGS, Case, colliding_keys, histories, only, rearranged, world
from tests.properties.oracle import collisions as oracle_collisions
from tests.spark.evidence.bridge import accepted_of, entity_of, loads_of, log_of, micros, moment, read, told

Timeline = set[tuple[object, ...]]
PROVENANCE = ("first_seen_ts", "last_seen_ts", "ingest_ts", "ingest_run_id", "last_order")  # what follows from receipts (R8)


def evidence_of(spark: SparkSession, case: Case, *, entity: Entity) -> DataFrame:
    log = log_of(spark, case.statements, entity=entity)
    absences = gone(log, loads_of(spark, case.loads), accepted_of(spark, case.accepted), entity=entity)
    return log.drop("salt", "row_digest").unionByName(absences)


def timeline(assertions: DataFrame, *, entity: Entity) -> Timeline:
    return {read(row, entity=entity) for row in fold(assertions, entity=entity).collect()}


def check(spark: SparkSession, case: Case) -> None:
    """The fold of a case is the oracle's; one that is not is told as small as it can be made."""
    entity = entity_of(case.settings)

    def both(of: Case) -> tuple[Timeline, Timeline]:
        return timeline(evidence_of(spark, of, entity=entity), entity=entity), {told(version) for version in of.timeline()}

    def fails(of: Case) -> bool:
        found, expected = both(of)
        return found != expected

    found, expected = both(case)
    assert found == expected, explained(case, found, expected, fails=fails)


@pytest.mark.parametrize("name", SETTINGS)
def test_the_fold_gives_the_timeline_of_the_specification(spark: SparkSession, name: str) -> None:
    check(spark, histories(seed=11, count=1500, settings=SETTINGS[name]))


def test_in_how_many_places_keys_are_gathered_changes_nothing(spark: SparkSession) -> None:
    case = histories(seed=16, count=300, settings=SETTINGS["plain"])
    entity = entity_of(case.settings)
    versions = fold(evidence_of(spark, case, entity=entity), entity=entity, places=7)
    assert versions.rdd.getNumPartitions() == 7
    found = {read(row, entity=entity) for row in versions.coalesce(3).collect()}
    assert found == {told(version) for version in case.timeline()}


@pytest.mark.parametrize("name", ABSENCE_SETTINGS)
def test_with_absence_the_fold_gives_the_timeline_of_the_specification(spark: SparkSession, name: str) -> None:
    case = world(seed=12, keys=150, settings=ABSENCE_SETTINGS[name])
    assert any(version.seen_count == 0 for version in case.timeline())  # there is absence in it
    check(spark, case)


def test_what_was_known_at_a_moment_is_the_fold_of_what_had_been_received_by_then(spark: SparkSession) -> None:
    case = histories(seed=13, count=500, settings=SETTINGS["plain"])
    entity, then = entity_of(case.settings), HEARD + 2
    found = timeline(known_at(log_of(spark, case.statements, entity=entity), moment(then)), entity=entity)
    assert found == {told(version) for version in case.timeline(known_at=then)}


def test_arrival_order_and_batching_never_matter(spark: SparkSession) -> None:
    drawn = histories(seed=14, count=500, settings=SETTINGS["plain"])
    case = only(drawn, {s.key for s in drawn.statements} - colliding_keys(drawn))
    entity = entity_of(case.settings)
    one, other = (fold(log_of(spark, c.statements, entity=entity), entity=entity).drop(*PROVENANCE) for c in (case, rearranged(case, 15)))
    assert one.count() > 500
    assert one.exceptAll(other).count() == 0
    assert other.exceptAll(one).count() == 0


def test_fifty_arrival_orders_and_batchings_of_two_hundred_histories_give_one_timeline_each(spark: SparkSession) -> None:
    drawn = histories(seed=17, count=400, settings=SETTINGS["plain"])
    case = only(drawn, {s.key for s in drawn.statements} - colliding_keys(drawn))
    entity = entity_of(case.settings)
    copies = [replace(s, key=f"{order}/{s.key}") for order in range(50) for s in rearranged(case, order).statements]
    versions = fold(log_of(spark, copies, entity=entity), entity=entity).withColumn("_key", F.substring_index("sk", "/", -1))
    told = versions.drop("sk", *(part.name for part in entity.key), *PROVENANCE)
    counted = told.groupBy(*told.columns).count()
    assert counted.select("_key").distinct().count() >= 200
    assert counted.where("count != 50").count() == 0


def test_collisions_are_the_rows_that_no_sequence_orders(spark: SparkSession) -> None:
    case = histories(seed=16, count=300, settings=SETTINGS["plain"])
    found = collisions(log_of(spark, case.statements, entity=entity_of(case.settings))).collect()
    expected = oracle_collisions(case.statements)
    assert expected
    assert sorted({(row["sk"], row["source_system"], micros(row["source_event_ts"])) for row in found}) == expected


def test_wherever_rows_collide_a_place_is_suspected_and_where_a_source_says_one_thing_none_is(spark: SparkSession) -> None:
    case = histories(seed=16, count=300, settings=SETTINGS["plain"])
    entity, colliding = entity_of(case.settings), only(case, colliding_keys(case)).statements
    one_each = list({(s.key, s.source, s.at): s for s in case.statements}.values())
    assert suspected(log_of(spark, colliding, entity=entity)).count() >= len(oracle_collisions(colliding)) > 0
    assert suspected(log_of(spark, one_each, entity=entity)).isEmpty()
