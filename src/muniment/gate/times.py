"""Moments out of what sources write, whatever the session's own time zone is."""

from __future__ import annotations

import re

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.model.source import ColumnTime

EARLIEST = "1900-01-01T00:00:00Z"  # what lies outside is a sentinel or a typing mistake, never an event
LATEST = "2200-01-01T00:00:00Z"

_DAY = r"^\d{4}-\d{2}-\d{2}$"
_READABLE = r"^\d{4}-\d{2}-\d{2}([T ]\d|$)"  # a bare time of day would be read as today's
_MINUTES = r"^(\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2})(?![:\d])"  # Spark wants seconds before a zone
_ZONED = r":\d{2}(:\d{2})?(\.\d+)?\s*([zZ]|[+-]\d{1,2}(:?\d{2})?|[A-Za-z]+(/[A-Za-z_]+)*)$"
_UNITS = {"unix": 1_000_000, "unix_ms": 1_000, "unix_us": 1}


def moment(value: Column, kind: T.DataType, *, spec: ColumnTime) -> Column:
    """The instant a value means; null where it means none. Without an offset it is in the declared zone."""
    if isinstance(kind, T.TimestampType):
        return value
    if spec.format in _UNITS:
        micros = F.try_multiply(value.try_cast("decimal(38,6)"), F.lit(_UNITS[spec.format]))
        return F.timestamp_micros(micros.try_cast("bigint"))
    if isinstance(kind, T.DateType | T.TimestampNTZType):
        return from_text(value.cast("string"), zone=spec.zone)
    if isinstance(kind, T.StringType):
        return from_format(value, spec.format, zone=spec.zone) if spec.format else from_text(value, zone=spec.zone)
    return F.lit(None).cast("timestamp")


def from_text(text: Column, *, zone: str = "UTC") -> Column:
    """ISO-8601 text → instant.

    | text | zone | instant |
    |---|---|---|
    | 2026-07-01 | Europe/London | 2026-06-30T23:00:00Z |
    | 2026-07-01T09:00+02:00 | any | 2026-07-01T07:00:00Z |
    """
    trimmed = F.regexp_replace(F.trim(text), _MINUTES, "$1:00")
    full = F.when(trimmed.rlike(_DAY), F.concat(trimmed, F.lit(" 00:00:00"))).otherwise(trimmed)
    zoned = F.when(full.rlike(_ZONED), full).otherwise(F.concat(full, F.lit(f" {zone}")))
    return F.when(trimmed.rlike(_READABLE), zoned.try_cast("timestamp"))


def from_format(text: Column, pattern: str, *, zone: str) -> Column:
    """Text in a Spark datetime pattern → instant."""
    if _names_zone(pattern):
        return F.try_to_timestamp(text, F.lit(pattern))
    return F.try_to_timestamp(F.concat(F.trim(text), F.lit(f" {zone}")), F.lit(f"{pattern} VV"))


def if_possible(instant: str) -> str:
    """An instant's column as SQL, null where nothing can have happened then."""
    return f"CASE WHEN {instant} >= CAST('{EARLIEST}' AS TIMESTAMP) AND {instant} < CAST('{LATEST}' AS TIMESTAMP) THEN {instant} END"


def utc_text(instant: Column) -> Column:
    """An instant as ISO-8601 text in UTC; a plain cast would follow the session's zone."""
    written = F.to_json(F.struct(instant.alias("t")), {"timeZone": "UTC", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"})
    return F.get_json_object(written, "$.t")


def _names_zone(pattern: str) -> bool:
    return re.search(r"[VzOXxZ]", re.sub(r"'[^']*'", "", pattern)) is not None
