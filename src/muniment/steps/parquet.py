"""Records of a capture as Parquet: written beside the lines they came as, read back, and taken only where nothing was lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment import faults
from muniment.arrival.place import glob_safe
from muniment.canon.encode import identifier
from muniment.captures.content import Content, parse
from muniment.captures.folder import Half, to_disk
from muniment.lake.failed import FAILED
from muniment.lake.trouble import summary
from muniment.model.source import Format, Source

Pack = Callable[[Half, Content], str | None]
_LOST = "as Parquet they would not be the same records: types that mix, names that differ in case only, empty objects"


def pack_of(spark: SparkSession, source: Source) -> Pack | None:
    """How the source wants its records kept, where that is not as lines."""
    is_parquet = source.read is not None and source.read.format is Format.PARQUET
    return partial(_pack, spark) if is_parquet else None


def _pack(spark: SparkSession, half: Half, content: Content) -> str | None:
    """Put Parquet in the place of the lines, or say why they stay: what an API gave is never lost to a format."""
    parts = half.folder / "parts"
    try:
        _table(spark, half.records, content).coalesce(1).write.parquet(str(parts))
        if _content(spark, parts, content) != content.sha256():
            return _LOST
        _replace(half, next(parts.glob("part-*.parquet")))
    except FAILED as error:
        return f"they do not fit into Parquet: {summary(error)[:200]}"
    finally:
        shutil.rmtree(parts, ignore_errors=True)
    faults.point("capture:after-parquet")
    return None


def _table(spark: SparkSession, lines: Path, content: Content) -> DataFrame:
    """The lines as a table, numbers exact; without a record the columns are those of the key."""
    if not content.records:
        return spark.createDataFrame([], ", ".join(f"{identifier(names[0])} string" for names in content.key))
    return spark.read.option("prefersDecimal", "true").option("mode", "FAILFAST").json(glob_safe(str(lines)))


def _content(spark: SparkSession, parts: Path, content: Content) -> str:
    """The canonical content of what was written, from the file itself."""
    again = Content(content.key)
    rows = spark.read.parquet(glob_safe(str(parts)))
    for row in rows.select(F.to_json(F.struct("*"), {"ignoreNullFields": "true"})).toLocalIterator():
        again.add(parse(row[0]))
    return again.sha256()


def _replace(half: Half, written: Path) -> None:
    written.replace(half.parquet)
    with half.parquet.open("rb") as file:
        to_disk(file.fileno())
    half.records.unlink()
