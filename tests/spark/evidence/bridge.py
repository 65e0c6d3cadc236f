"""The oracle's words in Spark's: statements as log rows, headers as the load table, settings as an entity, versions as the oracle has them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import types as T

from muniment.columns import LOAD, Col
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.entity import Completion, Deletes, Entity, HistorySettings
from muniment.model.source import Absence, Complete, LoadType, OnShort, Source
from muniment.model.tables import log_columns

from tests.properties.oracle import AbsenceSettings, Attr, Load, Origin, Settings, Statement, StatementId, Version

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TYPES = {"balance": "double"}


def entity_of(settings: Settings) -> Entity:
    """The entity that these settings of the oracle describe."""
    return Entity(
        name="case",
        key=tuple(KeyPart(name, "string") for name in settings.key_columns),
        attributes=tuple(_attribute(attr) for attr in settings.attributes),
        sources=tuple(_source(name, guard, settings) for name, guard in settings.absence.items()),
        precedence=tuple(sorted(settings.ranks, key=lambda name: -settings.ranks[name])),
        history=HistorySettings(completion=Completion(settings.completion), deletes=Deletes(settings.deletes)),
    )


def _attribute(attr: Attr) -> Attribute:
    return Attribute(attr.name, TYPES.get(attr.name, "string"), scale=attr.scale, trim=attr.trim, track=attr.tracked)


def _source(name: str, guard: AbsenceSettings, settings: Settings) -> Source:
    complete = Complete(
        min_fraction=guard.min_fraction, allow_empty=guard.allow_empty, absences=guard.absences, on_short=OnShort(guard.on_short)
    )
    scope, authority = settings.scope_of.get(name, ()), settings.authority.get(name)
    return Source(name, load=LoadType.FULL, absence=Absence.DELETES, complete=complete, scope=scope, authority=authority)


def table_of(spark: SparkSession, rows: Iterable[Mapping[str, object]], columns: Iterable[Col]) -> DataFrame:
    """A table of these columns, missing values null."""
    columns = tuple(columns)
    schema = T._parse_datatype_string(", ".join(f"{_name(column.name)} {column.type}" for column in columns))
    assert isinstance(schema, T.StructType)
    return spark.createDataFrame([tuple(row.get(column.name) for column in columns) for row in rows], schema)


def _name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def log_of(spark: SparkSession, statements: Iterable[Statement], *, entity: Entity) -> DataFrame:
    """The statements as rows of the log."""
    return table_of(spark, (_log_row(s, entity) for s in statements), log_columns(entity))


def _log_row(s: Statement, entity: Entity) -> dict[str, object]:
    keys = dict(zip((part.name for part in entity.key), s.key.split("|"), strict=True))
    return {
        **s.says,
        **keys,
        "sk": s.key,
        "assertion_id": id_text(s.id),
        "source_system": s.source,
        "source_file": s.file,
        "ingest_run_id": s.run,
        "ingest_ts": moment(s.received),
        "source_event_ts": moment(s.at),
        "source_sequence": None if s.seq is None else [None if part is None else Decimal(part) for part in s.seq],
        "load_type": s.load,
        "op": {True: "delete", False: "insert", None: "update"}[s.deleted],
        "is_deleted": s.deleted,
        "asserted": list(s.says),
        "record_hash": s.record,
        "time_basis": "SOURCE",
    }


def loads_of(spark: SparkSession, loads: Iterable[Load]) -> DataFrame:
    """The headers as rows of the load table."""
    return table_of(spark, (_load_row(load) for load in loads), LOAD)


def _load_row(load: Load) -> dict[str, object]:
    return {
        "load_id": load.load_id,
        "source_system": load.source,
        "load_ts": moment(load.at),
        "ingest_ts": moment(load.received),
        "ingest_run_id": "run",
        "carried": dict(load.carried),
        "complete": load.complete,
    }


def accepted_of(spark: SparkSession, load_ids: Iterable[str]) -> DataFrame:
    """The loads that a person accepted."""
    return spark.createDataFrame([(load_id,) for load_id in load_ids], "load_id string")


def moment(micros: int) -> datetime:
    """Microseconds as an aware time."""
    return EPOCH + timedelta(microseconds=micros)


def micros(moment: datetime) -> int:
    """A time as Spark gives it back, naive and in the session's zone, as microseconds."""
    return (moment.astimezone(UTC) - EPOCH) // timedelta(microseconds=1)


def id_text(statement: StatementId) -> str:
    """An assertion's id as text, the same for an exact repeat."""
    return hashlib.sha256(repr(statement).encode()).hexdigest()


def told(version: Version) -> tuple[object, ...]:
    """A version of the oracle as `read` gives one of Spark."""
    origins = tuple(_told_origin(version.origin[name]) for name in sorted(version.origin))
    opener = None if version.statement[3] == "gone" else id_text(version.statement)
    times = (version.effective_from, version.effective_to, version.source_effective_to, version.first_seen, version.last_seen)
    flags = (version.is_current, version.is_source_current, version.is_head, version.deleted)
    values = tuple(version.values[name] for name in sorted(version.values))
    return (version.key, version.source, *times, *flags, version.seen_count, opener, values, origins)


def _told_origin(origin: Origin | None) -> object:
    return None if origin is None else (origin[0], origin[1], id_text(origin[2]))


def read(row: Row, *, entity: Entity) -> tuple[object, ...]:
    """A row of the history in the shape of `told`."""
    names = sorted(attribute.name for attribute in entity.attributes)
    origins = tuple(_read_origin(row, name) for name in names)
    moments = ("effective_from", "effective_to", "source_effective_to", "first_seen_ts", "last_seen_ts")
    times = tuple(None if row[name] is None else micros(row[name]) for name in moments)
    flags = tuple(row[name] for name in ("is_current", "is_source_current", "is_head", "is_deleted"))
    opener = None if row["op"] == "absence" else row["assertion_id"]
    values = tuple(row[name] for name in names)
    return (row["sk"], row["source_system"], *times, *flags, row["seen_count"], opener, values, origins)


def _read_origin(row: Row, name: str) -> object:
    found = origin_of(row, name)
    return None if found is None else (found[0], micros(found[1]), found[2])


def origin_of(row: Row, name: str) -> tuple[str, datetime, str] | None:
    """Who supplied a value, for when, in which assertion; that the version's own assertion did is not said again."""
    origin = row["origin"][name]
    if origin is not None:
        return None if origin["assertion_id"] is None else (origin["source"], origin["event_ts"], origin["assertion_id"])
    is_own = "asserted" in row and name in (row["asserted"] or ())  # belief has no assertion of its own
    return (row["source_system"], row["source_event_ts"], row["assertion_id"]) if is_own else None
