"""Backfill: make the targets again that are bad, tainted or stale, in order, compare, and clear the marks; it may be cut off and begun again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from muniment import faults
from muniment.decisions.marks import Family, Verb, new_mark, record_marks
from muniment.errors import BadArgument
from muniment.series.errors import BuildStopped, NoGoodBase
from muniment.series.lineage import Standing, recipe, to_clear, to_rebuild, waiting
from muniment.series.records import Partition, Ref
from muniment.steps.series_build import build
from muniment.steps.series_scene import Scene
from muniment.steps.series_store import ready, standing_of


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A target that was made again, against what it was before."""

    at: datetime
    was: str  # its quality
    rows_before: int
    rows: int | None = None
    checksum_before: str = ""
    checksum: str | None = None
    base: Ref | None = None

    @property
    def equal(self) -> bool:
        return self.checksum == self.checksum_before


@dataclass(frozen=True, slots=True)
class Backfilled:
    """What a backfill did, or with `dry_run` would do; `waiting` needs data that nobody has landed yet."""

    series: str
    rebuilt: tuple[Rebuilt, ...] = ()
    cleared: tuple[Ref, ...] = ()
    waiting: tuple[Ref, ...] = ()
    stopped: str | None = None  # why it could not go to the end
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """Who asks for a backfill, why, of which time, and whether only to show the plan."""

    by: str
    reason: str
    first: datetime | None = None
    last: datetime | None = None
    dry_run: bool = False

    def covers(self, partition: Partition) -> bool:
        return (self.first is None or self.first <= partition.start) and (self.last is None or partition.start <= self.last)


def backfill(scene: Scene, order: Order) -> Backfilled:
    """Rebuild what is not good from what is, oldest first."""
    if not order.dry_run and (not order.by or not order.reason):
        raise BadArgument(argument="by and reason", problem="who clears marks, and why, is kept", advice="Give both, or ask for a dry run.")
    with scene.held("backfill"):
        ready(scene.lake)
        found = standing_of(scene.lake, scene.series.name)
        worn = [target for target in to_rebuild(found) if order.covers(target)]
        if order.dry_run:
            return _planned(scene, found, worn)
        rebuilt, stopped = _rebuilt(scene, found, worn)
        cleared = _cleared(scene, order)
        left = waiting(standing_of(scene.lake, scene.series.name))
    return Backfilled(scene.series.name, rebuilt, cleared, tuple(each.ref for each in left), stopped)


def _planned(scene: Scene, found: Standing, worn: list[Partition]) -> Backfilled:
    plan = tuple(Rebuilt(t.start, found.quality[t.partition_id].value, t.rows, checksum_before=t.checksum) for t in worn)
    blocked = next((r for t in worn if (r := recipe(found, t.start)).blocked or r.base is None), None)
    stopped = None if blocked is None else str(blocked.blocked[0].ref) + " is bad" if blocked.blocked else "a dump is needed"
    left = tuple(each.ref for each in waiting(found))
    return Backfilled(scene.series.name, plan, tuple(each.ref for each in to_clear(found)), left, stopped, dry_run=True)


def _rebuilt(scene: Scene, found: Standing, worn: list[Partition]) -> tuple[tuple[Rebuilt, ...], str | None]:
    done: list[Rebuilt] = []
    for target in worn:
        try:
            made = build(scene, target.start)
        except (BuildStopped, NoGoodBase) as error:
            return tuple(done), error.text()
        quality = found.quality[target.partition_id].value
        done.append(Rebuilt(target.start, quality, target.rows, made.rows, target.checksum, made.checksum, made.base))
        faults.point("backfill:after-build")
    return tuple(done), None


def _cleared(scene: Scene, order: Order) -> tuple[Ref, ...]:
    """Marks whose partition has been replaced by a good one; the bad one stays, and taints what was made of it."""
    found = standing_of(scene.lake, scene.series.name)
    gone = [each for each in to_clear(found) if order.covers(each)]
    marks = [
        new_mark(Verb.CLEAR, each.partition_id, by=order.by, reason=f"{order.reason} ({_against(found, each)})", place=str(each.ref))
        for each in gone
    ]
    record_marks(scene.lake, Family.SERIES, scene.series.name, marks)
    faults.point("backfill:after-clear")
    return tuple(each.ref for each in gone)


def _against(found: Standing, old: Partition) -> str:
    new = found.current[old.role, old.start]
    if new.checksum == old.checksum:
        return f"the same {new.rows:,} rows again"
    return f"{new.rows:,} rows instead of {old.rows:,}, checksum {new.checksum[:12]} instead of {old.checksum[:12]}"
