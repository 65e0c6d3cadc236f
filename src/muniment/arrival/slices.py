"""Slices: files as one table of raw columns, for loads, where a row states every column of its table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.arrival.files import InputFile
from muniment.arrival.given import lines_of
from muniment.arrival.place import Place, at_files, at_place, glob_safe
from muniment.arrival.read import CORRUPT, read_files
from muniment.gate.rows import FILE, PLACE, TEXT, UNREADABLE
from muniment.model.source import Format, Read

_BESIDE = [name for name in PLACE if name not in (FILE, UNREADABLE)]


def slice_of_files(spark: SparkSession, files: Sequence[InputFile], read: Read) -> DataFrame:
    """The rows of some files, each with its file's name and what is wrong with it."""
    if read.format is Format.JSON:
        return _json(spark, files, read.options).drop(*_BESIDE, CORRUPT)
    parts = [rows.frame.drop(*_BESIDE, CORRUPT) for rows in read_files(spark, files, read)]
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)


def _json(spark: SparkSession, files: Sequence[InputFile], options: Mapping[str, str]) -> DataFrame:
    """Values as text, so that a slice without a fraction has the same types as one with; the declared types read them."""
    multi = str({name.lower(): value for name, value in options.items()}.get("multiline", "false"))
    reader = spark.read.option("primitivesAsString", True).option("columnNameOfCorruptRecord", CORRUPT).option("multiLine", multi)
    frame = reader.json([glob_safe(str(file.path)) for file in files])
    broken = F.when(F.col(CORRUPT).isNotNull(), F.lit("a line is not a JSON object")) if CORRUPT in frame.columns else None
    return at_files(frame, files, spark=spark, unreadable=broken)


def slice_of_dicts(spark: SparkSession, dicts: Iterable[Mapping[str, object]], *, place: Place) -> DataFrame:
    """Dicts as a table of text; a key that one of them lacks is null there."""
    given = list(dicts)
    lines = lines_of(spark, given, place=place)
    names = list(dict.fromkeys(str(name) for each in given for name in each))
    kind = T.StructType([T.StructField(name, T.StringType()) for name in names])
    parsed = lines.withColumn("__row", F.from_json(TEXT, kind))
    return parsed.select(*(F.col("__row").getField(name).alias(name) for name in names), FILE, UNREADABLE)


def slice_of_frame(frame: DataFrame, *, place: Place) -> DataFrame:
    """A DataFrame as it is."""
    return at_place(frame, place).drop(*_BESIDE)
