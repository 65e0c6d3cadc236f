"""Whole tables: the rebuild against its floors, its memory, and a key that has half of everything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import lru_cache

from benchmarks import events, lakes
from benchmarks.bench import Bench, must_agree
from benchmarks.contenders import duck, floors
from benchmarks.figures.finding import Finding, ratios
from benchmarks.lakes import ENTITY, HISTORY, LOG
from benchmarks.meter import cost

HOT = 5  # the hot key has as many assertions as five of each key: a million at full size


@lru_cache(maxsize=1)
def wholes(bench: Bench) -> dict[str, tuple[float, ...]]:
    """Rebuild, shuffle + sort and DuckDB in turn, run by run."""
    project, seconds = bench.copy("rebuild"), dict[str, list[float]](rebuild=[], sort=[], duck=[])
    for _ in bench.runs:
        seconds["rebuild"].append(cost(bench.spark, lambda: project.rebuild(ENTITY)).seconds)
        seconds["sort"].append(cost(bench.spark, lambda: floors.shuffle_and_sort(project.table(LOG))).seconds)
        if duck.has_duckdb():
            seconds["duck"].append(_duck(bench))
    if duck.has_duckdb():
        found = duck.read(bench.spark, bench.root / "duck.parquet")
        must_agree(found, project.table(HISTORY).withColumnRenamed("source_system", "source"), who="DuckDB")
    return {name: tuple(values) for name, values in seconds.items()}


def _duck(bench: Bench) -> float:
    threads, target = os.cpu_count() or 2, bench.root / "duck.parquet"
    return cost(bench.spark, lambda: duck.scd2(bench.events, target, names=bench.shape.names, threads=threads)).seconds


def against_sort(bench: Bench) -> Finding:
    """Rebuild ÷ shuffle + sort of the log's rows."""
    found = wholes(bench)
    return Finding(ratios(found["rebuild"], found["sort"]), {"rebuild": found["rebuild"], "shuffle + sort": found["sort"]})


def against_duckdb(bench: Bench) -> Finding:
    """Rebuild ÷ DuckDB."""
    found = wholes(bench)
    return Finding(
        ratios(found["rebuild"], found["duck"]),
        {"rebuild": found["rebuild"], "DuckDB": found["duck"]},
        "DuckDB writes no origins and no hashes",
    )


def skew(bench: Bench) -> Finding:
    """Seconds per assertion with one key of a million ÷ without."""
    project, hot = bench.copy("skew"), bench.shape.keys * HOT
    lakes.land(project, lakes.staged(events.hot_key(bench.spark, bench.shape, hot), bench.root / "hot"))
    even = bench.shape.keys * bench.shape.versions
    seconds = cost(bench.spark, lambda: project.rebuild(ENTITY)).seconds
    usual = wholes(bench)["rebuild"]
    values = tuple(seconds / (even + hot) / (each / even) for each in usual)
    return Finding(values, {"skewed": (seconds,), "even": usual}, f"per assertion; the hot key has {hot:,}, one rebuild")


def memory(bench: Bench) -> Finding:
    """The peak of a process that does nothing but rebuild twice the assertions."""
    project = bench.copy("memory")
    more = replace(bench.shape, first=bench.shape.keys)
    lakes.land(project, lakes.staged(events.history(bench.spark, more), bench.root / "more"))
    command = [sys.executable, "-m", "benchmarks.peak", str(project.model.root)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told = json.loads(done.stdout.strip().splitlines()[-1])
    rows = 2 * bench.shape.keys * bench.shape.versions
    return Finding((told["bytes"] / 2**30,), {"seconds": (told["seconds"],)}, f"{rows:,} assertions, one process")
