"""Kafka's messages → lines: a record with its topic, partition and offset around the value, as a file of records would have it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.arrival.place import Place, at_place
from muniment.gate.rows import FILE, PATH, SPECIAL, TEXT

MESSAGE = ("key", "value", "topic", "partition", "offset", "timestamp")
_VALUE = "__value"


def is_messages(frame: DataFrame) -> bool:
    """Whether a frame has the columns that Spark's Kafka source has."""
    return set(MESSAGE) <= set(frame.columns)


def records(frame: DataFrame, *, place: Place) -> DataFrame:
    """Whole records, so that what waits in quarantine says where it stood; a value that is no text goes as base64."""
    text, key = _text("value"), _text("key")
    sound = F.is_valid_utf8(text)
    parts = {
        "topic": F.col("topic"), "partition": F.col("partition"), "offset": F.col("offset"), "timestamp": F.unix_millis("timestamp"),
        "key": F.when(F.is_valid_utf8(key), key), "value": F.when(sound, text), "value_base64": F.when(~sound, F.base64(F.col("value"))),
    }  # fmt: skip
    record = F.to_json(F.struct(*(part.alias(name) for name, part in parts.items())))
    return _placed(frame.select("topic", "partition", "offset", record.alias(TEXT)), place)


def values(frame: DataFrame, *, place: Place) -> DataFrame:
    """The values alone, for topics of plain objects; a message without one is a tombstone."""
    lines = _placed(frame.select("topic", "partition", "offset", F.coalesce(_text("value"), F.lit("null")).alias(TEXT)), place)
    return lines.withColumn(SPECIAL, F.when(F.col(TEXT) == "null", F.lit("tombstone")))


def _placed(lines: DataFrame, place: Place) -> DataFrame:
    """The topic is the place, partition and offset the file: padded, so that their order is that of the topic."""
    where = F.concat(F.col("partition"), F.lit("/"), F.lpad(F.col("offset").cast("string"), 12, "0"))
    named = at_place(lines, place).withColumns({PATH: F.col("topic"), FILE: where})
    return named.drop("topic", "partition", "offset")


def _text(name: str) -> Column:
    return F.col(name).cast("string")
