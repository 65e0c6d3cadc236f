"""An entity at the gate, without a lake: rows go in, judged rows come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession

from muniment.arrival.given import from_dicts, from_frame
from muniment.arrival.place import Place
from muniment.gate.examine import Receipt, examine
from muniment.gate.rows import Rows
from muniment.gate.verdict import judge
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.entity import Entity
from muniment.model.source import ColumnTime, LoadType, Ops, Source

RECEIVED = datetime(2026, 3, 5, 12, tzinfo=UTC)
PLACE = Place("thing", "events", datetime(2026, 3, 4, tzinfo=UTC))
THING = Entity(
    "thing",
    key=(KeyPart("id", "bigint"), KeyPart("line", "string")),
    attributes=(
        Attribute("name", "string"),
        Attribute("size", "int"),
        Attribute("price", "decimal(6,2)"),
        Attribute("born", "date"),
        Attribute("tags", "array<string>"),
        Attribute("parts", "struct<a:int,at:timestamp>"),
    ),
)
EVENTS = Source(
    "events",
    load=LoadType.PARTIAL,
    event_time=ColumnTime("updated_at"),
    sequence=("lsn",),
    op=Ops("op", insert=("c",), update=("u",), delete=("d",)),
)
WHOLE = Source("whole", load=LoadType.CHANGES, event_time=ColumnTime("updated_at"))
GOOD: dict[str, Any] = {"id": 1, "line": "a", "updated_at": "2026-03-01T09:00", "op": "u"}


def gate(rows: Rows, *, source: Source = EVENTS, entity: Entity = THING) -> DataFrame:
    examined = examine(rows, entity=entity, source=source, receipt=Receipt("run", RECEIVED))
    return judge(examined, entity=entity, source=source)


def judged_dicts(spark: SparkSession, dicts: Sequence[dict[str, Any]], *, source: Source = EVENTS, entity: Entity = THING) -> list[Row]:
    return gate(from_dicts(spark, dicts, place=PLACE), source=source, entity=entity).collect()


def judged_frame(frame: DataFrame, *, source: Source = EVENTS, entity: Entity = THING) -> list[Row]:
    return gate(from_frame(frame, place=PLACE), source=source, entity=entity).collect()


def but(**changes: Any) -> Source:
    return replace(EVENTS, **changes)


@contextmanager
def session(spark: SparkSession, **settings: str) -> Iterator[None]:
    """Session settings for a while: zone, ansi, case."""
    names = {"zone": "spark.sql.session.timeZone", "ansi": "spark.sql.ansi.enabled", "case": "spark.sql.caseSensitive"}
    before = {names[name]: str(spark.conf.get(names[name])) for name in settings}
    for name, value in settings.items():
        spark.conf.set(names[name], value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
