"""Two thousand random members in one job: every type as its plain-Python description has it, with late rows, deletes, revivals and repeats."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from muniment.dimensions.chain import chain_of
from muniment.dimensions.fold import past_of, versions_of
from muniment.dimensions.statements import GOING_ON, from_log, from_versions

from tests.properties import dimension_oracle as oracle
from tests.spark.dimensions.bridge import MEMBER, chain, log_of, number, told


@pytest.mark.parametrize(("seed", "count"), [(1, 2_000), pytest.param(2, 20_000, marks=pytest.mark.heavy)])
def test_versions_and_past_values_are_those_of_the_description(spark: SparkSession, seed: int, count: int) -> None:
    members = oracle.sequences(seed, count)
    chains = chain(spark, [one for said in members.values() for one in said]).persist()
    found: dict[str, list[object]] = {}
    rows = versions_of(chains, dimension=MEMBER).orderBy("id", "version").collect()
    for row in rows:
        found.setdefault(row["id"], []).append(told(row))
    for key, said in members.items():
        assert found.get(key, []) == oracle.versions(said), "\n".join(map(str, said))
    archived = {
        (row["id"], number(row["effective_from"]), number(row["effective_to"]), row["note"])
        for row in past_of(chains, dimension=MEMBER).collect()
    }
    assert archived == {line for said in members.values() for line in oracle.past(said)}
    keys = [row["member_key"] for row in rows]
    assert len(set(keys)) == len(keys)
    assert min(keys) > 0
    chains.unpersist()


def test_the_order_in_which_statements_come_changes_nothing_but_what_is_frozen_first(spark: SparkSession) -> None:
    drawn = oracle.sequences(3, 400)
    members = [said for said in drawn.values() if len({one.at for one in said}) == len(said)]
    straight = [one for said in members for one in said]
    turned = [oracle.Said(s.key, s.at, len(said) - s.seen, s.values, s.deleted) for said in members for s in said]
    one, other = (versions_of(chain(spark, said), dimension=MEMBER).drop("born") for said in (straight, turned))
    assert {tuple(row) for row in one.collect()} == {tuple(row) for row in other.collect()}
    assert len(members) > 100


def test_going_on_from_versions_gives_what_all_statements_would(spark: SparkSession) -> None:
    members = oracle.sequences(4, 1_000)
    said = [one for each in members.values() for one in each]
    columns = tuple(column for column in MEMBER.columns if column.scd in GOING_ON)
    member = replace(MEMBER, columns=columns)
    early, late = ([one for one in said if (one.at <= 6) is first] for first in (True, False))
    early = [replace(one, seen=-10 + one.seen) for one in early]  # they came first
    every = versions_of(chain_of(from_log(log_of(spark, [*early, *late]), dimension=member), dimension=member), dimension=member)
    before = versions_of(chain_of(from_log(log_of(spark, early), dimension=member), dimension=member), dimension=member)
    later = from_versions(before, dimension=member).unionByName(from_log(log_of(spark, late), dimension=member))
    going_on = versions_of(chain_of(later, dimension=member), dimension=member)
    assert {tuple(row) for row in going_on.collect()} == {tuple(row) for row in every.collect()}
