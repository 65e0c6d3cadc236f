"""A part of the random tests, for judging quickly: some keys of the very same cases, so that what fails here fails there.

Not collected with the tests; `verdict.py` names this file.
"""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from muniment.evidence.fold import fold
from muniment.evidence.lanes import continue_from

from tests.properties.generate import SETTINGS, Case, histories, only
from tests.spark.evidence.bridge import entity_of, log_of, told
from tests.spark.evidence.test_against_oracle import timeline
from tests.spark.evidence.test_lanes import assert_same, before_and_after, head_rows

SOME = 250


def some_of(case: Case) -> Case:
    """The first keys of a case whose keys do not touch each other."""
    return only(case, sorted({s.key for s in case.statements})[:SOME])


@pytest.mark.parametrize("name", SETTINGS)
def test_the_fold_gives_the_timeline_of_the_specification_for_some_keys(spark: SparkSession, name: str) -> None:
    case = some_of(histories(seed=11, count=1500, settings=SETTINGS[name]))
    entity = entity_of(case.settings)
    found = timeline(log_of(spark, case.statements, entity=entity), entity=entity)
    assert found == {told(version) for version in case.timeline()}


@pytest.mark.parametrize("name", SETTINGS)
def test_going_on_from_the_heads_equals_folding_everything_for_some_keys(spark: SparkSession, name: str) -> None:
    case = some_of(histories(seed=21, count=1000, settings=SETTINGS[name]))
    entity = entity_of(case.settings)
    old, new = (log_of(spark, rows, entity=entity) for rows in before_and_after(case))
    history = fold(old, entity=entity).localCheckpoint()
    went_on = continue_from(head_rows(history), new, entity=entity).unionByName(history.where("not is_head"))
    assert_same(went_on, fold(old.unionByName(new), entity=entity))
