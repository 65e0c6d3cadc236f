"""Loads: a small slice into a large table, against the MERGE of document 003 on the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.project import Project

from benchmarks.bench import Bench, folder, must_agree
from benchmarks.contenders import load_merge
from benchmarks.events import Shape, rows_of
from benchmarks.figures.finding import Finding, ratios
from benchmarks.lakes import staged
from benchmarks.meter import Cost, cost

SHAPE = Shape()
NAMES = SHAPE.names
TIMES = 10  # rows of the table, for each key of the benchmark: two million
SHARE = 1_000  # the slice has one row for so many of the table
_STEP = 7_919  # spreads the rows of a slice over the whole table


@dataclass(frozen=True, slots=True)
class Loads:
    """The same slices by us and by MERGE, run by run."""

    ours: tuple[Cost, ...]
    merge: tuple[Cost, ...]


@lru_cache(maxsize=2)
def loads(bench: Bench, strategy: str) -> Loads:
    """A table and its slices."""
    rows = bench.shape.keys * TIMES
    project, theirs = _project(bench, strategy), bench.root / f"{strategy}-load.delta"
    first = staged(_rows(bench.spark.range(rows).selectExpr("id AS key", "0L AS version", "'U' AS op")), bench.root / "load-base")
    project.load("t", first)
    load_merge.make(theirs, first, names=NAMES, historic=strategy == "historic")
    days = [_day(bench, project, theirs, strategy=strategy, number=number) for number in range(1, len(bench.numbers) + 1)]
    kept = days[-len(bench.runs) :]
    _must_agree(bench, project, theirs)
    return Loads(tuple(day[0] for day in kept), tuple(day[1] for day in kept))


def _day(bench: Bench, project: Project, theirs: Path, *, strategy: str, number: int) -> tuple[Cost, Cost]:
    rows = staged(_slice(bench, number, gone=strategy == "merge"), bench.root / f"load-{strategy}-{number}")
    work = load_merge.historic if strategy == "historic" else load_merge.merge
    ours = cost(bench.spark, lambda: project.load("t", rows), folder(project, "silver.t"))
    return ours, cost(bench.spark, lambda: work(bench.spark, theirs, rows, names=NAMES), theirs)


def _project(bench: Bench, strategy: str) -> Project:
    root = bench.root / f"load-project-{strategy}"
    root.mkdir(parents=True)
    (root / "muniment.yml").write_text("name: loads\ninclude: [t.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    declared = f"load: t\nstrategy: {strategy}\nkey: {{id: long}}\ncolumns: {{{', '.join(f'{n}: {k}' for n, k in SHAPE.kinds.items())}}}\n"
    (root / "t.yml").write_text(f"{declared}deleted: op = 'D'\ndrift: ignore\n", encoding="utf-8")
    return Project.open(root, spark=bench.spark)


def _slice(bench: Bench, number: int, *, gone: bool) -> DataFrame:
    """Changes all over the table; of ten rows one is as it was, of fifty one is new and, for merge, one is gone."""
    rows = bench.shape.keys * TIMES
    count = max(rows // SHARE, 20)
    old = (F.col("id") * _STEP + number) % rows
    key = F.when(F.col("id") % 50 == 8, rows + number * count + F.col("id")).otherwise(old)
    version = F.when(F.col("id") % 10 == 0, 0).otherwise(number)
    op = F.when((F.col("id") % 50 == 7) & F.lit(gone), "D").otherwise("U")
    return _rows(bench.spark.range(count).select(key.alias("key"), version.alias("version"), op.alias("op")))


def _rows(numbered: DataFrame) -> DataFrame:
    """As wide as those of batches and rebuilds."""
    return rows_of(numbered, SHAPE).select(F.col("key").alias("id"), *NAMES, "op")


def _must_agree(bench: Bench, project: Project, theirs: Path) -> None:
    table = bench.spark.read.format("delta").load(str(theirs))
    compared = ["id", *NAMES, "is_deleted", *(["is_current"] if "is_current" in table.columns else [])]
    must_agree(table.select(*compared), project.table("silver.t").select(*compared), who="MERGE of document 003")


def _faster(bench: Bench, strategy: str) -> Finding:
    found = loads(bench, strategy)
    ours, merged = (tuple(each.seconds for each in side) for side in (found.ours, found.merge))
    jobs = tuple(float(each.jobs) for each in found.ours)
    return Finding(ratios(merged, ours), {"load": ours, "MERGE of document 003": merged, "jobs of load": jobs})


def _fewer(bench: Bench, strategy: str) -> Finding:
    found = loads(bench, strategy)
    ours, merged = (tuple(float(each.written) for each in side) for side in (found.ours, found.merge))
    return Finding(ratios(merged, ours), {"load": ours, "MERGE of document 003": merged})


def merge_faster(bench: Bench) -> Finding:
    """MERGE ÷ load, strategy merge."""
    return _faster(bench, "merge")


def merge_fewer(bench: Bench) -> Finding:
    """Bytes of MERGE ÷ bytes of load, strategy merge."""
    return _fewer(bench, "merge")


def historic_faster(bench: Bench) -> Finding:
    """MERGE ÷ load, strategy historic."""
    return _faster(bench, "historic")


def historic_fewer(bench: Bench) -> Finding:
    """Bytes of MERGE ÷ bytes of load, strategy historic."""
    return _fewer(bench, "historic")
