"""Before anything is timed: each contender's table against the oracle's, on the part of the work it claims to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from muniment import clock

from benchmarks import events, lakes
from benchmarks.bench import Bench, WrongAnswer
from benchmarks.contenders import dbt, duck, merge
from benchmarks.events import Batch, Shape
from benchmarks.lakes import ENTITY, HISTORY
from tests.properties.oracle import Attr, Settings, Statement, timeline
from tests.spark.evidence.bridge import micros, moment

Table = list[tuple[object, ...]]
Way = Callable[[Path, DataFrame, DataFrame, tuple[str, ...]], DataFrame]  # folder, table before, batch, attributes → table after

SMALL = Shape(keys=100, versions=6, partial=0.3, deleted=0.05, repeated=0.05)
WHOLE = Shape(keys=30, versions=6, attributes=4)
IN_ORDER, LATE = Batch(1, 10), Batch(2, 10, late=1.0)


@dataclass(frozen=True, slots=True)
class Checked:
    """One claim, and whether it held."""

    who: str
    claim: str
    right: bool
    needed: bool = True  # without it there is nothing to compare with


def check(bench: Bench) -> tuple[Checked, ...]:
    """Everyone's answers; what must be right and is not ends the run."""
    small = bench if bench.shape.keys <= SMALL.keys else Bench(bench.spark, bench.root / "truth", bench.settings, SMALL)
    checked = (*_ours(small), *_duck(small), *_merges(small))
    wrong = [f"{each.who}, {each.claim}" for each in checked if each.needed and not each.right]
    if wrong:
        raise WrongAnswer("; ".join(wrong))
    bench.wrong.update(each.who for each in checked if not each.right and each.claim == "in order")
    return checked


def _ours(bench: Bench) -> tuple[Checked, ...]:
    project, shape = bench.copy("truth"), bench.shape
    said = _said(bench.spark.read.parquet(str(bench.events)), shape)
    results = [Checked("Muniment", "whole file", _table(project.table(HISTORY), shape) == _wanted(said, shape))]
    for batch, claim in ((IN_ORDER, "in order"), (LATE, "late")):
        rows = bench.batch(batch)
        said += _said(rows, shape)
        project.land(ENTITY, "core", rows)
        project.derive(ENTITY)
        results.append(Checked("Muniment", claim, _table(project.table(HISTORY), shape) == _wanted(said, shape)))
    return tuple(results)


def _duck(bench: Bench) -> tuple[Checked, ...]:
    if not duck.has_duckdb():
        return ()
    target, shape = bench.root / "truth.parquet", bench.shape
    duck.scd2(bench.events, target, names=shape.names, threads=1)
    wanted = _wanted(_said(bench.spark.read.parquet(str(bench.events)), shape), shape)
    return (Checked("DuckDB", "whole file", _table(duck.read(bench.spark, target), shape) == wanted),)


def _merges(bench: Bench) -> tuple[Checked, ...]:
    def by(who: str, way: Way, claim: str, needed: bool) -> Checked:
        shape, batch = (
            (replace(WHOLE, nulls=0.3), IN_ORDER) if claim == "in order, with nulls" else (WHOLE, LATE if claim == "late" else IN_ORDER)
        )
        return Checked(who, claim, _applied(bench, way, shape=shape, batch=batch), needed)

    ordered = ("in order", "in order, with nulls")
    usual = [by("null-key MERGE", _on_delta(merge.merge), claim, claim != "late") for claim in (*ordered, "late")]
    mack = [by("mack", _on_delta(merge.mack), claim, False) for claim in ordered] if merge.has_mack() else []
    snapshots = [by("dbt-duckdb", _by_dbt, claim, False) for claim in ordered] if bench.with_dbt else []
    return (*usual, *mack, *snapshots)


def _on_delta(apply: Callable[..., None]) -> Way:
    def way(folder: Path, before: DataFrame, rows: DataFrame, names: tuple[str, ...]) -> DataFrame:
        spark = before.sparkSession
        merge.make(spark, folder, before, vectors=True)
        apply(spark, folder, rows, names=names)
        return spark.read.format("delta").load(str(folder))

    return way


def _by_dbt(folder: Path, before: DataFrame, rows: DataFrame, names: tuple[str, ...]) -> DataFrame:
    with dbt.snapshots(folder, before, names=names) as table:
        table.take(dbt.files(rows))
        return table.read(before)


def _applied(bench: Bench, way: Way, *, shape: Shape, batch: Batch) -> bool:
    """A table that starts as the oracle has it, then one batch."""
    said = _said(events.history(bench.spark, shape), shape)
    rows = lakes.staged(events.batch(bench.spark, shape, batch), bench.root / f"truth-{shape.nulls}-{batch.number}")
    before = _as_frame(bench, _wanted(said, shape), shape)
    found = way(bench.root / f"truth-{clock.new_id()}", before, rows, shape.names).withColumn("source_system", F.lit("core"))
    return _table(found, shape) == _wanted(said + _said(rows, shape), shape)


def _as_frame(bench: Bench, rows: Table, shape: Shape) -> DataFrame:
    types = ", ".join(f"{name} {kind}" for name, kind in shape.kinds.items())
    schema = f"id string, source string, effective_from timestamp, effective_to timestamp, is_current boolean, is_deleted boolean, {types}"
    timed = [(*row[:2], *(None if at is None else moment(int(str(at))) for at in row[2:4]), *row[4:]) for row in rows]
    return bench.spark.createDataFrame(timed, schema).select(*merge.columns(shape.names))


def _said(rows: DataFrame, shape: Shape) -> list[Statement]:
    """Events in the oracle's words."""
    named = rows if "source" in rows.columns else rows.withColumn("source", F.lit("core"))
    return [_statement(row, shape) for row in named.collect()]


def _statement(row: Row, shape: Shape) -> Statement:
    whole, gone = row["source"] == "core", row["op"] == "d"
    says = {} if gone else {name: row[name] for name in shape.names if whole or row[name] is not None}
    deleted = True if gone else (False if whole else None)
    load = "CHANGES" if whole else "PARTIAL"
    return Statement(row["id"], row["source"], micros(row["at"]), None, None, 0, "run", load, deleted, says, f"{deleted}{says}")  # type: ignore[arg-type]


def _wanted(said: Iterable[Statement], shape: Shape) -> Table:
    settings = Settings(tuple(Attr(name) for name in shape.names), ranks={"core": 2, "app": 1})
    return sorted(
        (
            (v.key, v.source, v.effective_from, v.effective_to, v.is_current, v.deleted, *(v.values[name] for name in shape.names))
            for v in timeline(said, settings)
        ),
        key=repr,
    )


def _table(rows: DataFrame, shape: Shape) -> Table:
    source = "source_system" if "source_system" in rows.columns else "source"
    return sorted((_row(row, source, shape) for row in rows.collect()), key=repr)


def _row(row: Row, source: str, shape: Shape) -> tuple[object, ...]:
    times = (None if row[name] is None else micros(row[name]) for name in ("effective_from", "effective_to"))
    return (row["id"], row[source], *times, row["is_current"], row["is_deleted"], *(row[name] for name in shape.names))
