"""What merge and historic loads mean, in plain Python: written from their description, a key at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

Key = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Said:
    """A row of a slice; what the slice has no column for is not in `values`."""

    key: Key
    values: Mapping[str, object]
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Version:
    """A row of the table; for merge only the last of each key is there."""

    values: Mapping[str, object]
    deleted: bool
    seen: int
    start: int
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """Where a slice should have everything: after `low` (or at it), up to `high`."""

    low: int
    high: int
    closed: bool = False

    def holds(self, value: object) -> bool:
        if not isinstance(value, int):
            return False
        return (self.low <= value if self.closed else self.low < value) and value <= self.high


@dataclass(slots=True)
class Table:
    """All versions of all keys, the oldest of a key first."""

    historic: bool
    columns: Sequence[str]
    parts: Sequence[str]
    watermark: str
    keys: dict[Key, list[Version]]

    def load(self, rows: Sequence[Said], *, at: int, window: Window | None = None) -> Counter[str]:
        """One slice; what became of each row, and what it lacked."""
        counts: Counter[str] = Counter()
        missing = self._missing(rows, window)
        for row in rows:
            counts[self._hear(row, at)] += 1
        for key in missing:
            self._end(key, at, seen=self.keys[key][-1].seen)
            counts["inferred"] += 1
        return counts

    def _hear(self, row: Said, at: int) -> str:
        versions = self.keys.get(row.key)
        if not versions:
            if row.gone:
                return "ignored"
            self.keys[row.key] = [Version({name: row.values.get(name) for name in self.columns}, False, at, at)]
            return "inserted"
        last = versions[-1]
        if row.gone and not last.deleted:
            self._end(row.key, at, seen=at)
            return "deleted"
        values = {**last.values, **row.values}
        if not row.gone and (last.deleted or values != last.values):
            self._put(row.key, Version(values, False, at, at), at)
            return "updated"
        versions[-1] = replace(last, seen=at)
        return "unchanged"

    def _end(self, key: Key, at: int, *, seen: int) -> None:
        self._put(key, Version(self.keys[key][-1].values, True, seen, at), at)

    def _put(self, key: Key, version: Version, at: int) -> None:
        """A version takes the place of one that began at the same instant, and of the one before it in a table without history."""
        before = self.keys[key]
        if not self.historic or before[-1].start == at:
            before[-1] = version
        else:
            before[-1] = replace(before[-1], end=at)
            before.append(version)

    def _missing(self, rows: Sequence[Said], window: Window | None) -> list[Key]:
        if window is None or not rows:
            return []
        here = {(row.key[0], *(row.values.get(part) for part in self.parts)) for row in rows}
        came = {row.key for row in rows}
        lasts = ((key, versions[-1]) for key, versions in self.keys.items())
        return [
            key
            for key, last in lasts
            if key not in came
            and not last.deleted
            and window.holds(last.values[self.watermark])
            and (key[0], *(last.values[part] for part in self.parts)) in here
        ]


COLUMNS = ("region", "a", "b", "modified")
LACKS: Mapping[int, tuple[str, ...]] = {2: ("b",), 3: ("a", "b"), 5: ("modified",)}  # columns that the slice of a step does not have


def slices(seed: int, sequences: int, steps: int) -> list[list[Said]]:
    """For each step the rows of all sequences: new keys, repeats, changes, nulls, deletes, returns, keys that move to another region."""
    random = Random(seed)
    return [[row for number in range(sequences) for row in _slice(random, number, step)] for step in range(steps)]


def _slice(random: Random, number: int, step: int) -> list[Said]:
    names = [name for name in COLUMNS if name not in LACKS.get(step, ())]
    return [
        Said((number, key), {name: _value(random, name) for name in names}, gone=random.random() < 0.15)
        for key in ("p", "q", "r", "s")
        if random.random() < 0.55
    ]


def _value(random: Random, name: str) -> object:
    choices: Mapping[str, Sequence[object]] = {
        "region": ("N", "S"),
        "a": ("x", "", None),
        "b": ("x", "y", None),
        "modified": (None, *range(10)),
    }
    return random.choice(choices[name])
