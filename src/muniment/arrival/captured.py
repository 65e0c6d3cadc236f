"""Files of captures → raw rows: opened where they are envelopes of the first format, known from the moment they were captured (R29)."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment.arrival.files import InputFile
from muniment.arrival.place import objects
from muniment.arrival.read import read_files, read_lines
from muniment.gate.rows import FIELDS, PATH, TEXT, Rows
from muniment.model.source import ColumnTime, Format, Ops, Read, Source

HEARD = "__heard"
OP, TURN = "__op", "__turn"
BEGINS, ENDS = "begins", "ends"
HISTORY_OPS = Ops(OP, insert=(BEGINS,), delete=(ENDS,))


def read_captures(spark: SparkSession, files: Sequence[InputFile], read: Read, *, source: Source) -> list[Rows]:
    """The records of captures; those of a vendor's history begin and end by their own dates."""
    wrapped = [file for file in files if file.wrapped]
    plain = [file for file in files if not file.wrapped]
    groups = read_files(spark, plain, read) if plain else []
    if wrapped:
        lines = read_lines(spark, wrapped, read.options)
        groups.append(objects(lines.withColumn(TEXT, F.get_json_object(TEXT, "$.record")), Format.JSON.value))
    return [_heard(_dated(rows, source), files, spark=spark) for rows in groups]


def _heard(rows: Rows, files: Sequence[InputFile], *, spark: SparkSession) -> Rows:
    known = [(file.place, file.heard) for file in files if file.heard is not None]
    if not known:
        return rows
    times = spark.createDataFrame(known, f"{PATH} string, {HEARD} timestamp")
    return rows.with_frame(rows.frame.join(F.broadcast(times), PATH, "left"), heard=HEARD)


def _dated(rows: Rows, source: Source) -> Rows:
    """A record that ends is two rows: one where it begins, and a delete where it ends, before anything that begins there."""
    if source.op != HISTORY_OPS or not isinstance(source.event_time, ColumnTime) or rows.columns is not None:
        return rows
    begins = _told(F.col(FIELDS), BEGINS, "1")
    acts = F.array(begins) if source.until is None else F.array_compact(F.array(begins, _end(source.until, source.event_time.column)))
    return rows.with_frame(_exploded(rows.frame, acts))


def _exploded(frame: DataFrame, acts: Column) -> DataFrame:
    readable = F.when(F.col(FIELDS).isNotNull(), acts).otherwise(F.array(F.lit(None).cast("map<string,string>")))
    return frame.withColumn(FIELDS, F.explode(readable))


def _end(until: str, column: str) -> Column:
    moment = F.col(FIELDS)[until]
    rest = F.map_filter(FIELDS, lambda name, _: name != column)
    return F.when(moment.isNotNull(), _told(F.map_concat(rest, F.create_map(F.lit(column), moment)), ENDS, "0"))


def _told(fields: Column, op: str, turn: str) -> Column:
    return F.map_concat(fields, F.create_map(F.lit(OP), F.lit(op), F.lit(TURN), F.lit(turn)))
