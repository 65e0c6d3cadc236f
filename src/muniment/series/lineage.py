"""Which partitions are good, and what a target is to be made of: a function of the records alone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from muniment.decisions.marks import Mark, Verb
from muniment.model.series import Role
from muniment.series.records import Partition, Quality

Place = tuple[Role, datetime]


@dataclass(frozen=True, slots=True)
class Standing:
    """All partitions of a series and what each is worth."""

    partitions: Mapping[str, Partition]
    quality: Mapping[str, Quality]
    current: Mapping[Place, Partition]  # who has the place of each role and time
    marked: frozenset[str]  # marks that nobody took back or cleared

    def of(self, role: Role) -> list[Partition]:
        """The partitions of a role that have their place, by time."""
        return sorted((found for found in self.current.values() if found.role is role), key=lambda found: found.start)

    def at(self, role: Role, start: datetime) -> Partition | None:
        """Who has this place."""
        return self.current.get((role, start))

    def is_good(self, partition: Partition) -> bool:
        return self.quality[partition.partition_id] is Quality.GOOD

    def readable(self, until: datetime | None = None) -> Partition | None:
        """The newest target that nothing bad is in; one that waits for a late delta is still the truth of before."""
        worth = (Quality.GOOD, Quality.STALE)
        found = [t for t in self.of(Role.TARGET) if self.quality[t.partition_id] in worth and (until is None or t.start <= until)]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a target is made of, or why it cannot be made."""

    at: datetime
    held: Partition | None = None  # it is there already, and good
    base: Partition | None = None
    deltas: tuple[Partition, ...] = ()
    blocked: tuple[Partition, ...] = ()  # bad deltas in the way


def standing(partitions: Iterable[Partition], marks: Iterable[Mark]) -> Standing:
    """Judge every partition: by marks, by who has its place, and by what it was made of."""
    known = {each.partition_id: each for each in partitions}
    current: dict[Place, Partition] = {}
    for each in known.values():
        held = current.get((each.role, each.start))
        if held is None or each.generation > held.generation:
            current[each.role, each.start] = each
    last = _last_words(marks)
    bad = frozenset(target for target, verb in last.items() if verb is not Verb.UNMARK)
    marked = frozenset(target for target, verb in last.items() if verb is Verb.MARK and target in known)
    made = _Lines(known, current, bad).judged()
    quality = {name: _worth(each, made[name], current=current, bad=bad) for name, each in known.items()}
    return Standing(known, quality, current, marked)


def recipe(found: Standing, at: datetime) -> Recipe:
    """The newest good target or dump at or before a time, and every delta after it; of one time the dump goes first."""
    held = found.at(Role.TARGET, at)
    if held is not None and found.is_good(held):
        return Recipe(at, held=held)
    bases = [each for role in (Role.DUMP, Role.TARGET) for each in found.of(role) if each.start <= at and found.is_good(each)]
    base = max(bases, key=lambda each: (each.start, each.role is Role.DUMP), default=None)
    if base is None:
        return Recipe(at)
    deltas = tuple(delta for delta in found.of(Role.DELTA) if base.start < delta.start <= at)
    return Recipe(at, None, base, deltas, tuple(delta for delta in deltas if not found.is_good(delta)))


def to_rebuild(found: Standing) -> list[Partition]:
    """The targets that have to be made again, in order."""
    worn = (Quality.BAD, Quality.TAINTED, Quality.STALE)
    return [target for target in found.of(Role.TARGET) if found.quality[target.partition_id] in worn]


def to_clear(found: Standing) -> list[Partition]:
    """Marked partitions whose place a good one has now."""
    marked = (found.partitions[name] for name in found.marked)
    replaced = [each for each in marked if found.current[each.role, each.start] is not each]
    return sorted((each for each in replaced if found.is_good(found.current[each.role, each.start])), key=lambda each: each.ref)


def waiting(found: Standing) -> list[Partition]:
    """Marked dumps and deltas that nothing has replaced: they can only be landed again."""
    here = (found.partitions[name] for name in found.marked)
    return sorted(
        (each for each in here if each.role is not Role.TARGET and found.current[each.role, each.start] is each), key=lambda e: e.ref
    )


def substituted(found: Standing, target: Partition) -> bool:
    """A target that was made from further back, because what lay between was not good."""
    base = found.partitions.get(target.base or "")
    between = (each for each in found.partitions.values() if each.role is Role.TARGET and base and base.start < each.start < target.start)
    return any(each.partition_id < target.partition_id for each in between)


def _last_words(marks: Iterable[Mark]) -> dict[str, Verb]:
    return {mark.target: mark.verb for mark in sorted(marks, key=lambda mark: (mark.made_at, mark.mark_id))}


def _worth(partition: Partition, made: Quality, *, current: Mapping[Place, Partition], bad: frozenset[str]) -> Quality:
    if current[partition.role, partition.start] is not partition:
        return Quality.REPLACED
    return Quality.BAD if partition.partition_id in bad else made


class _Lines:
    """What each partition is worth by what it was made of, back to its dump."""

    def __init__(self, known: Mapping[str, Partition], current: Mapping[Place, Partition], bad: frozenset[str]) -> None:
        self._known, self._current, self._bad = known, current, bad
        self._deltas = sorted((each for each in current.values() if each.role is Role.DELTA), key=lambda each: each.start)
        self._starts = [each.start for each in self._deltas]

    def judged(self) -> dict[str, Quality]:
        """Each line is walked once, from the oldest that is not judged yet."""
        found: dict[str, Quality] = {}
        for each in self._known.values():
            line: list[Partition] = []
            here: Partition | None = each
            while here is not None and here.partition_id not in found:
                line.append(here)
                here = self._known.get(here.base) if here.base is not None else None
            for one in reversed(line):
                found[one.partition_id] = self._made(one, found.get(one.base or "", Quality.GOOD))
        return found

    def _made(self, partition: Partition, base: Quality) -> Quality:
        if base is Quality.TAINTED or partition.base in self._bad or not self._bad.isdisjoint(partition.deltas):
            return Quality.TAINTED
        return Quality.STALE if base is Quality.STALE or self._is_stale(partition) else Quality.GOOD

    def _is_stale(self, partition: Partition) -> bool:
        """Made of a dump or deltas that have lost their place, or without one that has come since."""
        if partition.role is not Role.TARGET:
            return self._current[partition.role, partition.start] is not partition
        base = self._known.get(partition.base or "")
        first = bisect_right(self._starts, base.start if base else partition.start)
        due = self._deltas[first : bisect_right(self._starts, partition.start)]
        return tuple(each.partition_id for each in due) != partition.deltas
