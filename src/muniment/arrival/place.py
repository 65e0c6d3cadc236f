"""Where rows came from, put beside them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment.arrival.errors import BadRows
from muniment.arrival.files import InputFile
from muniment.canon.encode import literal
from muniment.canon.hashes import quoted
from muniment.canon.moment import of_run
from muniment.gate.rows import FIELDS, FILE, INSTANT, PATH, PLACE, RECEIPT, SPECIAL, TEXT, UNIT, UNREADABLE, Rows

_KEPT = "/_-!.~'()*,;:$&+=@"  # what Java leaves as it is in the path of a URI


@dataclass(frozen=True, slots=True)
class Place:
    """The place of rows that were given with a call."""

    entity: str
    source: str
    instant: datetime | None = None
    path: str | None = None
    unit: str = ""


def at_place(frame: DataFrame, place: Place) -> DataFrame:
    """Rows with the place they share."""
    taken = [name for name in frame.columns if name in PLACE]
    if taken:
        problem = f"a column is called {taken[0]}, which Muniment uses itself"
        raise BadRows(entity=place.entity, source=place.source, problem=problem, advice="Rename the column.")
    return frame.withColumns(
        {
            PATH: _text(place.path),
            FILE: _text(None),
            UNIT: _text(place.unit),
            INSTANT: of_run(place.instant, beside=quoted(frame.columns[0]) if frame.columns else F.lit(None)),
            UNREADABLE: _text(None),
            RECEIPT: F.expr("CAST(NULL AS TIMESTAMP)"),
            SPECIAL: _text(None),
        }
    )


def _text(value: str | None) -> Column:
    """A constant, in one call."""
    return F.expr("CAST(NULL AS STRING)" if value is None else literal(value))


def at_files(frame: DataFrame, files: Sequence[InputFile], *, spark: SparkSession, unreadable: Column | None = None) -> DataFrame:
    """Rows with the file each came from."""
    marked = frame.withColumns(
        {
            UNREADABLE: F.lit(None).cast("string") if unreadable is None else unreadable,
            RECEIPT: F.lit(None).cast("timestamp"),
            SPECIAL: F.lit(None).cast("string"),
        }
    )
    if len(files) == 1:
        return _at_file(marked, files[0])
    known = [(uri(str(f.path)), f.place, f.name, f.unit, f.instant) for f in files]
    places = spark.createDataFrame(known, f"__uri string, {PATH} string, {FILE} string, {UNIT} string, {INSTANT} timestamp")
    named = marked.withColumn("__uri", F.regexp_replace(F.col("_metadata.file_path"), "^file:/+", "/"))
    return named.join(F.broadcast(places), "__uri", "left").drop("__uri")


def _at_file(frame: DataFrame, file: InputFile) -> DataFrame:
    """All rows are of the one file."""
    here = {PATH: file.place, FILE: file.name, UNIT: file.unit}
    placed = {name: F.lit(value) for name, value in here.items()}
    return frame.withColumns({**placed, INSTANT: of_run(file.instant, beside=quoted(frame.columns[0]))})


def objects(lines: DataFrame, source_type: str) -> Rows:
    """Lines of JSON as objects; a line that is none is unreadable, a blank one is nothing."""
    parsed = lines.where(F.trim(TEXT) != "").withColumn(FIELDS, F.from_json(TEXT, "map<string,string>"))
    broken = F.when(quoted(FIELDS).isNull(), F.lit("not a JSON object"))
    return Rows(parsed.withColumn(UNREADABLE, F.coalesce(UNREADABLE, broken)), source_type)


def uri(path: str) -> str:
    """A path as Spark writes it in `_metadata.file_path`.

    >>> uri("/data/a b%.csv")
    '/data/a%20b%25.csv'
    """
    return "".join(c if _kept(c) else "".join(f"%{b:02X}" for b in c.encode()) for c in path)


def _kept(c: str) -> bool:
    """Java escapes neither letters nor digits nor these signs, and of other alphabets only spaces and controls."""
    return c in _KEPT or (c.isalnum() if c.isascii() else unicodedata.category(c) not in ("Zs", "Zl", "Zp", "Cc"))


def glob_safe(path: str) -> str:
    """A path that Spark takes for itself and not for a pattern."""
    return "".join(f"\\{c}" if c in "[]{}*?\\" else c for c in path)
