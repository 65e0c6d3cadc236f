"""The oracle's statements in Spark's words, and versions as the oracle has them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession

from muniment.dimensions.chain import chain_of
from muniment.dimensions.statements import from_log
from muniment.model.attribute import KeyPart
from muniment.model.dimension import Dimension, OpenEnd, ScdColumn

from tests.properties.dimension_oracle import COLUMNS, Said

START = datetime(2026, 1, 1, tzinfo=UTC)
MEMBER = Dimension(
    name="member",
    key=(KeyPart("id", "string"),),
    columns=tuple(ScdColumn(name, "string", scd) for name, scd in COLUMNS.items()),
    surrogate="member_key",
    open_end=OpenEnd.NONE,
)
_VALUES = ", ".join(f"{name} string" for name in COLUMNS)
_LOG = f"sk string, id string, source_event_ts timestamp, ingest_ts timestamp, ingest_run_id string, record_hash string, op string, asserted array<string>, {_VALUES}"


def moment(number: int) -> datetime:
    """The oracle counts days."""
    return START + timedelta(days=number)


def number(at: datetime | None) -> int | None:
    """The day of a moment."""
    return None if at is None else (at.replace(tzinfo=UTC) - START).days


def log_of(spark: SparkSession, said: Iterable[Said]) -> DataFrame:
    """Statements as rows of a dimension's log."""
    rows = [
        (
            one.key, one.key, moment(one.at), moment(one.seen), "", "", "delete" if one.deleted else "upsert",
            [] if one.deleted else list(one.values), *(None if one.deleted else one.values.get(name) for name in COLUMNS),
        )
        for one in said
    ]  # fmt: skip
    return spark.createDataFrame(rows, _LOG)


def chain(spark: SparkSession, said: Iterable[Said]) -> DataFrame:
    """The chains of all members."""
    return chain_of(from_log(log_of(spark, said), dimension=MEMBER), dimension=MEMBER)


def told(row: Row) -> dict[str, Any]:
    """A version as the oracle tells it."""
    same = ("id", "version", "born", "mail", "tier", "boss", "previous_boss", "note", "seg", "current_seg", "previous_seg")
    times = {"from": "effective_from", "to": "effective_to", "boss_changed_at": "boss_changed_at"}
    moments = {name: number(row[column]) for name, column in times.items()}
    return {**{name: row[name] for name in same}, **moments, "current": row["is_current"]}
