"""A series in plain Python, from its description: what a build gives when nothing is kept but what was landed, built and said."""

from __future__ import annotations

from dataclasses import dataclass, field

Row = tuple[str, int, int]  # key, order, value
Change = tuple[str, int, int | None]  # key, order, value; None: gone
Table = dict[str, int]


@dataclass
class Made:
    """A target as it was made: its rows, and everything that went into it."""

    rows: Table
    number: int
    dump: int  # the number of the dump it goes back to
    used: dict[int, int]  # day → number of the delta of that day
    through: set[int]  # numbers of the targets it goes back to


@dataclass
class Oracle:
    """What was landed by day, with a number for each thing so that the same day can be landed twice."""

    dumps: dict[int, tuple[int, Table]] = field(default_factory=dict)
    deltas: dict[int, tuple[int, list[Change]]] = field(default_factory=dict)
    targets: dict[int, Made] = field(default_factory=dict)
    bad: set[int] = field(default_factory=set)
    numbers: int = 0

    def dump(self, day: int, rows: Table) -> int:
        self.numbers += 1
        self.dumps[day] = (self.numbers, rows)
        return self.numbers

    def delta(self, day: int, changes: list[Change]) -> int:
        self.numbers += 1
        self.deltas[day] = (self.numbers, changes)
        return self.numbers

    def is_good(self, day: int) -> bool:
        """A target is good if nothing in it is bad, its dump still is the dump of its day, and no delta of its time is missing or another."""
        made = self.targets[day]
        parts = {made.number, made.dump, *made.used.values(), *made.through}
        start = next((d for d, (number, _) in self.dumps.items() if number == made.dump), None)
        if start is None or parts & self.bad:
            return False
        return made.used == {d: number for d, (number, _) in self.deltas.items() if start < d <= day}

    def build(self, day: int) -> str:
        """made, held, no base or bad delta; what is made is in `targets`."""
        if day in self.targets and self.is_good(day):
            return "held"
        for start in range(day, -1, -1):
            if start in self.dumps and self.dumps[start][0] not in self.bad:
                number, rows = self.dumps[start]
                return self._forward(day, start, Made(dict(rows), 0, number, {}, set()))
            if start in self.targets and self.is_good(start):
                old = self.targets[start]
                return self._forward(day, start, Made(dict(old.rows), 0, old.dump, dict(old.used), {*old.through, old.number}))
        return "no base"

    def _forward(self, day: int, start: int, made: Made) -> str:
        due = [d for d in sorted(self.deltas) if start < d <= day]
        if any(self.deltas[d][0] in self.bad for d in due):
            return "bad delta"
        for d in due:
            number, changes = self.deltas[d]
            made.used[d] = number
            for key, _, value in sorted(changes, key=lambda change: (change[0], change[1])):
                if value is None:
                    made.rows.pop(key, None)
                else:
                    made.rows[key] = value
        self.numbers += 1
        made.number = self.numbers
        self.targets[day] = made
        return "made"

    def read(self, day: int) -> Table | None:
        """The newest target up to a day with nothing bad in it."""
        for d in range(day, -1, -1):
            made = self.targets.get(d)
            if made is not None and not {made.number, made.dump, *made.used.values(), *made.through} & self.bad:
                return made.rows
        return None
