"""Steady state: rows per second from files through land and derive, at three sizes of a batch, against a plain append of the same files."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

from muniment.project import Project

from benchmarks.bench import KEYS, Bench, folder
from benchmarks.contenders import floors
from benchmarks.events import Batch
from benchmarks.figures.finding import Finding, ratios
from benchmarks.lakes import ENTITY, HISTORY, LOG
from benchmarks.meter import cost

SIZES = (1_000, 10_000, 100_000)
SOURCE = "files"
_WHO = ("land + derive", "plain append")


def steady(bench: Bench) -> Finding:
    """Land + derive ÷ append, at the largest size; the parts have the rows per second at each."""
    project = bench.copy("steady")
    found = [(max(size * bench.shape.keys // KEYS, 10), place) for place, size in enumerate(SIZES)]
    runs = {rows: _runs(bench, project, rows=rows, later=1 + place * len(bench.numbers)) for rows, place in found}
    speeds = {f"{who}, {rows:,} a batch": _speeds(rows, each[side]) for rows, each in runs.items() for side, who in enumerate(_WHO)}
    return Finding(ratios(*runs[max(runs)]), speeds, "rows per second; the figure is of the largest batch")


def _runs(bench: Bench, project: Project, *, rows: int, later: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Seconds of each run, ours and the floor's; each batch is later than all before it."""
    runs = [_run(bench, project, Batch(later + number, rows)) for number in bench.numbers][-len(bench.runs) :]
    return tuple(ours for ours, _ in runs), tuple(plain for _, plain in runs)


def _speeds(rows: int, seconds: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(rows / each for each in seconds)


def _run(bench: Bench, project: Project, given: Batch) -> tuple[float, float]:
    """Seconds of one file: ours, and the floor's."""
    file = _delivered(bench, project, given)
    table = bench.root / f"steady-{given.keys}.delta"
    append = cost(bench.spark, lambda: floors.append(bench.spark.read.parquet(str(file)), table), table)
    land = cost(bench.spark, lambda: project.land(ENTITY, SOURCE), folder(project, LOG))
    derive = cost(bench.spark, lambda: project.derive(ENTITY), folder(project, HISTORY))
    return land.seconds + derive.seconds, append.seconds


def _delivered(bench: Bench, project: Project, given: Batch) -> Path:
    """A batch as one new file at the source's place."""
    landing, work = project.model.root / "landing", bench.root / "steady-file"
    landing.mkdir(exist_ok=True)
    bench.batch(given).coalesce(1).write.parquet(str(work))
    (made,) = work.glob("*.parquet")
    file = made.rename(landing / f"{given.number:04d}-{given.keys}.parquet")
    rmtree(work)
    return file
