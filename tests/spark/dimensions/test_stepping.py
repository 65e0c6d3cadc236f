"""Short ways to the same versions: one step from the current version, and going on from as few versions as a member needs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from pyspark.sql import DataFrame, SparkSession

from muniment.dimensions.audit import changes_of, refusals_of
from muniment.dimensions.chain import chain_of
from muniment.dimensions.fold import versions_of
from muniment.dimensions.statements import from_log, from_versions, needing_past
from muniment.dimensions.step import BEYOND, STEPPING, step_of, stepped_changes, stepped_versions

from tests.properties import dimension_oracle as oracle
from tests.spark.dimensions.bridge import MEMBER, log_of, moment

_SPLIT = 6  # what is later than this day is new
_STEPPER = replace(MEMBER, columns=tuple(column for column in MEMBER.columns if column.scd in STEPPING))


@dataclass(frozen=True, slots=True)
class Tale:
    """Versions before the news, the news, and what all of it amounts to."""

    before: DataFrame
    news: DataFrame
    statements: DataFrame

    @property
    def chains(self) -> DataFrame:
        return chain_of(self.statements, dimension=_STEPPER)


def _tale(spark: SparkSession, seed: int, *, one_each: bool) -> Tale:
    said = [one for each in oracle.sequences(seed, 1_000).values() for one in each]
    early = [replace(one, seen=one.seen - 10) for one in said if one.at <= _SPLIT]
    late = [one for one in said if one.at > _SPLIT]
    late = list({one.key: one for one in reversed(late)}.values()) if one_each else late
    first, news, both = (from_log(log_of(spark, some), dimension=_STEPPER) for some in (early, late, [*early, *late]))
    return Tale(versions_of(chain_of(first, dimension=_STEPPER), dimension=_STEPPER), news, both)


def test_one_step_changes_and_tells_what_a_fold_of_everything_does(spark: SparkSession) -> None:
    tale = _tale(spark, 7, one_each=True)
    step = step_of(tale.before.where("is_current"), tale.news, dimension=_STEPPER).where(f"NOT {BEYOND}").persist()
    members = {row["id"] for row in step.collect()}
    stepped = {(row["id"], row["effective_from"]): tuple(row) for row in stepped_versions(step, dimension=_STEPPER).collect()}
    held = {(row["id"], row["effective_from"]): tuple(row) for row in tale.before.collect() if row["id"] in members}
    every = {tuple(row) for row in versions_of(tale.chains, dimension=_STEPPER).collect() if row["id"] in members}
    assert set({**held, **stepped}.values()) == every
    told = {row["assertion_id"] for row in stepped_changes(step, dimension=_STEPPER).collect()}
    changes = changes_of(tale.chains, dimension=_STEPPER).unionByName(refusals_of(tale.statements, dimension=_STEPPER)).collect()
    later = moment(_SPLIT).replace(tzinfo=None)
    assert told == {row["assertion_id"] for row in changes if row["id"] in members and row["effective_ts"] > later}
    assert len(members) > 50
    assert len(stepped) > 50
    step.unpersist()


@pytest.mark.parametrize("one_each", [True, False])
def test_a_member_goes_on_from_its_current_version_unless_its_past_changes(spark: SparkSession, one_each: bool) -> None:
    tale = _tale(spark, 8, one_each=one_each)
    heads, closed = tale.before.where("is_current"), tale.before.where("NOT is_current")
    past = needing_past(tale.news, heads, dimension=_STEPPER).select("id")
    touched = heads.join(tale.news.select("id"), "id", "left_semi").unionByName(closed.join(past, "id", "left_semi"))
    going_on = chain_of(from_versions(touched, dimension=_STEPPER).unionByName(tale.news), dimension=_STEPPER)
    names = tale.before.columns
    after = {(row["id"], row["effective_from"]): tuple(row) for row in versions_of(going_on, dimension=_STEPPER).select(names).collect()}
    held = {(row["id"], row["effective_from"]): tuple(row) for row in tale.before.collect()}
    every = {tuple(row) for row in versions_of(tale.chains, dimension=_STEPPER).select(names).collect()}
    assert set({**held, **after}.values()) == every
