"""Entities of many attributes: what Spark's optimiser concludes from a plan grows with its columns, not with their combinations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from muniment.evidence.fold import fold
from muniment.evidence.lanes import continue_from, difference
from muniment.evidence.step import step_from
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.entity import Entity
from muniment.model.tables import history_columns, log_columns

from tests.spark.evidence.bridge import table_of

CONSTRAINTS = "spark.sql.constraintPropagation.enabled"


@pytest.fixture
def concluding(spark: SparkSession) -> Iterator[SparkSession]:
    """A session that concludes all it can, as one that a user brings does; Muniment's own does not."""
    before = spark.conf.get(CONSTRAINTS)
    spark.conf.set(CONSTRAINTS, "true")
    yield spark
    spark.conf.set(CONSTRAINTS, str(before))


def entity_of(attributes: int) -> Entity:
    return Entity("wide", (KeyPart("id", "string"),), tuple(Attribute(f"a{number}", "string") for number in range(attributes)))


def most_conclusions(frame: DataFrame) -> int:
    """The most that is concluded for any node of the plan."""

    def of(node: Any) -> int:
        below = [of(node.children().apply(place)) for place in range(node.children().size())]
        return max([int(node.validConstraints().size()), *below])

    return of(frame._jdf.queryExecution().analyzed())


def going_on(spark: SparkSession, entity: Entity) -> DataFrame:
    heads, news = (table_of(spark, [], columns) for columns in (history_columns(entity), log_columns(entity)))
    return difference(heads, continue_from(heads, news, entity=entity)).rows


def stepping(spark: SparkSession, entity: Entity) -> DataFrame:
    heads, news = (table_of(spark, [], columns) for columns in (history_columns(entity), log_columns(entity)))
    return step_from(heads, news, entity=entity)


def folding(spark: SparkSession, entity: Entity) -> DataFrame:
    return fold(table_of(spark, [], log_columns(entity)), entity=entity)


@pytest.mark.parametrize("plan", [going_on, stepping, folding])
def test_conclusions_do_not_multiply_with_attributes(concluding: SparkSession, plan: Any) -> None:
    few, many = (most_conclusions(plan(concluding, entity_of(attributes))) for attributes in (3, 9))
    assert few > 0
    assert many <= 4 * few  # three times the attributes; each of them doubled it once
