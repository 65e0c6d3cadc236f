"""One step on: where each key has one later row that states everything, it says what going on from the heads says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from muniment.evidence.fold import fold
from muniment.evidence.lanes import continue_from, difference
from muniment.evidence.step import heads_met, states_all, step_from
from muniment.model.entity import Deletes, Entity

from tests.properties.generate import SETTINGS, histories
from tests.spark.evidence.bridge import entity_of, log_of
from tests.spark.evidence.test_lanes import before_and_after


def one_whole(rows: DataFrame, heads: DataFrame, entity: Entity) -> DataFrame:
    """One row of each key, made to state everything; a third of them say what their key's current version shows."""
    in_turn = Window.partitionBy("sk").orderBy("source_event_ts", "assertion_id", "ingest_ts", "ingest_run_id")
    first = rows.withColumn("_turn", F.row_number().over(in_turn)).where("_turn = 1").drop("_turn")
    said = [attribute.name for attribute in entity.attributes if attribute.track]
    shown = heads.where("effective_to IS NULL").select("sk", F.struct("source_system", *said).alias("_shown"))
    met = first.join(shown, "sk", "left").withColumn("_again", F.expr("pmod(hash(sk), 3) = 0 AND _shown IS NOT NULL"))
    again = {name: F.expr(f"CASE WHEN _again THEN _shown.{name} ELSE {name} END") for name in ("source_system", *said)}
    whole = {
        "asserted": F.array(*(F.lit(attribute.name) for attribute in entity.attributes)),
        "is_deleted": F.expr("NOT _again AND coalesce(is_deleted, false)"),
    }
    return met.withColumns({**again, **whole}).select(*rows.columns)


@pytest.mark.parametrize("deletes", Deletes)
@pytest.mark.parametrize("name", SETTINGS)
def test_one_step_equals_going_on_from_the_heads(spark: SparkSession, name: str, deletes: Deletes) -> None:
    case = histories(seed=31, count=1000, settings=SETTINGS[name])
    entity = entity_of(case.settings)
    entity = replace(entity, history=replace(entity.history, deletes=deletes))
    old, new = (log_of(spark, rows, entity=entity) for rows in before_and_after(case))
    held = fold(old, entity=entity).where("is_head").localCheckpoint()
    rows = one_whole(new, held, entity).localCheckpoint()
    heads = held.join(rows.select("sk"), "sk", "left_semi")
    assert rows.where(f"NOT ({states_all(entity)})").count() == 0
    stepped = step_from(heads_met(held, rows), rows, entity=entity).localCheckpoint()
    expected = difference(heads, continue_from(heads, rows, entity=entity))

    kinds = {
        "opened": "before IS NULL",
        "again": "after.seen_count > before.seen_count",
        "ended": "before.is_head AND NOT after.is_head",
        "followed": "before.is_current AND after.is_head AND NOT after.is_current",
    }
    seen = stepped.agg(*(F.expr(f"count_if({kind})").alias(name) for name, kind in kinds.items())).collect()[0]
    assert min(seen) > 10, seen
    assert difference(expected.added, stepped.select("after.*")).rows.take(3) == []
    assert difference(expected.removed, stepped.where("before IS NOT NULL").select("before.*")).rows.take(3) == []
