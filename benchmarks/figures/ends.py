"""The two ends: a file that comes again, and reading one key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.bench import Bench
from benchmarks.events import Batch
from benchmarks.figures.batches import days
from benchmarks.figures.finding import Finding
from benchmarks.lakes import ENTITY
from benchmarks.meter import data_files, seconds


def landed_before(bench: Bench) -> Finding:
    """Landing a file again."""
    project, place = bench.copy("again"), bench.root / "again/landing"
    bench.batch(Batch(1, bench.batch_keys)).coalesce(1).write.parquet(str(place))
    file = str(next(place.glob("*.parquet")))
    project.land(ENTITY, "files", file)
    before = data_files(project.model.root / "lake")
    took = tuple(seconds(lambda: project.land(ENTITY, "files", file)) for _ in bench.runs)
    new = len(data_files(project.model.root / "lake") - before)
    return Finding(took, {"data files written": (float(new),)}, passed=new == 0)


def one_key(bench: Bench) -> Finding:
    """The slower of history and changes of one key, warm."""
    project = days(bench).project
    key = "K" + f"{bench.shape.keys // 2:09d}"
    return slower(
        {"history": lambda: project.history(ENTITY, key).collect(), "changes": lambda: project.changes(ENTITY, key).collect()}, bench
    )


def slower(asked: Mapping[str, Callable[[], object]], bench: Bench) -> Finding:
    """The slowest of some questions, run by run, each asked once before."""
    for ask in asked.values():
        ask()
    took = {name: tuple(seconds(ask) for _ in bench.runs) for name, ask in asked.items()}
    return Finding(tuple(map(max, zip(*took.values(), strict=True))), took)
