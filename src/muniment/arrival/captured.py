"""Files of captures → raw rows: opened where they are envelopes of the first format, known from the moment they were captured (R29)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment.arrival.files import InputFile
from muniment.arrival.place import objects
from muniment.arrival.read import read_files, read_lines
from muniment.canon.hashes import quoted
from muniment.canon.moment import of_run
from muniment.gate.fields import Fields
from muniment.gate.rows import FIELDS, PATH, SPECIAL, TEXT, Rows
from muniment.model.source import ColumnTime, Format, Ops, Read

HEARD = "__heard"
OP, TURN = "__op", "__turn"
BEGINS, ENDS = "begins", "ends"
HISTORY_OPS = Ops(OP, insert=(BEGINS,), delete=(ENDS,))
DELISTING_OPS = Ops(OP, delete=(ENDS,))
HISTORY, DELISTINGS = "history", "delistings"  # what such rows are, where they are kept and where they wait
NO_AUTHORITY = "delisted by a source without authority over its scope"


def read_captures(spark: SparkSession, files: Sequence[InputFile], read: Read, *, fields: Fields) -> list[Rows]:
    """The records of captures, each file in the format it was kept in; those with dates of their own begin and end by them."""
    wrapped = [file for file in files if file.wrapped]
    groups: list[Rows] = []
    for kind in (Format.JSON, Format.PARQUET):
        mine = [file for file in files if not file.wrapped and (file.path.suffix == ".parquet") is (kind is Format.PARQUET)]
        groups += read_files(spark, mine, replace(read, format=kind)) if mine else []
    if wrapped:
        lines = read_lines(spark, wrapped, read.options)
        groups.append(objects(lines.withColumn(TEXT, F.get_json_object(TEXT, "$.record")), Format.JSON.value))
    return [_heard(dated(rows, fields=fields), files, spark=spark) for rows in groups]


def dated(rows: Rows, *, fields: Fields) -> Rows:
    """Records with dates of their own as the rows they amount to; all others as they are."""
    if fields.source.op == DELISTING_OPS:
        return _ended(_as_objects(rows), fields)
    if fields.source.op == HISTORY_OPS and isinstance(fields.source.event_time, ColumnTime):
        return _begun_and_ended(_as_objects(rows), until=fields.source.until, column=fields.source.event_time.column)
    return rows


def _heard(rows: Rows, files: Sequence[InputFile], *, spark: SparkSession) -> Rows:
    known = [(file.place, file.heard) for file in files if file.heard is not None]
    if not known:
        return rows
    if len(files) == 1:
        return rows.with_frame(rows.frame.withColumn(HEARD, of_run(files[0].heard, beside=rows.some_column)), heard=HEARD)
    times = spark.createDataFrame(known, f"{PATH} string, {HEARD} timestamp")
    return rows.with_frame(rows.frame.join(F.broadcast(times), PATH, "left"), heard=HEARD)


def _as_objects(rows: Rows) -> Rows:
    """A table's rows as objects, so that what they amount to can be said in their fields."""
    if rows.columns is None:
        return rows
    return objects(rows.frame.withColumn(TEXT, rows.raw()).drop(*rows.columns), rows.source_type)


def _ended(rows: Rows, fields: Fields) -> Rows:
    """A record of a list of delistings is a delete at its own date; one of a scope that another source has authority over says nothing."""
    frame = rows.frame.withColumn(FIELDS, F.when(F.col(FIELDS).isNotNull(), F.map_concat(FIELDS, F.create_map(F.lit(OP), F.lit(ENDS)))))
    authority = fields.source.authority
    if authority is not None:
        scope = rows.value(fields.names(fields.source.scope[0]))[0]
        foreign = F.when(~F.coalesce(scope.isin(*authority), F.lit(False)), F.lit(NO_AUTHORITY))
        frame = frame.withColumn(SPECIAL, F.coalesce(quoted(SPECIAL), foreign))
    return replace(rows, frame=frame, source_type=DELISTINGS)


def _begun_and_ended(rows: Rows, *, until: str | None, column: str) -> Rows:
    """A record that ends is two rows: one where it begins, and a delete where it ends, before anything that begins there."""
    begins = _told(F.col(FIELDS), BEGINS, "1")
    acts = F.array(begins) if until is None else F.array_compact(F.array(begins, _end(until, column)))
    return replace(rows, frame=_exploded(rows.frame, acts), source_type=HISTORY)


def _exploded(frame: DataFrame, acts: Column) -> DataFrame:
    readable = F.when(F.col(FIELDS).isNotNull(), acts).otherwise(F.array(F.lit(None).cast("map<string,string>")))
    return frame.withColumn(FIELDS, F.explode(readable))


def _end(until: str, column: str) -> Column:
    moment = F.col(FIELDS)[until]
    rest = F.map_filter(FIELDS, lambda name, _: name != column)
    return F.when(moment.isNotNull(), _told(F.map_concat(rest, F.create_map(F.lit(column), moment)), ENDS, "0"))


def _told(fields: Column, op: str, turn: str) -> Column:
    return F.map_concat(fields, F.create_map(F.lit(OP), F.lit(op), F.lit(TURN), F.lit(turn)))
