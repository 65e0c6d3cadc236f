"""Random histories through real tables, batch by batch: the history is the oracle's after each derive, whatever lane its keys took."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from muniment.decisions.records import Decision, decide
from muniment.lake.location import Location
from muniment.lake.tables import Lake
from muniment.ledger.chain import linked
from muniment.ledger.runs import Run, record
from muniment.model.entity import Entity
from muniment.model.tables import history_name, load_name, log_name
from muniment.steps.derive import derive, rebuild
from muniment.steps.results import Derived
from muniment.steps.stores import ensure_stores
from muniment.steps.timeline import Asked, history

from tests.properties.failing import explained
from tests.properties.generate import ABSENCE_SETTINGS, SETTINGS, Batch, Case, backwards, histories, world
from tests.spark.evidence.bridge import entity_of, loads_of, log_of, moment, read, told

pytestmark = pytest.mark.heavy  # thousands of histories through real tables: make heavy

Timeline = set[tuple[object, ...]]


def feed(lake: Lake, entity: Entity, batch: Batch) -> None:
    """What `land` leaves behind for a batch."""
    ensure_stores(lake, entity)
    log = lake.table(log_name(entity))
    rows = log_of(lake.spark, batch.statements, entity=entity)
    log.append(rows, metadata=linked({"run": batch.run}, log))
    if batch.loads:
        lake.table(load_name(entity)).append(
            loads_of(lake.spark, batch.loads).withColumn("ingest_run_id", F.lit(batch.run)), metadata={"run": batch.run}
        )
    record(lake, Run(batch.run, "land", entity.name))


def held(lake: Lake, entity: Entity) -> Timeline:
    return {read(row, entity=entity) for row in lake.table(history_name(entity)).read().collect()}


def expected(case: Case, known_at: int | None = None) -> Timeline:
    return {told(version) for version in case.timeline(known_at=known_at)}


def again(lake: Lake, case: Case) -> bool:
    """Does a case fail in a lake of its own, all batches one after the other?"""
    entity = entity_of(case.settings)
    other = Lake(lake.spark, Location.at(Path(tempfile.mkdtemp(prefix="muniment-again-")) / "lake"))
    for batch in case.batches:
        feed(other, entity, batch)
        derive(other, entity)
    return held(other, entity) != expected(case)


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, Location.at(tmp_path / "lake"))


def _check(lake: Lake, case: Case, *, known_at: int | None) -> None:
    entity = entity_of(case.settings)
    found, wanted = held(lake, entity), expected(case, known_at)
    assert found == wanted, explained(case, found, wanted, fails=partial(again, lake), tries=40)


@pytest.mark.parametrize(
    ("name", "count"), [("plain", 1_000), ("as_received", 200), pytest.param("plain", 10_000, marks=pytest.mark.heavy)]
)
def test_after_every_batch_the_history_is_the_oracles(lake: Lake, name: str, count: int) -> None:
    case = histories(seed=21, count=count, settings=SETTINGS[name])
    entity = entity_of(case.settings)
    done: list[Derived] = []
    for batch in case.batches:
        feed(lake, entity, batch)
        done.append(derive(lake, entity))
        _check(lake, case, known_at=batch.received)
    assert len(case.batches) > 1
    if count <= 1_000:  # more repairs than may be named: all keys are folded again
        assert any(0 < each.repaired < each.keys for each in done)  # both lanes were taken, in one derive
    for batch in case.batches:
        remembered = {read(row, entity=entity) for row in history(lake, Asked(entity, known_at=moment(batch.received))).collect()}
        assert remembered == expected(case, batch.received)
    rebuild(lake, entity)
    _check(lake, case, known_at=None)


@pytest.mark.parametrize("count", [300, 10_000])
def test_every_batch_through_the_repair_lane_gives_the_oracles_history(lake: Lake, count: int) -> None:
    case = backwards(histories(seed=25, count=count, settings=SETTINGS["plain"]))
    entity, before = entity_of(case.settings), set[str]()
    for batch in case.batches:
        feed(lake, entity, batch)
        done, here = derive(lake, entity), {s.key for s in batch.statements}
        assert done.repaired >= len(here & before)  # every key that was there, and at one instant those of several sources
        before |= here
    _check(lake, case, known_at=None)


@pytest.mark.parametrize("count", [300, 10_000])
def test_landing_every_batch_twice_changes_counts_and_nothing_else(lake: Lake, count: int) -> None:
    case = histories(seed=22, count=count, settings=SETTINGS["plain"])
    entity = entity_of(case.settings)
    twice = [each for n, batch in enumerate(case.batches) for each in (batch, _again(batch, n))]
    for batch in twice:
        feed(lake, entity, batch)
        derive(lake, entity)
    _check(lake, replace(case, batches=tuple(twice)), known_at=None)


def test_a_derive_with_nothing_new_commits_nothing(lake: Lake) -> None:
    case = histories(seed=23, count=20, settings=SETTINGS["plain"])
    entity = entity_of(case.settings)
    feed(lake, entity, case.batches[0])
    derive(lake, entity)
    version = lake.table(history_name(entity)).version()
    assert derive(lake, entity).changed == 0
    assert lake.table(history_name(entity)).version() == version


@pytest.mark.parametrize("name", ["scoped", "patient"])
def test_complete_loads_in_any_order_give_the_oracles_history(lake: Lake, name: str) -> None:
    case = world(seed=24, keys=120, settings=ABSENCE_SETTINGS[name])
    entity = entity_of(case.settings)
    for batch in case.batches:
        feed(lake, entity, batch)
        derive(lake, entity)
    decisions = [Decision(load, "accept", entity.name, load, "ann", "seen", at) for load, at in case.accepted.items()]
    decide(lake, decisions, run_id="accepting")
    derive(lake, entity)
    _check(lake, case, known_at=None)


def _again(batch: Batch, number: int) -> Batch:
    run = f"again{number:03d}"
    return replace(batch, run=run, statements=tuple(replace(s, run=run) for s in batch.statements), loads=())
