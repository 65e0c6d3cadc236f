"""What all figures share: the session, the lake they start from, the batches, the clock."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment import clock
from muniment.project import Project

from benchmarks import events, lakes
from benchmarks.contenders import dbt, merge
from benchmarks.events import Batch, Shape
from benchmarks.lakes import ENTITY, HISTORY, LOG
from benchmarks.meter import Cost, cost

KEYS = 200_000
TIMES = 10  # how many times the versions, for the figures that ask it


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is measured."""

    scale: float = 1.0
    runs: int = 3
    batches: int = 100  # of the long series
    minutes: float = 18.0  # no figure is begun after that
    attributes: int = 8
    warm_ups: int = 4  # the JVM compiles what it runs for about that long
    axes: tuple[str, ...] = ("keys", "versions", "attributes", "batch")  # of the cost model
    points: int = 3  # of each axis
    dbt: bool = True  # where it is installed; each start of its process takes some seconds


class WrongAnswer(Exception):
    """A contender's table is not the expected one: it gets no time."""


class Bench:
    """One session, one folder, one set of events."""

    def __init__(self, spark: SparkSession, root: Path, settings: Settings, shape: Shape | None = None) -> None:
        self.spark, self.root, self.settings = spark, root, settings
        self.shape = shape or Shape(
            keys=max(int(KEYS * settings.scale), 100), attributes=settings.attributes, partial=0.2, deleted=0.01, repeated=0.01
        )
        self.wrong: set[str] = set()  # contenders whose answer is not the oracle's: they get no time
        self.batch_keys = max(self.shape.keys // 100, 10)
        self._started = clock.stopwatch()

    @property
    def seconds_left(self) -> float:
        """Until no new work is begun."""
        return self.settings.minutes * 60 - (clock.stopwatch() - self._started)

    @property
    def with_dbt(self) -> bool:
        """Does dbt take part?"""
        return self.settings.dbt and dbt.has_dbt()

    @property
    def runs(self) -> range:
        """As many as are measured."""
        return range(1, self.settings.runs + 1)

    @property
    def numbers(self) -> range:
        """All batches of a figure; the last ones are measured, those before them are a warm-up."""
        return range(self.settings.warm_ups + self.settings.runs)

    @cached_property
    def base(self) -> Project:
        """The lake that all others are copies of."""
        return lakes.prepared(self.root / "base", self.shape, self.spark)

    def copy(self, name: str) -> Project:
        """A lake of one's own."""
        return lakes.copied(self.base, self.root / name, self.shape)

    def batch(self, given: Batch) -> DataFrame:
        """A delivery, by whoever asks for it."""
        return lakes.staged(events.batch(self.spark, self.shape, given), self.root / f"batches/{given.number}-{given.keys}-{given.late}")

    @property
    def events(self) -> Path:
        """The events that the base was made of."""
        return self.base.model.root / "events"

    def land(self, project: Project, rows: DataFrame) -> Cost:
        """Land a batch."""
        return cost(self.spark, lambda: project.land(ENTITY, "core", rows), folder(project, LOG))

    def derive(self, project: Project) -> Cost:
        """Derive what has landed."""
        return cost(self.spark, lambda: project.derive(ENTITY), folder(project, HISTORY))

    def merge_table(self, name: str, *, vectors: bool, rows: DataFrame | None = None) -> Path:
        """The base's history as a MERGE would keep it: one chain, no provenance."""
        place = self.root / f"{name}.delta"
        merge.make(self.spark, place, timeline(self.base, self.shape) if rows is None else rows, vectors=vectors)
        return place

    def merge(self, table: Path, rows: DataFrame) -> Cost:
        """The null-key MERGE of a batch."""
        return cost(self.spark, lambda: merge.merge(self.spark, table, rows, names=self.shape.names), table)


def folder(project: Project, name: str) -> Path:
    """Where a table of the lake is."""
    return project.model.root / "lake" / Path(*name.split("."))


def timeline(project: Project, shape: Shape) -> DataFrame:
    """What the history and a MERGE's table both claim."""
    return project.table(HISTORY).select(*merge.columns(shape.names))


def must_agree(found: DataFrame, wanted: DataFrame, *, who: str) -> None:
    """Two tables hold the same rows, by their number and the sum of their hashes; a wrong answer gets no time."""
    if _sum(found) != _sum(wanted.select(*found.columns)):
        raise WrongAnswer(f"{who}: another table than expected")


def _sum(rows: DataFrame) -> tuple[int, int]:
    hashed = F.xxhash64(*(F.col(name).cast("string") for name in rows.columns), *(F.col(name).isNull() for name in rows.columns))
    row = rows.agg(F.count(F.lit(1)).alias("rows"), F.sum(hashed.cast("decimal(38,0)")).alias("sum")).first()
    return (row["rows"], int(row["sum"] or 0)) if row else (0, 0)
