"""The shop whose events were recorded, at the gate without a lake: lines go in, judged rows come out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from muniment.arrival.debezium import events
from muniment.arrival.place import Place, at_place
from muniment.config import parse_entity
from muniment.gate.examine import Receipt, examine
from muniment.gate.fields import Fields
from muniment.gate.rows import PATH, TEXT
from muniment.gate.verdict import judge
from muniment.model.entity import Entity

SAMPLES = Path(__file__).parent / "samples"
RECEIVED = datetime(2026, 11, 16, tzinfo=UTC)
_READ = {"read": {"format": "debezium", "path": "landing/shop"}}
CUSTOMER: dict[str, Any] = {
    "entity": "customer",
    "key": {"id": "long"},
    "attributes": {"name": "string", "email": "string", "balance": "decimal(12,2)", "created": "timestamp", "tier": "string"},
    "sources": {"shop": _READ},
}
ORDER: dict[str, Any] = {
    "entity": "order",
    "key": {"id": "long"},
    "attributes": {
        "customer_id": "int", "status": "string", "qty": "long", "amount": "decimal(10,2)", "note": "string", "big": "string",
        "ts": "timestamp", "tstz": "timestamp", "d": "date", "j": "string", "u": "string", "arr": "array<int>", "b": "binary", "f": "double",
        "flag": "boolean",
    },
    "sources": {"shop": _READ},
}  # fmt: skip
PAIR: dict[str, Any] = {"entity": "pair", "key": {"a": "long"}, "attributes": {"b": "string"}, "sources": {"shop": _READ}}


def reading(entity: dict[str, Any], **options: str) -> dict[str, Any]:
    """The same with options of the connector."""
    return {**entity, "sources": {"shop": {"read": {**_READ["read"], "options": options}}}}


def sample(name: str) -> list[dict[str, Any]]:
    """The records of a recorded file."""
    found = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return found if isinstance(found, list) else [found]


def judged(spark: SparkSession, entity: dict[str, Any], lines: Iterable[str | Mapping[str, Any]]) -> list[Row]:
    """What the gate says of lines, in their order."""
    numbered = [(line if isinstance(line, str) else json.dumps(line), number) for number, line in enumerate(lines)]
    return gate(spark.createDataFrame(numbered, f"{TEXT} string, number int").coalesce(1), parse_entity(entity)).collect()


def judged_cases(
    spark: SparkSession, entity: dict[str, Any], cases: Mapping[str, Iterable[str | Mapping[str, Any]]]
) -> dict[str, list[Row]]:
    """What the gate says of the lines of many cases, in one look."""
    lines = [(line if isinstance(line, str) else json.dumps(line), name) for name, case in cases.items() for line in case]
    frame = spark.createDataFrame(lines, f"{TEXT} string, case string").coalesce(1)
    placed = at_place(frame, Place("shop", "shop")).withColumn(PATH, F.col("case"))
    rows = judge_lines(placed, parse_entity(entity)).collect()
    return {name: [row for row in rows if row[PATH] == name] for name in cases}


def gate(lines: DataFrame, entity: Entity) -> DataFrame:
    """Lines through the gate."""
    return judge_lines(at_place(lines, Place(entity.name, entity.sources[0].name)), entity)


def judge_lines(lines: DataFrame, entity: Entity) -> DataFrame:
    """Lines that have a place, through the gate."""
    source = entity.sources[0]
    rows = events(lines, fields=Fields(entity, source))
    return judge(examine(rows, entity=entity, source=source, receipt=Receipt("run", RECEIVED)), entity=entity, source=source)
