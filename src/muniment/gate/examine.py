"""Raw rows → judged rows: every row either has the shape of the log or a reason why not (R11, R13, R14, R19)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import encode, encode_fields, encode_sequence, identifier, literal
from muniment.canon.hashes import HASH_VERSION, attr_hash, key_hash, kinds_of, listed_sql, quoted, record_hash, short
from muniment.canon.moment import of_run
from muniment.gate.cast import cast
from muniment.gate.fields import Fields
from muniment.gate.rows import INSTANT, PLACE, Rows
from muniment.gate.times import if_possible, moment
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

# What the first step of reading finds, for the second.
_OP, _MOMENT, _RECEIVED, _PAYLOAD, _RAW = "__found_op", "__found_moment", "__found_received", "__found_payload", "__found_raw"
_DELETED = f"({_OP} <=> 'delete')"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The run that received rows, and when."""

    run_id: str
    received_at: datetime


@dataclass(frozen=True, slots=True)
class _Value:
    """A value in its declared type, and whether it would not go, if it may not; both as SQL."""

    value: str
    failed: str | None = None


def examine(rows: Rows, *, entity: Entity, source: Source, receipt: Receipt) -> DataFrame:
    """Rows in the log's shape, hashes included, beside what the judges need to see (`verdict.judge`)."""
    fields = Fields(entity, source)
    return _seal(_read(rows, fields=fields, receipt=receipt), fields=fields)


def _read(rows: Rows, *, fields: Fields, receipt: Receipt) -> DataFrame:
    """First what much depends on, then the rest as SQL: to make a tree of columns takes a call to the JVM for each of its nodes."""
    entity, source = fields.entity, fields.source
    first: dict[str, Column] = {}
    keys = {part.name: _value(rows, fields.names(part.name), part.type, first=first) for part in entity.key}
    values = {a.name: _value(rows, fields.names(a.name), a.type, first=first) for a in _carried(rows, fields)}
    sequence = [_value(rows, fields.names(name), "decimal(38,0)", first=first) for name in source.sequence]
    now = of_run(receipt.received_at, beside=rows.some_column)
    event_ts, stated = _event_time(rows, fields=fields, first=first)
    payload = F.lit(None).cast("string") if source.undeclared is Undeclared.IGNORE else rows.payload(fields.declared)
    received = F.coalesce(quoted(rows.heard), now) if rows.heard else now
    looked = rows.frame.withColumns({**first, _RECEIVED: received, _OP: _operation(rows, fields), _PAYLOAD: payload, _RAW: rows.raw()})
    return looked.selectExpr(
        *PLACE,
        *(f"{each.value} AS {identifier(name)}" for name, each in keys.items()),
        *(f"{_attribute(values.get(a.name), a.type)} AS {identifier(a.name)}" for a in entity.attributes),
        f"{literal(source.name)} AS source_system",
        f"{literal(rows.source_type)} AS source_type",
        f"{literal(receipt.run_id)} AS ingest_run_id",
        f"{_RECEIVED} AS ingest_ts",
        f"{event_ts} AS source_event_ts",
        f"CAST({_array(each.value for each in sequence) if sequence else 'NULL'} AS ARRAY<DECIMAL(38,0)>) AS source_sequence",
        f"{literal((source.load or 'partial').upper())} AS load_type",
        f"{_OP} AS op",
        f"{_is_deleted(source)} AS is_deleted",
        f"CASE WHEN {_DELETED} THEN {listed_sql(())} ELSE {_asserted(rows, fields)} END AS asserted",
        f"{_PAYLOAD} AS payload",
        f"{entity.rank(source.name)} AS precedence_rank",
        f"'{'SOURCE' if source.event_time else 'PLATFORM'}' AS time_basis",
        f"{rows.undeclared(fields.declared)} AS {UNDECLARED}",
        f"{_RAW} AS {RAW}",
        f"{_any(each.failed for each in keys.values() if each.failed)} AS {KEY_FAILED}",
        f"{_any(f'{each.value} IS NULL' for each in keys.values())} AS {KEY_NULL}",
        f"{_failed(values)} AS {VALUES_FAILED}",
        f"{stated} AS {TIME_STATED}",
        f"{_any(each.failed for each in sequence if each.failed)} AS {SEQUENCE_FAILED}",
    )


