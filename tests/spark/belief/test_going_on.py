"""Going on from heads and open intervals equals resolving everything, and a key that cannot go on is named."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from muniment.belief.going_on import Standing, go_on, needs_past
from muniment.belief.resolution import resolve
from muniment.evidence.fold import fold
from muniment.evidence.lanes import difference
from muniment.model.belief import Belief

from tests.properties.generate import SETTINGS, histories
from tests.properties.rulings import rule_set
from tests.spark.belief.bridge import belief_of, ruled
from tests.spark.evidence.bridge import log_of
from tests.spark.evidence.test_lanes import before_and_after, head_rows


@pytest.mark.parametrize(("name", "seed"), [("plain", 61), pytest.param("close", 62, marks=pytest.mark.heavy)])
def test_going_on_equals_resolving_everything(spark: SparkSession, name: str, seed: int) -> None:
    case, rules = histories(seed, 600, SETTINGS[name]), rule_set(seed)
    entity = ruled(case.settings, rules)
    assert entity.belief == belief_of(rules) != Belief()
    old, new = (log_of(spark, rows, entity=entity).persist() for rows in before_and_after(case))
    touched = new.select("sk").distinct()
    heads = head_rows(fold(old, entity=entity)).join(touched, "sk", "left_semi")
    silver = resolve(old, None, entity=entity, version=1).persist()
    standing = Standing(heads, silver.where("effective_to IS NULL").join(touched, "sk", "left_semi"))
    past = needs_past(standing, entity=entity).distinct().persist()
    kept = touched.join(past, "sk", "left_anti")
    going = Standing(*(each.join(kept, "sk", "left_semi") for each in (standing.heads, standing.held)))
    went_on = go_on(going, new.join(kept, "sk", "left_semi"), entity=entity, version=1)
    closed = silver.where("effective_to IS NOT NULL").join(kept, "sk", "left_semi")
    expected = resolve(old.unionByName(new), None, entity=entity, version=1).join(kept, "sk", "left_semi")
    assert difference(went_on.unionByName(closed), expected, identity=("sk", "effective_from")).rows.take(1) == []
    assert kept.count() > past.count() > 0
    for frame in (old, new, silver, past):
        frame.unpersist()
