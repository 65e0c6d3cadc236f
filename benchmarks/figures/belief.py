"""Belief: resolving a batch, and asking what is believed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.project import Project

from benchmarks.bench import Bench, folder
from benchmarks.events import Batch
from benchmarks.figures.ends import slower
from benchmarks.figures.finding import Finding, ratios
from benchmarks.lakes import ENTITY
from benchmarks.meter import cost, seconds

SILVER = f"silver.{ENTITY}_history"


@dataclass(frozen=True, slots=True)
class Believed:
    """A lake with belief, and what each batch took on the way to it."""

    project: Project
    derive: tuple[float, ...]
    resolve: tuple[float, ...]


@lru_cache(maxsize=1)
def believed(bench: Bench) -> Believed:
    """All of the base resolved once, then the usual batches."""
    project = bench.copy("belief")
    project.resolve(ENTITY)
    derived, resolved = list[float](), list[float]()
    for number in bench.numbers:
        bench.land(project, bench.batch(Batch(number, bench.batch_keys)))
        derived.append(bench.derive(project).seconds)
        resolved.append(cost(bench.spark, lambda: project.resolve(ENTITY), folder(project, SILVER)).seconds)
    runs = len(bench.runs)
    return Believed(project, tuple(derived[-runs:]), tuple(resolved[-runs:]))


def resolving(bench: Bench) -> Finding:
    """Resolving a batch ÷ deriving it."""
    found = believed(bench)
    return Finding(ratios(found.resolve, found.derive), {"resolve": found.resolve, "derive": found.derive})


def one_key(bench: Bench) -> Finding:
    """The slower of `why` and `belief` of one key, warm."""
    project, key = believed(bench).project, "K" + f"{bench.shape.keys // 2:09d}"
    attribute = bench.shape.names[0]
    return slower({"belief": lambda: project.belief(ENTITY, key).collect(), "why": lambda: project.why(ENTITY, key, attribute)}, bench)


def all_keys(bench: Bench) -> Finding:
    """Belief of all keys at one time ÷ reading the table it is read from."""
    project = believed(bench).project
    table = project.table(SILVER)
    span = table.agg(F.min("effective_from").alias("first"), F.max("effective_from").alias("last")).first()
    if span is None or span["first"] is None:
        raise LookupError("nothing is believed")
    middle = span["first"] + (span["last"] - span["first"]) / 2
    took = {
        "belief": tuple(seconds(lambda: _read(project.belief(ENTITY, as_of=middle))) for _ in bench.numbers)[-len(bench.runs) :],
        "table": tuple(seconds(lambda: _read(table)) for _ in bench.numbers)[-len(bench.runs) :],
    }
    return Finding(ratios(took["belief"], took["table"]), took)


def _read(rows: DataFrame) -> None:
    """All columns of all rows, kept nowhere; Delta does not let Spark's sink of nothing have rows of a table with deletion vectors."""
    rows.agg(F.bit_xor(F.xxhash64(*rows.columns))).first()
