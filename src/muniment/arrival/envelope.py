"""A line → the parts of a Debezium event: the record around it, the schema beside it, the envelope inside (plain JSON or with schema)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.gate.rows import SPECIAL, TEXT, UNREADABLE

GIANT = 16 * 2**20  # bytes; a topic takes a sixteenth of that unless somebody raises it
RECORD, EVENT, SCHEMA = "__record", "__event", "__schema"
BODY = "__body"  # the event as it came, without record and schema

_BROKEN = "__broken"
_SOURCE = (
    "connector", "ts_ms", "ts_us", "ts_ns", "lsn", "sequence", "file", "pos", "row", "commit_lsn", "change_lsn", "event_serial_no", "scn",
    "commit_scn",
)  # fmt: skip
_RECORD = ("topic", "partition", "offset", "timestamp", "headers", "key", "value", "value_base64")
_EVENT = ("op", "before", "after", "ts_ms", "ts_us", "ts_ns", "schema", "payload", "status", "event_count", "ddl", "message")


def _texts(*names: str) -> str:
    return ", ".join(f"`{name}` string" for name in names)


_TYPE = (
    f"{_texts(*_RECORD, *_EVENT)}, source struct<{_texts(*_SOURCE)}>, transaction struct<id: string, total_order: string>, {_BROKEN} string"
)


def open_envelopes(lines: DataFrame) -> DataFrame:
    """Adds the record, the event and its schema to each line, and why a line is unreadable or carries nothing (R19)."""
    opened = lines.withColumn(RECORD, F.when(_is_sound(F.col(TEXT)), _parsed(F.col(TEXT))))
    inside = opened.withColumn(BODY, F.when(_is_record(), F.col(RECORD)["value"]).otherwise(F.col(TEXT)))
    valued = inside.withColumn(EVENT, F.when(_is_record(), _object(F.col(BODY))).otherwise(F.col(RECORD)))
    wrapped = _wrapped(F.col(EVENT))
    unwrapped = valued.withColumns(
        {
            SCHEMA: F.when(wrapped, F.col(EVENT)["schema"]),
            BODY: F.when(wrapped, F.col(EVENT)["payload"]).otherwise(F.col(BODY)),
            EVENT: F.when(wrapped, _object(F.col(EVENT)["payload"])).otherwise(F.col(EVENT)),
        }
    )
    ignored = _nothing_new()
    return unwrapped.withColumns({SPECIAL: ignored, UNREADABLE: F.coalesce(UNREADABLE, F.when(ignored.isNull(), _trouble()))})


def _parsed(text: Column) -> Column:
    return F.from_json(text, _TYPE, {"columnNameOfCorruptRecord": _BROKEN})


def _object(text: Column) -> Column:
    """Spark takes the first object of a list for the whole: only what begins like an object is one."""
    return F.when(F.ltrim(text).startswith("{"), _parsed(text))


def _is_sound(text: Column) -> Column:
    """Bytes that are no text would be read with marks in their place, silently."""
    return F.is_valid_utf8(text) & (F.octet_length(text) <= GIANT) & F.ltrim(text).startswith("{")


def _is_record() -> Column:
    record = F.col(RECORD)
    around = F.coalesce(*(record[name] for name in _RECORD)).isNotNull()
    return F.coalesce(around & record["op"].isNull() & record["payload"].isNull(), F.lit(False))


def _wrapped(event: Column) -> Column:
    return F.coalesce(event["op"].isNull() & event["schema"].isNotNull(), F.lit(False))


def _nothing_new() -> Column:
    """Tombstones and messages: what a topic carries beside statements about rows."""
    event, record = F.col(EVENT), F.col(RECORD)
    empty = _is_record() & record["value"].isNull() & record["value_base64"].isNull() & record[_BROKEN].isNull()
    hollow = F.col(SCHEMA).isNotNull() & F.col(BODY).isNull()
    beat = event["ts_ms"].isNotNull() & F.coalesce(event["before"], event["after"], event["source"]["ts_ms"]).isNull()
    sound = event[_BROKEN].isNull()
    return (
        F.when(empty | hollow | (F.trim(TEXT) == "null"), F.lit("tombstone"))
        .when(sound & (event["op"] == "m"), F.lit("message"))
        .when(sound & event["op"].isNull() & event["status"].isin("BEGIN", "END"), F.lit("transaction"))
        .when(sound & event["op"].isNull() & event["ddl"].isNotNull(), F.lit("schema change"))
        .when(sound & event["op"].isNull() & beat, F.lit("heartbeat"))
    )


def _trouble() -> Column:
    """Why there is no event in the line, with the record's place where it has one."""
    text, record, event = F.col(TEXT), F.col(RECORD), F.col(EVENT)
    why = (
        F.when(~F.is_valid_utf8(text) | record["value_base64"].isNotNull(), "not UTF-8; its bytes are kept as base64")
        .when(F.octet_length(text) > GIANT, f"larger than {GIANT >> 20} MiB")
        .when(record.isNull(), "not a JSON object")
        .when(record[_BROKEN].isNotNull(), "not a JSON object, or cut off")
        .when(event.isNull() | event[_BROKEN].isNotNull(), "the value is not a JSON object, or cut off")
        .when(event["op"].isNull(), "no event of Debezium: it has no op")
    )
    place = F.concat(
        F.lit(" ("), record["topic"], F.lit(", partition "), record["partition"], F.lit(", offset "), record["offset"], F.lit(")")
    )
    return F.concat(why, F.coalesce(place, F.lit("")))
