"""One look at a prepared slice that finds all there is to know before anything is compared: what is wrong, how much there is, how far it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.hashes import quoted
from muniment.gate.rows import UNREADABLE
from muniment.loads import values
from muniment.loads.errors import DuplicateKeys, KeyMissing, SliceRefused, ValuesUnfit
from muniment.loads.recipe import UNFIT, found
from muniment.model.load import Load

_RANGED = (T.ByteType, T.ShortType, T.IntegerType, T.LongType, T.DateType, T.StringType)


@dataclass(frozen=True, slots=True)
class Look:
    """What a slice has."""

    received: int
    flagged: int = 0  # rows that say their key is gone
    highs: Mapping[str, values.Value] = field(default_factory=dict)  # of each watermark
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # of key parts, as text


def look_at(rows: DataFrame, *, load: Load) -> Look:
    """Count, and refuse what cannot go in; a slice goes in whole or not at all."""
    kinds = {each.name: each.dataType for each in rows.schema}
    found_row = _per_key(rows, load, kinds).agg(*_sums(load, kinds)).first()
    if found_row is None:
        return Look(0)
    _refuse(found_row, load, kinds)
    highs = {w.column: high for w in load.watermarks if (high := _high(found_row, w.column, kinds)) is not None}
    ranges = {name: (found_row[f"min {name}"], found_row[f"max {name}"]) for name in load.key_names if _is_ranged(kinds[name])}
    return Look(found_row["rows"] or 0, found_row["flagged"] or 0, highs, {name: pair for name, pair in ranges.items() if None not in pair})


def _per_key(rows: DataFrame, load: Load, kinds: Mapping[str, T.DataType]) -> DataFrame:
    names = load.names
    watermarks = [F.max(quoted(name)).alias(f"high {w.column}") for w in load.watermarks if (name := found(w.column, kinds))]
    return rows.groupBy(quoted(names.sk).alias("sk")).agg(
        F.count(F.lit(1)).alias("n"),
        F.count_if(quoted(names.is_deleted)).alias("flagged"),
        F.count_if(F.size(UNFIT) > 0).alias("unfit"),
        F.max(F.when(F.size(UNFIT) > 0, F.col(UNFIT)[0])).alias("example"),
        F.max(UNREADABLE).alias("unreadable"),
        F.first(F.struct(*(quoted(name) for name in load.key_names))).alias("key"),
        *watermarks,
    )


def _sums(load: Load, kinds: Mapping[str, T.DataType]) -> list[Column]:
    doubled = F.col("sk").isNotNull() & (F.col("n") > 1)
    shown = F.when(doubled, F.to_json(F.col("key"), {"ignoreNullFields": "false"}))
    sums = {
        "rows": F.sum("n"),
        "flagged": F.sum("flagged"),
        "keyless": F.sum(F.when(F.col("sk").isNull(), F.col("n"))),
        "doubled": F.count_if(doubled),
        "first": F.min(shown),
        "last": F.max(shown),
        "unfit": F.sum("unfit"),
        "example": F.max("example"),
        "unreadable": F.max("unreadable"),
    }
    highs = [
        values.highest(F.col(f"high {w.column}"), kinds[n]).alias(f"high {w.column}")
        for w in load.watermarks
        if (n := found(w.column, kinds))
    ]
    ends = [
        end(F.col("key")[name]).cast("string").alias(f"{word} {name}")
        for name in load.key_names
        if _is_ranged(kinds[name])
        for word, end in (("min", F.min), ("max", F.max))
    ]
    return [*(value.alias(name) for name, value in sums.items()), *highs, *ends]


def _refuse(row: Row, load: Load, kinds: Mapping[str, T.DataType]) -> None:
    if row["unreadable"]:
        raise SliceRefused(load=load.name, done="read", problem=row["unreadable"], advice="Mend the file.")
    if row["unfit"]:
        example = row["example"]
        kind = kinds[example["column"]].simpleString()
        raise ValuesUnfit(load=load.name, rows=row["unfit"], column=example["column"], value=example["value"], type=kind)
    if row["keyless"]:
        raise KeyMissing(load=load.name, rows=row["keyless"], key=", ".join(load.key_names))
    if row["doubled"]:
        examples = " and ".join(dict.fromkeys((row["first"], row["last"])))
        raise DuplicateKeys(load=load.name, keys=row["doubled"], examples=examples)


def _high(row: Row, column: str, kinds: Mapping[str, T.DataType]) -> values.Value | None:
    name = found(column, kinds)
    return values.from_highest(row[f"high {column}"], kinds[name]) if name is not None else None


def _is_ranged(kind: T.DataType) -> bool:
    return isinstance(kind, _RANGED)
