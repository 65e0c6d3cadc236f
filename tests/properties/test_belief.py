"""Random histories through real tables, batch by batch, under random rules: silver is the oracle's after each resolve."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from muniment.columns import OVERRIDE
from muniment.decisions.records import Decision, decide
from muniment.lake.location import Location
from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.model.tables import belief_name
from muniment.steps.believe import belief, belief_history
from muniment.steps.resolve import rebuild_all, resolve
from muniment.steps.timeline import Asked

from tests.properties.generate import ABSENCE_SETTINGS, DAWN, SETTINGS, histories, world
from tests.properties.rulings import overrides, rule_set
from tests.properties.test_derive import feed
from tests.spark.belief.bridge import Beliefs, belief_of, override_rows, read, ruled
from tests.spark.belief.test_against_oracle import explained, wanted
from tests.spark.evidence.bridge import moment, table_of

pytestmark = pytest.mark.heavy  # real tables, thousands of histories: make heavy


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, Location.at(tmp_path / "lake"))


def held(lake: Lake, entity: Entity) -> Beliefs:
    return {read(row, entity=entity) for row in lake.table(belief_name(entity)).read().collect()}


@pytest.mark.parametrize("count", [300, 10_000])
def test_after_every_batch_silver_is_the_oracles_and_known_at_remembers_every_one(lake: Lake, count: int) -> None:
    case, rules = histories(54, count, SETTINGS["plain"]), rule_set(51)
    entity = ruled(case.settings, rules)
    for batch in case.batches:
        feed(lake, entity, batch)
        resolve(lake, entity)
        got, expected = held(lake, entity), wanted(case, rules, known_at=batch.received)
        assert got == expected, explained(case, rules, got, expected)
    assert len(case.batches) > 1
    for batch in case.batches:
        asked = Asked(entity, known_at=moment(batch.received))
        assert {read(row, entity=entity) for row in belief_history(lake, asked).collect()} == wanted(case, rules, known_at=batch.received)
    rng = Random(52)
    for at in (DAWN + rng.randint(0, 9) for _ in range(4)):  # instants are whole numbers here, so most are exact boundaries
        answered = belief(lake, Asked(entity, as_of=moment(at)), include_deleted=True).collect()
        holding = {line for line in wanted(case, rules) if line[1] <= at and (line[2] is None or line[2] > at)}  # type: ignore[operator]
        assert {read(row, entity=entity) for row in answered} == holding
    rebuild_all(lake, entity)
    assert held(lake, entity) == wanted(case, rules)


@pytest.mark.parametrize("count", [300, 10_000])
def test_after_a_change_of_rules_and_of_overrides_silver_is_that_of_the_new_ones(lake: Lake, count: int) -> None:
    case, rules, others = histories(53, count, SETTINGS["close"]), rule_set(53), rule_set(54)
    entity = ruled(case.settings, rules)
    feed(lake, entity, case.batches[0])
    resolve(lake, entity)
    given = overrides(55, {s.key for s in case.statements})
    rows = override_rows(given)
    lake.table("ops.override").append(table_of(lake.spark, rows[: len(rows) // 2], OVERRIDE))
    for batch in case.batches[1:]:
        feed(lake, entity, batch)
    resolve(lake, entity)
    lake.table("ops.override").append(table_of(lake.spark, rows[len(rows) // 2 :], OVERRIDE))
    resolve(lake, entity)
    assert held(lake, entity) == wanted(case, rules, given)
    changed = replace(entity, belief=belief_of(others))
    resolve(lake, changed)
    assert held(lake, changed) == wanted(case, others, given)


@pytest.mark.parametrize("name", ["scoped", "patient"])
def test_complete_loads_in_any_order_give_the_oracles_belief(lake: Lake, name: str) -> None:
    case, rules = world(58, 60, ABSENCE_SETTINGS[name]), rule_set(58)
    entity = ruled(case.settings, rules)
    for batch in case.batches:
        feed(lake, entity, batch)
        resolve(lake, entity)
    decisions = [Decision(load, "accept", entity.name, load, "ann", "seen", at) for load, at in case.accepted.items()]
    decide(lake, decisions, run_id="accepting")
    resolve(lake, entity)
    got, expected = held(lake, entity), wanted(case, rules)
    assert got == expected, explained(case, rules, got, expected)
