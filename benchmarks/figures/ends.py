"""The two ends: a file that comes again, and reading one key."""

from __future__ import annotations

from pyspark.sql import DataFrame

from muniment import clock

from benchmarks.bench import Bench
from benchmarks.events import Batch
from benchmarks.figures.batches import days
from benchmarks.figures.finding import Finding
from benchmarks.lakes import ENTITY
from benchmarks.meter import cost, data_files


def landed_before(bench: Bench) -> Finding:
    """Landing a file again."""
    project, place = bench.copy("again"), bench.root / "again/landing"
    bench.batch(Batch(1, bench.batch_keys)).coalesce(1).write.parquet(str(place))
    file = str(next(place.glob("*.parquet")))
    project.land(ENTITY, "files", file)
    before = data_files(project.model.root / "lake")
    seconds = tuple(cost(bench.spark, lambda: project.land(ENTITY, "files", file)).seconds for _ in bench.runs)
    new = len(data_files(project.model.root / "lake") - before)
    return Finding(seconds, {"data files written": (float(new),)}, passed=new == 0)


def one_key(bench: Bench) -> Finding:
    """The slower of history and changes of one key, warm."""
    project = days(bench).project
    key = "K" + f"{bench.shape.keys // 2:09d}"
    _seconds(project.history(ENTITY, key)), _seconds(project.changes(ENTITY, key))
    told = tuple(_seconds(project.history(ENTITY, key)) for _ in bench.runs)
    changed = tuple(_seconds(project.changes(ENTITY, key)) for _ in bench.runs)
    return Finding(tuple(map(max, told, changed)), {"history": told, "changes": changed})


def _seconds(rows: DataFrame) -> float:
    started = clock.stopwatch()
    rows.collect()
    return clock.stopwatch() - started
