"""Raw rows → judged rows: every row either has the shape of the log or a reason why not (R11, R13, R14, R19)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import encode, encode_fields, encode_sequence, literal
from muniment.canon.hashes import HASH_VERSION, attr_hash, key_hash, kinds_of, listed, quoted, record_hash, short
from muniment.canon.moment import of_run
from muniment.gate.cast import Cast, cast
from muniment.gate.fields import Fields
from muniment.gate.rows import INSTANT, PLACE, Rows
from muniment.gate.times import is_possible, moment
from muniment.lake.schema import kind_of
from muniment.model.attribute import Attribute
from muniment.model.entity import Entity
from muniment.model.source import ColumnTime, NullMeans, Source, Undeclared
from muniment.model.tables import attribute_columns, key_columns

UNDECLARED = "__undeclared"
RAW = "__raw"
KEY_FAILED = "__key_failed"
KEY_NULL = "__key_null"
VALUES_FAILED = "__values_failed"
TIME_STATED = "__time_stated"
SEQUENCE_FAILED = "__sequence_failed"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The run that received rows, and when."""

    run_id: str
    received_at: datetime


def examine(rows: Rows, *, entity: Entity, source: Source, receipt: Receipt) -> DataFrame:
    """Rows in the log's shape, hashes included, beside what the judges need to see (`verdict.judge`)."""
    fields = Fields(entity, source)
    return _seal(_read(rows, fields=fields, receipt=receipt), fields=fields)


def _read(rows: Rows, *, fields: Fields, receipt: Receipt) -> DataFrame:
    entity, source = fields.entity, fields.source
    op = _operation(rows, fields)
    keys = {part.name: cast(*rows.value(fields.names(part.name)), part.type) for part in entity.key}
    values = {a.name: cast(*rows.value(fields.names(a.name)), a.type) for a in _carried(rows, fields)}
    sequence = [cast(*rows.value(fields.names(name)), "decimal(38,0)") for name in source.sequence]
    now = of_run(receipt.received_at, beside=rows.some_column)
    received = F.coalesce(quoted(rows.heard), now) if rows.heard else now
    event_ts, stated = _event_time(rows, fields=fields, received=received)
    deleted = op.eqNullSafe("delete")
    return rows.frame.select(
        *PLACE,
        *(each.value.alias(name) for name, each in keys.items()),
        *(_attribute(values.get(a.name), a.type, deleted=deleted).alias(a.name) for a in entity.attributes),
        F.lit(source.name).alias("source_system"),
        F.lit(rows.source_type).alias("source_type"),
        F.lit(receipt.run_id).alias("ingest_run_id"),
        received.alias("ingest_ts"),
        event_ts.alias("source_event_ts"),
        (F.array(*(each.value for each in sequence)) if sequence else F.lit(None)).cast("array<decimal(38,0)>").alias("source_sequence"),
        F.lit((source.load or "partial").upper()).alias("load_type"),
        op.alias("op"),
        _is_deleted(op, source).alias("is_deleted"),
        F.when(deleted, F.array().cast("array<string>")).otherwise(_asserted(rows, fields)).alias("asserted"),
        (F.lit(None).cast("string") if source.undeclared is Undeclared.IGNORE else rows.payload(fields.declared)).alias("payload"),
        F.lit(entity.rank(source.name)).alias("precedence_rank"),
        F.lit("SOURCE" if source.event_time else "PLATFORM").alias("time_basis"),
        rows.undeclared(fields.declared).alias(UNDECLARED),
        rows.raw().alias(RAW),
        _any([each.failed for each in keys.values()]).alias(KEY_FAILED),
        _any([each.value.isNull() for each in keys.values()]).alias(KEY_NULL),
        _failed(values, deleted=deleted).alias(VALUES_FAILED),
        stated.alias(TIME_STATED),
        _any([each.failed for each in sequence]).alias(SEQUENCE_FAILED),
    )


