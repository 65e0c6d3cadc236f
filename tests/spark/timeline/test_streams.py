"""A stream over files: the same tables as without one, whatever its batches, its restarts and its bad messages are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from shutil import rmtree
from textwrap import dedent

import pytest
from pyspark.sql import functions as F

from muniment import clock
from muniment.arrival.errors import ConnectorMissing
from muniment.config import load_project
from muniment.lake.jars import SCALA
from muniment.lake.session import defaults, merge
from muniment.model.settings import SettingMissing
from muniment.project import Project
from muniment.steps.errors import NothingToStream, StreamRefused
from muniment.steps.results import Landed

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.test_change_streams import event, tombstone

SHOP = """
entity: {name}
key: {{id: string}}
attributes: {{name: string, bio: string}}
sources:
  shop: {{read: {{format: debezium, path: landing}}}}
"""
NAMELESS = "entity: nameless\nkey: {id: string}\nsources: {shop: {read: {format: debezium, path: landing}, stable_key: false}}\n"
TOPIC = "entity: topic\nkey: {id: string}\nsources: {shop: {read: {format: debezium, kafka: {use: core, topic: shop.customers}}}}\n"
PLACELESS = "entity: placeless\nkey: {id: string}\nsources: {crm: {load: changes}}\n"
SIZES = {"by_one": 1, "by_two": 2, "by_three": 3}
FILES: list[list[object]] = [
    [event("a", "09:00", 1, "c", name="A"), event("b", "09:00", 2, "c", name="B"), event("c", "09:10", 9, name="late"), "no json"],
    [event("a", "09:05", 3, name="A2"), event("b", "09:06", 4, "d"), tombstone("b"), {"op": "c", "nonsense": True}],
    [event("b", "09:00", 2, "c", name="B"), event("c", "09:08", 8, "c", name="early"), event("d", "09:20", 20, "r", name="D")],
]


def put(project: Project, name: str, records: Sequence[object]) -> None:
    folder = project.model.root / "landing"
    folder.mkdir(exist_ok=True)
    lines = (line if isinstance(line, str) else json.dumps(line) for line in records)
    (folder / name).write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def shop(make: Make) -> Project:
    """One entity without a stream and one for each size of a batch, all over the same files."""
    project = make(*(SHOP.format(name=name) for name in ("at_once", *SIZES)))
    for number, records in enumerate(FILES):
        put(project, f"part {number}%.json", records)
    project.land("at_once", "shop")
    project.derive("at_once")
    return project


def story(project: Project, name: str) -> tuple[list[object], list[object]]:
    """The history and the quarantine, without what says which run it was."""
    columns = ["id", "effective_from", "effective_to", "name", "bio", "is_deleted", "is_current", "seen_count"]
    aside = project.quarantine(name).select("reason", "detail", "raw", "source_file")
    return sorted(project.history(name).select(*columns).collect(), key=str), sorted(aside.collect(), key=str)


def landed(batches: list[Landed]) -> tuple[int, ...]:
    return tuple(sum(getattr(each, name) for each in batches) for name in ("received", "landed", "quarantined", "ignored"))


@pytest.mark.parametrize("name", [pytest.param("by_one", marks=pytest.mark.heavy), "by_two", "by_three"])
def test_a_stream_gives_the_tables_that_one_landing_gives(shop: Project, name: str) -> None:
    stream = shop.stream(name, available_now=True, max_files=SIZES[name])
    assert len(stream.batches) == -(-len(FILES) // SIZES[name])
    assert landed([batch.landed for batch in stream.batches]) == (11, 8, 2, 1)  # bad messages stop nobody
    assert story(shop, name) == story(shop, "at_once")


def test_a_stream_goes_on_where_it_was_and_a_lost_checkpoint_doubles_nothing(shop: Project) -> None:
    before = story(shop, "by_three")
    assert shop.stream("by_three", available_now=True).batches == []
    rmtree(shop.model.root / "lake" / "_streams" / "by_three")
    (again,) = shop.stream("by_three", available_now=True).batches
    assert (again.landed.received, again.landed.skipped) == (0, 3)
    assert story(shop, "by_three") == before


def test_a_stop_ends_after_the_batch_at_hand_and_what_came_since_waits(shop: Project) -> None:
    stream = shop.stream("by_three")
    put(shop, "later.json", [event("e", "10:00", 30, "c", name="E")])
    end = clock.stopwatch() + 120
    while not stream.batches and clock.stopwatch() < end:
        assert stream.wait(0.5) is False
    stream.stop()
    assert stream.wait() is True
    put(shop, "last.json", [event("e", "11:00", 31, name="E2")])
    (batch,) = shop.stream("by_three", available_now=True).batches
    assert (batch.landed.landed, batch.landed.skipped) == (1, 0)
    names = shop.history("by_three", key="e").orderBy("effective_from").select("name").collect()
    assert [row["name"] for row in names] == ["E", "E2"]
    runs = shop.runs("by_three").where(F.col("batch_id").isNotNull()).select("batch_id").collect()
    assert len({row["batch_id"] for row in runs}) == len(runs) == 3


def test_a_source_that_the_gate_rejects_does_not_start(make: Make) -> None:
    project = make(NAMELESS, PLACELESS)
    with pytest.raises(StreamRefused, match="no stable business key"):
        project.stream("nameless")
    with pytest.raises(NothingToStream, match="crm"):
        project.stream("placeless")


def test_what_a_topic_needs_is_said(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make(TOPIC, connections="connections: {core: {servers: {env: SHOP_KAFKA}}}\n")
    monkeypatch.delenv("SHOP_KAFKA", raising=False)
    with pytest.raises(SettingMissing, match="SHOP_KAFKA"):
        project.stream("topic")
    monkeypatch.setenv("SHOP_KAFKA", "localhost:9092")
    with pytest.raises(ConnectorMissing, match=r"the topic .* cannot be read: Spark has no connector for Kafka here") as missing:
        project.stream("topic")
    advice = str(missing.value).splitlines()
    lines = [line for line in advice if line.startswith("    ")]
    place = project.model.root / "muniment.yml"
    place.write_text(place.read_text(encoding="utf-8") + dedent("\n".join(lines)) + "\n", encoding="utf-8")
    package = f"org.apache.spark:spark-sql-kafka-0-10_{SCALA}:{project.spark.version}"
    assert load_project(place).spark == {"spark.jars.packages": package}  # the lines as they are told
    assert merge(defaults(), load_project(place).spark)["spark.jars.packages"].split(",")[1:] == [package]  # beside Delta's own
