"""Mark partitions bad, or say that they were good after all: a row of `ops.mark`, and no work on data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import faults
from muniment.decisions.marks import Family, Mark, Verb, mark_rows, marks_of, new_mark, record_marks, signed
from muniment.errors import BadArgument
from muniment.model.series import Role
from muniment.series.errors import NoSuchPartition, NotMarked
from muniment.series.lineage import Standing, standing
from muniment.series.records import Partition, Quality, Ref, shown
from muniment.steps.series_scene import Moment, Scene
from muniment.steps.series_store import ready, standing_of


@dataclass(frozen=True, slots=True)
class Span:
    """Partitions of one role, of one time or from one to another, both included."""

    role: Role
    first: datetime
    last: datetime

    def __str__(self) -> str:
        return shown(self.first) if self.first == self.last else f"{shown(self.first)} to {shown(self.last)}"


@dataclass(frozen=True, slots=True)
class Said:
    """What a mark or an un-mark was about, and which targets it taints or frees."""

    series: str
    verb: str
    partitions: tuple[Ref, ...]
    repeated: tuple[Ref, ...] = ()  # said before
    tainted: tuple[Ref, ...] = ()


def span(scene: Scene, role: str, at: Moment, until: Moment | None = None) -> Span:
    """The partitions that are meant."""
    if role not in set(Role):
        raise BadArgument(argument="role", problem=f"'{role}' is no role", advice="A partition is a dump, a delta or a target.")
    first = scene.start(at)
    last = first if until is None else scene.start(until)
    if last < first:
        raise BadArgument(argument="until", problem="it is before the beginning", advice="Give the later of both last.")
    return Span(Role(role), first, last)


def mark(scene: Scene, span: Span, *, by: str, reason: str) -> Said:
    """Say that partitions are bad; what was marked before stays as it was."""
    signed(by, reason)
    with scene.held("mark"):
        ready(scene.lake)
        found = standing_of(scene.lake, scene.series.name)
        there = _meant(scene, found, span)
        new = [each for each in there if each.partition_id not in found.marked]
        marks = [new_mark(Verb.MARK, each.partition_id, by=by, reason=reason, place=str(each.ref)) for each in new]
        after = _recorded(scene, found, marks)
    said = tuple(each.ref for each in new)
    return Said(scene.series.name, "mark", said, tuple(each.ref for each in there if each not in new), _tainted(after))


def unmark(scene: Scene, span: Span, *, by: str, reason: str) -> Said:
    """Say that partitions were good after all: everything is as it was before the mark, because nothing was deleted."""
    signed(by, reason)
    with scene.held("unmark"):
        ready(scene.lake)
        found = standing_of(scene.lake, scene.series.name)
        there = [each for each in _meant(scene, found, span) if each.partition_id in found.marked]
        if not there:
            raise _not_marked(scene, found, span)
        marks = [new_mark(Verb.UNMARK, each.partition_id, by=by, reason=reason, place=str(each.ref)) for each in there]
        after = _recorded(scene, found, marks)
    return Said(scene.series.name, "unmark", tuple(each.ref for each in there), (), _tainted(after))


def marks(scene: Scene) -> DataFrame:
    """All that was ever said of the series' partitions, oldest first; `open` marks still hold."""
    last = {mark.target: mark for mark in marks_of(scene.lake, Family.SERIES, scene.series.name)}
    holding = [mark.mark_id for mark in last.values() if mark.verb is Verb.MARK]
    rows = mark_rows(scene.lake, Family.SERIES, scene.series.name).drop("family", "effect")
    return rows.withColumn("open", F.col("mark_id").isin(holding)).orderBy("made_at", "mark_id")


def _recorded(scene: Scene, found: Standing, marks: list[Mark]) -> Standing:
    """Write marks, and say what everything is worth by them."""
    before = marks_of(scene.lake, Family.SERIES, scene.series.name)
    record_marks(scene.lake, Family.SERIES, scene.series.name, marks)
    faults.point("series:after-mark")
    return standing(found.partitions.values(), [*before, *marks])


def _meant(scene: Scene, found: Standing, span: Span) -> list[Partition]:
    there = [each for each in found.of(span.role) if span.first <= each.start <= span.last]
    if not there:
        known = ", ".join(shown(each.start) for each in found.of(span.role)[-12:]) or "none"
        raise NoSuchPartition(series=scene.series.name, role=span.role.value, when=span, known=known)
    return there


def _not_marked(scene: Scene, found: Standing, span: Span) -> NotMarked:
    first = _meant(scene, found, span)[0]
    quality = found.quality[first.partition_id]
    tainted = quality is Quality.TAINTED
    advice = "What it was made of is bad: only building it again clears it." if tainted else "'muniment series marks' lists what is."
    return NotMarked(series=scene.series.name, place=first.ref, quality=quality.value, advice=advice)


def _tainted(found: Standing) -> tuple[Ref, ...]:
    return tuple(each.ref for each in found.of(Role.TARGET) if found.quality[each.partition_id] is Quality.TAINTED)
