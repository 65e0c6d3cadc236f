"""What is given for a partition → rows with the columns of the series, each row with what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment import clock
from muniment.canon.hashes import quoted
from muniment.columns import Col
from muniment.gate.cast import cast
from muniment.lake.failed import FAILED
from muniment.lake.tables import Lake
from muniment.lake.trouble import summary
from muniment.model.series import Role, Series
from muniment.model.source import Format
from muniment.model.tables import delta_name, state_name
from muniment.series.errors import ColumnsDiffer, DataUnreadable
from muniment.series.records import Ref
from muniment.series.rows import DELETED, PARTITION, is_keyless

WRONG = "__wrong"
_SUFFIXES = {".csv": Format.CSV, ".json": Format.JSON, ".jsonl": Format.JSON, ".parquet": Format.PARQUET}


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a series' rows, and those of its deltas only: what orders them, where the rows themselves lack it."""

    columns: tuple[Col, ...]
    ordering: tuple[Col, ...] = ()

    @property
    def names(self) -> list[str]:
        return [col.name for col in self.columns]

    @property
    def state(self) -> tuple[Col, ...]:
        """A row that is gone stays as a tombstone until the next dump."""
        return (*self.columns, Col(DELETED, "boolean", "A tombstone: the key is gone"))

    @property
    def delta(self) -> tuple[Col, ...]:
        return (
            Col(PARTITION, "string", "The delta it is part of"),
            *self.columns,
            *self.ordering,
            Col(DELETED, "boolean", "The key is gone"),
        )


def layout_of(lake: Lake, series: Series) -> Layout | None:
    """The declared columns, else those that the first data had; None before there was any."""
    if series.columns:
        return Layout((*_key(series), *(Col(each.name, each.type, each.info.description or "") for each in series.columns)))
    state, delta = lake.table(state_name(series)), lake.table(delta_name(series))
    found = [_columns(table.read()) if table.exists() else () for table in (state, delta)]
    if not any(found):
        return None
    columns = found[0] or found[1]
    names = {col.name for col in columns}
    return Layout(columns, tuple(col for col in found[1] if col.name not in names))


def frame_of(lake: Lake, series: Series, data: object, *, root: Path) -> DataFrame:
    """Whatever was given, as a frame."""
    if isinstance(data, DataFrame):
        return data
    try:
        if isinstance(data, str | Path):
            return _from_path(lake.spark, series, root / data)
        if isinstance(data, Iterable):
            return _from_dicts(lake.spark, series, list(data), layout_of(lake, series))
    except FAILED as error:
        raise DataUnreadable(series=series.name, problem=summary(error)[:300]) from None
    raise DataUnreadable(series=series.name, problem=f"it is a {type(data).__name__}")


def laid_out(frame: DataFrame, layout: Layout | None, *, series: Series, ref: Ref) -> tuple[DataFrame, Layout]:
    """The rows in the series' columns, with whether they say that a key is gone, and what is wrong with each."""
    data = {name: name for name in frame.columns if name not in (series.op.column, DELETED)}
    layout = layout or Layout(
        (*_key(series), *(col for col in _columns(frame.select(*map(quoted, data))) if col.name not in series.key_names))
    )
    ordering = _ordering(frame, layout, series) if ref.role is Role.DELTA else ()
    layout = Layout(layout.columns, layout.ordering or ordering)
    _refuse_columns(set(data), layout, series=series, ref=ref)
    wanted = (*layout.columns, *layout.ordering) if ref.role is Role.DELTA else layout.columns
    casts = {col.name: cast(quoted(col.name), frame.schema[col.name].dataType, col.type) for col in wanted if col.name in data}
    values = [(casts[c.name].value if c.name in casts else F.lit(None).cast(c.type)).alias(c.name) for c in wanted]
    broken = [F.when(found.failed, F.concat(F.lit("value_cast "), F.lit(name))) for name, found in casts.items()]
    gone, unknown = _deleted(frame, series)
    rows = frame.select(*values, gone.alias(DELETED), F.coalesce(*broken, unknown).alias(WRONG))
    return rows.withColumn(WRONG, F.when(is_keyless(series), "key_missing").otherwise(F.col(WRONG))), layout


