"""The cost model: how each kind of work grows with keys, versions, attributes and the size of a batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, log

from benchmarks.bench import Bench
from benchmarks.events import Batch, Shape
from benchmarks.lakes import ENTITY
from benchmarks.meter import cost

KINDS = ("land", "derive", "late", "merge", "rebuild")
AXES = {
    "keys": (1_250, 5_000, 20_000),
    "versions": (5, 10, 40),
    "attributes": (4, 8, 32),
    "batch": (50, 500, 5_000),
}
CENTRE = {"keys": 5_000, "versions": 10, "attributes": 8, "batch": 500}
_SHRINKS = {"keys", "batch"}


@dataclass(frozen=True, slots=True)
class Point:
    """What each kind of work took at one place of one axis."""

    axis: str
    at: int
    seconds: dict[str, float]


def points(bench: Bench) -> tuple[Point, ...]:
    """Three points of each axis; the middle one is the same for all."""
    small = {name: max(value * bench.settings.scale, 20) for name, value in CENTRE.items() if name in _SHRINKS}
    centre = {**CENTRE, **{name: int(value) for name, value in small.items()}}
    measured: dict[tuple[Shape, int], dict[str, float]] = {}
    lakes: dict[Shape, Bench] = {}
    found = []
    for axis in bench.settings.axes:
        for at in AXES[axis][: bench.settings.points]:
            where = {**centre, axis: max(int(centre[axis] * at / CENTRE[axis]), 2)}
            shape = replace(bench.shape, keys=where["keys"], versions=where["versions"], attributes=where["attributes"])
            place = shape, min(where["batch"], shape.keys)
            home = lakes.setdefault(shape, Bench(bench.spark, bench.root / f"model-{len(lakes)}", replace(bench.settings, runs=1), shape))
            measured[place] = measured.get(place) or _seconds(home, place[1])
            found.append(Point(axis, where[axis], measured[place]))
    return tuple(found)


def _seconds(bench: Bench, keys: int) -> dict[str, float]:
    """One run of each kind, on a copy of the point's lake."""
    name = f"batch-{keys}"
    project = bench.copy(name)
    table = bench.merge_table(name, vectors=True)
    rows, late = bench.batch(Batch(1, keys)), bench.batch(Batch(2, keys, late=1.0))
    seconds = {
        "land": bench.land(project, rows).seconds,
        "derive": bench.derive(project).seconds,
        "merge": bench.merge(table, rows).seconds,
    }
    bench.land(project, late)
    seconds["late"] = bench.derive(project).seconds
    seconds["rebuild"] = cost(bench.spark, lambda: project.rebuild(ENTITY)).seconds
    return seconds


def exponent(found: Iterable[Point], kind: str) -> float:
    """B of seconds = a · size^b: 0 does not grow, 1 grows as the size does."""
    pairs = [(log(point.at), log(point.seconds[kind])) for point in found]
    return _slope(pairs)


def curve(found: Sequence[Point], kind: str, at: float) -> float:
    """The fitted seconds at a size."""
    pairs = [(log(point.at), log(point.seconds[kind])) for point in found]
    slope = _slope(pairs)
    middle = sum(y for _, y in pairs) / len(pairs) - slope * sum(x for x, _ in pairs) / len(pairs)
    return exp(middle + slope * log(at))


def _slope(pairs: Sequence[tuple[float, float]]) -> float:
    mean_x, mean_y = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in pairs)
    return sum((x - mean_x) * (y - mean_y) for x, y in pairs) / spread if spread else 0.0
