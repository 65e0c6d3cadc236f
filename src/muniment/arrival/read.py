"""Files → raw rows. Files of different columns are read apart, so that a row states what its own file has (R14)."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TextIO, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment.arrival.files import InputFile
from muniment.arrival.place import at_files, glob_safe, objects
from muniment.gate.rows import TEXT, Rows
from muniment.model.source import Format, Read

K = TypeVar("K")
CORRUPT = "__corrupt"
LARGE = 2**20  # bytes of files of which each is read by one core; below that a shuffle costs more than the other cores save
_PACKED = (".gz", ".zst", ".lz4", ".snappy", ".deflate")
_CONTROLLED = frozenset({"header", "inferschema", "mode", "columnnameofcorruptrecord", "enforceschema", "mergeschema", "pathglobfilter"})


def read_files(spark: SparkSession, files: Sequence[InputFile], read: Read) -> list[Rows]:
    """One group of raw rows for each set of columns that the files have."""
    return READERS[read.format](spark, files, read.options)


def _read_csv(spark: SparkSession, files: Sequence[InputFile], options: Mapping[str, str]) -> list[Rows]:
    return [_csv_group(spark, header, group, options) for header, group in _grouped(files, lambda f: csv_header(f, options))]


def _csv_group(spark: SparkSession, header: tuple[str, ...], files: Sequence[InputFile], options: Mapping[str, str]) -> Rows:
    schema = ", ".join(f"`{name.replace('`', '``')}` string" for name in (*header, CORRUPT))
    reader = spark.read.options(**_free(options)).option("header", _has_header(options)).option("mode", "PERMISSIVE")
    frame = reader.option("columnNameOfCorruptRecord", CORRUPT).schema(schema).csv(_paths(files))
    broken = F.when(F.col(CORRUPT).isNotNull(), F.lit("not a row of this file's columns"))
    return Rows(at_files(frame, files, spark=spark, unreadable=broken), Format.CSV.value, header, line=CORRUPT)


def csv_header(file: InputFile, options: Mapping[str, str]) -> tuple[str, ...]:
    """The names in a file's first row; without a header `_c0`, `_c1`, …"""
    given = {name.lower(): value for name, value in options.items()}
    with _text(file, given.get("encoding", "utf-8-sig")) as stream:
        first = next(csv.reader(stream, delimiter=given.get("sep", given.get("delimiter", ",")), quotechar=given.get("quote", '"')), [])
    names = [name.strip() for name in first] if _has_header(options) else [f"_c{number}" for number in range(len(first))]
    if len({name.lower() for name in names}) < len(names) or "" in names:
        raise ValueError("its header has an empty name or one name twice")
    return tuple(names)


def _read_json(spark: SparkSession, files: Sequence[InputFile], options: Mapping[str, str]) -> list[Rows]:
    return [objects(read_lines(spark, files, options), Format.JSON.value)]


def read_lines(spark: SparkSession, files: Sequence[InputFile], options: Mapping[str, str]) -> DataFrame:
    """The lines of files, or with `multiLine` the objects they are, each with the file it came from."""
    whole = {name.lower(): value for name, value in options.items()}.get("multiline", "false").lower() == "true"
    lines = spark.read.text(_paths(files), wholetext=whole).select(F.col("value").alias(TEXT), *(("_metadata",) if len(files) > 1 else ()))
    if whole:
        several = F.transform(F.from_json(TEXT, "array<string>"), lambda item: F.coalesce(item, F.lit("null")))
        is_list = F.ltrim(TEXT).startswith("[") & several.isNotNull()  # a list that cannot be read stays whole and is set aside
        lines = lines.withColumn(TEXT, F.explode(F.when(is_list, several).otherwise(F.array(TEXT))))
    one_reader = sum(file.size for file in files if whole or file.path.suffix in _PACKED)
    return at_files(_spread(lines) if one_reader > LARGE else lines, files, spark=spark)


def _spread(lines: DataFrame) -> DataFrame:
    """Lines over all cores, where one core has to unpack them; where a line goes follows from its text, so a task that is done again gets the same."""
    return lines.repartition(TEXT)


def _read_parquet(spark: SparkSession, files: Sequence[InputFile], options: Mapping[str, str]) -> list[Rows]:
    def schema(file: InputFile) -> str:
        return spark.read.parquet(*_paths([file])).schema.json()

    groups = _grouped(files, schema)
    return [_table(spark.read.options(**_free(options)).parquet(*_paths(group)), group, spark=spark) for _, group in groups]


def _table(frame: DataFrame, files: Sequence[InputFile], *, spark: SparkSession) -> Rows:
    return Rows(at_files(frame, files, spark=spark), Format.PARQUET.value, tuple(frame.columns))


READERS: Mapping[Format, Callable[[SparkSession, Sequence[InputFile], Mapping[str, str]], list[Rows]]] = {
    Format.CSV: _read_csv,
    Format.JSON: _read_json,
    Format.PARQUET: _read_parquet,
}


def _grouped(files: Iterable[InputFile], key: Callable[[InputFile], K]) -> list[tuple[K, list[InputFile]]]:
    keyed = sorted(((key(file), file) for file in files), key=lambda pair: (str(pair[0]), pair[1].place))
    return [(shape, [file for _, file in group]) for shape, group in groupby(keyed, key=lambda pair: pair[0])]


def _free(options: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if name.lower() not in _CONTROLLED}


def _has_header(options: Mapping[str, str]) -> bool:
    return {name.lower(): value for name, value in options.items()}.get("header", "true").lower() == "true"


def _paths(files: Sequence[InputFile]) -> list[str]:
    return [glob_safe(str(file.path)) for file in files]


def _text(file: InputFile, encoding: str) -> TextIO:
    if file.path.suffix == ".gz":
        return gzip.open(file.path, "rt", encoding=encoding, newline="")
    return file.path.open(encoding=encoding, newline="")