def _deleted(frame: DataFrame, series: Series) -> tuple[Column, Column]:
    """Whether a row says that its key is gone, and what is wrong with how it says it."""
    op, never = series.op, F.lit(None).cast("string")
    flagged = F.coalesce(quoted(DELETED).cast("boolean"), F.lit(False)) if DELETED in frame.columns else F.lit(False)
    if op.column not in frame.columns:
        return flagged, never
    code = F.lower(F.trim(quoted(op.column).cast("string")))
    known = [text.lower() for text in (*op.insert, *op.update, *op.delete)]
    gone = F.coalesce(code.isin([text.lower() for text in op.delete]), F.lit(False))
    strange = F.when(code.isNotNull() & ~code.isin(known), "op_unknown") if op.insert or op.update else never
    return gone | flagged, strange


def _refuse_columns(found: set[str], layout: Layout, *, series: Series, ref: Ref) -> None:
    """A column too many or too few is told before anything is looked at; a dump need not have what only orders deltas."""
    needed = set(layout.names) - (set(series.order) - set(series.key_names) if ref.role is Role.DUMP else set())
    known = {*layout.names, *(col.name for col in layout.ordering), *series.order}
    lacks, strange = sorted(needed - found), sorted(found - known)
    problems = [*([f"it lacks {', '.join(lacks)}"] if lacks else []), *([f"it has {', '.join(strange)} too"] if strange else [])]
    if problems:
        raise ColumnsDiffer(series=series.name, place=ref, problem="; ".join(problems))


def _ordering(frame: DataFrame, layout: Layout, series: Series) -> tuple[Col, ...]:
    return tuple(col for col in _columns(frame) if col.name in series.order and col.name not in layout.names)


def _key(series: Series) -> tuple[Col, ...]:
    return tuple(Col(part.name, part.type, "Key") for part in series.key)


def _columns(frame: DataFrame) -> tuple[Col, ...]:
    return tuple(Col(f.name, f.dataType.simpleString(), "") for f in frame.schema if f.name not in (DELETED, PARTITION))


def _from_path(spark: SparkSession, series: Series, path: Path) -> DataFrame:
    if not path.exists():
        raise DataUnreadable(series=series.name, problem=f"there is nothing at {path}")
    kind = series.format or (Format.DELTA if (path / "_delta_log").exists() else _SUFFIXES.get(path.suffix.lower(), Format.PARQUET))
    typed = str(not series.columns).lower()  # where types are declared everything is read as text, and cast by the same rules as ever
    usual = {Format.CSV: {"header": "true", "inferSchema": typed}, Format.JSON: {"primitivesAsString": str(bool(series.columns)).lower()}}
    return spark.read.format(kind.value).options(**{**usual.get(kind, {}), **series.options}).load(str(path))


def _from_dicts(spark: SparkSession, series: Series, rows: Sequence[Mapping[str, Any]], layout: Layout | None) -> DataFrame:
    """Dicts; values of known columns go in as text and are cast by the same rules as those of a file, of others Spark finds the types."""
    known = [*layout.names, *(col.name for col in layout.ordering)] if layout else []
    names = list(dict.fromkeys(name for row in rows for name in row)) or known
    if not names:
        raise DataUnreadable(series=series.name, problem="there are no rows, and no columns are known yet")
    others = [name for name in names if name not in (*known, DELETED, series.op.column)]
    found = spark.createDataFrame([{name: _aware(row.get(name)) for name in others} for row in rows]).schema if others else T.StructType()
    kinds = {field.name: field.dataType for field in found}
    schema = T.StructType([T.StructField(name, kinds.get(name, T.StringType())) for name in names])
    return spark.createDataFrame([tuple(_aware(r.get(n)) if n in kinds else _text(r.get(n)) for n in names) for r in rows], schema)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return clock.utc(value).isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)


def _aware(value: object) -> object:
    return clock.utc(value) if isinstance(value, datetime) else value
