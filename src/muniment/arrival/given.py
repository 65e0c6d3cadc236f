"""Rows given with a call: a DataFrame, or dicts, in which a missing key means absent and None means null (R11)."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from pyspark.sql import DataFrame, SparkSession

from muniment.arrival.errors import BadRows
from muniment.arrival.place import Place, at_place, objects
from muniment.clock import utc
from muniment.gate.rows import TEXT, Rows

GIVEN = "rows"
FRAME = "frame"


def from_frame(frame: DataFrame, *, place: Place) -> Rows:
    """A DataFrame as a table of raw rows."""
    return Rows(at_place(frame, place), FRAME, tuple(frame.columns))


def from_dicts(spark: SparkSession, dicts: Iterable[Mapping[str, object]], *, place: Place) -> Rows:
    """Dicts as objects: each becomes the JSON line it would have been in a file."""
    return objects(lines_of(spark, dicts, place=place), GIVEN)


def lines_of(spark: SparkSession, dicts: Iterable[Mapping[str, object]], *, place: Place) -> DataFrame:
    """Dicts as the lines they would have been."""
    lines = [(as_json(each, number, place=place),) for number, each in enumerate(dicts)]
    return at_place(spark.createDataFrame(lines, f"{TEXT} string"), place)


def is_dicts(data: object) -> bool:
    return isinstance(data, Sequence | Iterable) and not isinstance(data, str | bytes | Mapping | DataFrame)


def as_json(row: object, number: int, *, place: Place) -> str:
    """One dict as one line of JSON; times become ISO-8601 in UTC, bytes base64, decimals keep every digit."""
    if not isinstance(row, Mapping):
        raise BadRows(
            entity=place.entity, source=place.source, problem=f"item {number} is a {type(row).__name__}", advice="Give a list of dicts."
        )
    try:
        text = json.dumps(_plain(row), ensure_ascii=False, default=str)
        text.encode()  # half a surrogate pair is no text
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRows(entity=place.entity, source=place.source, problem=f"item {number}: {error}", advice="Give plain values.") from None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, datetime):
        return utc(value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, Decimal):
        return format(value, "f")  # as text, so that no digit is lost
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return value