def _seal(read: DataFrame, *, fields: Fields) -> DataFrame:
    entity = fields.entity
    kinds = kinds_of(kind_of((*key_columns(entity), *attribute_columns(entity))))  # as cast; to ask the frame is slow
    sealed = read.withColumns(
        {
            "payload": F.when(F.size(UNDECLARED) > 0, F.col("payload")),
            "sk": key_hash(entity, kinds),
            "attr_hash": attr_hash(entity, kinds),
            "record_hash": record_hash(entity, kinds),
            "hash_version": F.lit(HASH_VERSION),
        }
    )
    return sealed.withColumn("assertion_id", assertion_id(len(fields.source.sequence)))


def assertion_id(places: int | None = None) -> Column:
    """Who said what, of which key, for when: an exact repeat has the same id (R6). `places`: how many parts a sequence has, where that is known."""
    text, moments, numbers = T.StringType(), T.TimestampType(), T.ArrayType(T.DecimalType(38, 0))
    parts = {"sk": text, "source_system": text, "source_event_ts": moments, "source_sequence": numbers, "record_hash": text}
    encoded = {name: encode(name, kind) for name, kind in parts.items()}
    if places is not None:
        encoded["source_sequence"] = encode_sequence("source_sequence", places)
    return short(encode_fields(list(encoded.items())))


def _operation(rows: Rows, fields: Fields) -> Column:
    """insert, update, delete; null where the code is unknown. A whole row without an operation is an upsert."""
    source = fields.source
    if source.op is None:
        return F.lit("upsert" if source.is_whole else "update")
    code = F.trim(rows.value(fields.names(source.op.column))[0].cast("string"))
    meanings = (("insert", source.op.insert), ("update", source.op.update), ("delete", source.op.delete))
    return F.coalesce(*(F.when(code.isin(*codes), F.lit(op)) for op, codes in meanings if codes))


def _is_deleted(op: Column, source: Source) -> Column:
    """R13: a delete states true; an insert or a whole row false; a partial update nothing."""
    alive = op.isin("insert", "upsert") | F.lit(source.is_whole)
    return F.when(op == "delete", F.lit(True)).when(alive, F.lit(False))


def _attribute(value: Cast | None, kind: str, *, deleted: Column) -> Column:
    return F.when(~deleted, value.value) if value else F.lit(None).cast(kind)


def _asserted(rows: Rows, fields: Fields) -> Column:
    """The attributes the row states (R11, R14)."""
    source = fields.source
    absent = (source.null_means or (NullMeans.ABSENT if rows.is_table and not source.is_whole else NullMeans.VALUE)) is NullMeans.ABSENT
    stated = {a.name: fields.names(a.name) for a in _carried(rows, fields)}
    if rows.columns is not None and not absent:
        return F.expr(f"CAST(array({', '.join(map(literal, stated))}) AS ARRAY<STRING>)")
    return listed((_states(rows, raw, absent), name) for name, raw in stated.items())


def _carried(rows: Rows, fields: Fields) -> list[Attribute]:
    """The attributes that a row may state: what the data has and, in a whole row, what its source carries (R14)."""
    promised = fields.source.carries if fields.source.is_whole else None
    named = (a for a in fields.entity.attributes if promised is None or a.name in promised)
    return [a for a in named if rows.may_have(fields.names(a.name))]


def _states(rows: Rows, names: tuple[str, ...], absent: bool) -> Column:
    return rows.has(names) & (rows.value(names)[0].isNotNull() if absent else F.lit(True))


def _event_time(rows: Rows, *, fields: Fields, received: Column) -> tuple[Column, Column]:
    """The event time, null where there is none that is possible, and whether the row has anything in its place."""
    spec = fields.source.event_time
    if spec is None:
        return received, F.lit(True)
    if isinstance(spec, ColumnTime):
        raw, kind = rows.value(fields.names(spec.column))
        instant = moment(raw, kind, spec=spec)
        return F.when(is_possible(instant), instant), raw.isNotNull()
    return F.when(is_possible(F.col(INSTANT)), F.col(INSTANT)), F.col(INSTANT).isNotNull()


def _failed(values: dict[str, Cast], *, deleted: Column) -> Column:
    return listed((each.failed & ~deleted, name) for name, each in values.items())


def _any(conditions: list[Column]) -> Column:
    result = F.lit(False)
    for condition in conditions:
        result = result | condition
    return result
