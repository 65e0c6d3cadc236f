"""Thousands of random histories under random rules, one job each: the same belief over time as the plain-Python specification gives."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pyspark.sql import DataFrame, SparkSession

from muniment.belief.resolution import resolve
from muniment.evidence.order import known_at
from muniment.model.entity import Entity

from tests.properties.belief_oracle import Override, Rules, beliefs, in_force
from tests.properties.failing import story
from tests.properties.generate import ABSENCE_SETTINGS, SETTINGS, Case, colliding_keys, histories, only, rearranged, world
from tests.properties.oracle import assertions
from tests.properties.rulings import overrides, rule_set
from tests.spark.belief.bridge import Beliefs, overrides_of, read, ruled, told
from tests.spark.evidence.bridge import log_of, moment
from tests.spark.evidence.test_against_oracle import evidence_of


def wanted(case: Case, rules: Rules, given: Sequence[Override] = (), known_at: int | None = None) -> Beliefs:
    said = assertions(case.statements, case.settings, loads=case.loads, accepted=case.accepted, known_at=known_at)
    return {told(interval) for interval in beliefs(said, case.settings, rules, in_force(given, known_at))}


def found(rows: DataFrame, *, entity: Entity, given: DataFrame | None = None) -> Beliefs:
    return {read(row, entity=entity) for row in resolve(rows, given, entity=entity, version=1).collect()}


def explained(case: Case, rules: Rules, got: Beliefs, expected: Beliefs) -> str:
    wrong = sorted(str(line[0]) for line in got ^ expected)
    if not wrong:
        return ""
    lines = [
        f"{name}\n  " + "\n  ".join(str(x) for x in sorted(side, key=str) if x[0] == wrong[0])
        for name, side in (("found", got), ("wanted", expected))
    ]
    return "\n".join([story(only(case, {wrong[0]})), str(rules), *lines])


@pytest.mark.parametrize(
    ("seed", "count"),
    [(31, 500), (32, 500), *(pytest.param(seed, 2_000, marks=pytest.mark.heavy) for seed in range(40, 45))],
)
def test_belief_over_time_is_that_of_the_specification(spark: SparkSession, seed: int, count: int) -> None:
    case, rules = histories(seed, count, SETTINGS["plain"]), rule_set(seed)
    given = overrides(seed, {s.key for s in case.statements})
    entity = ruled(case.settings, rules)
    log = log_of(spark, case.statements, entity=entity)
    got = found(log, entity=entity, given=overrides_of(spark, given, entity=entity))
    expected = wanted(case, rules, given)
    assert got == expected, explained(case, rules, got, expected)


def test_with_absence_belief_over_time_is_that_of_the_specification(spark: SparkSession) -> None:
    case, rules = world(33, 150, ABSENCE_SETTINGS["scoped"]), rule_set(33)
    entity = ruled(case.settings, rules)
    got, expected = found(evidence_of(spark, case, entity=entity), entity=entity), wanted(case, rules)
    assert got == expected, explained(case, rules, got, expected)


@pytest.mark.parametrize(("seed", "count"), [(34, 300), pytest.param(35, 10_000, marks=pytest.mark.heavy)])
def test_at_every_batch_boundary_belief_is_what_follows_from_what_had_been_received(spark: SparkSession, seed: int, count: int) -> None:
    case, rules = histories(seed, count, SETTINGS["plain"]), rule_set(34)
    given = overrides(34, {s.key for s in case.statements})
    entity = ruled(case.settings, rules)
    log = log_of(spark, case.statements, entity=entity).persist()
    assert len(case.batches) > 2
    for batch in case.batches:
        then = batch.received
        held = overrides_of(spark, given, entity=entity, known_at=then)
        assert found(known_at(log, moment(then)), entity=entity, given=held) == wanted(case, rules, given, then)
    log.unpersist()


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.heavy)])
def test_belief_is_the_same_in_any_order_of_arrival(spark: SparkSession, count: int) -> None:
    drawn, rules = histories(35, count, SETTINGS["plain"]), rule_set(35)
    case = only(drawn, {s.key for s in drawn.statements} - colliding_keys(drawn))
    entity = ruled(case.settings, rules)
    one, other = (found(log_of(spark, c.statements, entity=entity), entity=entity) for c in (case, rearranged(case, 36)))
    assert one == other
    assert len(one) > count