def _value(rows: Rows, names: tuple[str, ...], want: str, *, first: dict[str, Column]) -> _Value:
    """A value of the wanted type, for the second step; where it came as another type, the first step casts it."""
    text, kind = rows.sql(names)
    if kind.simpleString() == want:
        return _Value(text)
    made, place = cast(F.expr(text), kind, want), len(first)
    value, failed = f"__value_{place}", f"__failed_{place}"
    first.update({value: made.value, failed: made.failed})
    return _Value(value, failed)


def _seal(read: DataFrame, *, fields: Fields) -> DataFrame:
    entity = fields.entity
    kinds = kinds_of(kind_of((*key_columns(entity), *attribute_columns(entity))))  # as cast; to ask the frame is slow
    sealed = read.withColumns(
        {
            "payload": F.expr(f"CASE WHEN size({UNDECLARED}) > 0 THEN payload END"),
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
    code = f"trim(CAST({rows.sql(fields.names(source.op.column))[0]} AS STRING))"
    meanings = (("insert", source.op.insert), ("update", source.op.update), ("delete", source.op.delete))
    known = (f"WHEN {code} IN ({', '.join(map(literal, codes))}) THEN '{op}'" for op, codes in meanings if codes)
    return F.expr(f"CASE {' '.join(known)} END")


def _is_deleted(source: Source) -> str:
    """R13: a delete states true; an insert or a whole row false; a partial update nothing."""
    alive = "true" if source.is_whole else f"{_OP} IN ('insert', 'upsert')"
    return f"CASE WHEN {_OP} = 'delete' THEN true WHEN {alive} THEN false END"


def _attribute(value: _Value | None, kind: str) -> str:
    return f"CASE WHEN NOT {_DELETED} THEN {value.value} END" if value else f"CAST(NULL AS {kind})"


def _asserted(rows: Rows, fields: Fields) -> str:
    """The attributes the row states (R11, R14)."""
    source = fields.source
    absent = (source.null_means or (NullMeans.ABSENT if rows.is_table and not source.is_whole else NullMeans.VALUE)) is NullMeans.ABSENT
    stated = {a.name: fields.names(a.name) for a in _carried(rows, fields)}
    if rows.columns is not None and not absent:
        return f"CAST({_array(map(literal, stated))} AS ARRAY<STRING>)"
    return listed_sql((_states(rows, raw, absent), name) for name, raw in stated.items())


def _carried(rows: Rows, fields: Fields) -> list[Attribute]:
    """The attributes that a row may state: what the data has and, in a whole row, what its source carries (R14)."""
    promised = fields.source.carries if fields.source.is_whole else None
    named = (a for a in fields.entity.attributes if promised is None or a.name in promised)
    return [a for a in named if rows.may_have(fields.names(a.name))]


def _states(rows: Rows, names: tuple[str, ...], absent: bool) -> str:
    return f"{rows.has(names)} AND {rows.sql(names)[0]} IS NOT NULL" if absent else rows.has(names)


def _event_time(rows: Rows, *, fields: Fields, first: dict[str, Column]) -> tuple[str, str]:
    """The event time, null where there is none that is possible, and whether the row has anything in its place."""
    spec = fields.source.event_time
    if spec is None:
        return _RECEIVED, "true"
    if isinstance(spec, ColumnTime):
        text, kind = rows.sql(fields.names(spec.column))
        first[_MOMENT] = moment(F.expr(text), kind, spec=spec)
        return if_possible(_MOMENT), f"{text} IS NOT NULL"
    return if_possible(INSTANT), f"{INSTANT} IS NOT NULL"


def _failed(values: Mapping[str, _Value]) -> str:
    return listed_sql((f"{each.failed} AND NOT {_DELETED}", name) for name, each in values.items() if each.failed)


def _any(conditions: Iterable[str]) -> str:
    return " OR ".join(conditions) or "false"


def _array(items: Iterable[str]) -> str:
    return f"array({', '.join(items)})"
