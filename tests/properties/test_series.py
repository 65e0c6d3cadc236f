"""What a target is made of, against a plain-Python oracle: random series of thirty days with random marks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from pyspark.sql import SparkSession

from muniment.decisions.marks import Mark, Verb
from muniment.model.attribute import KeyPart
from muniment.model.series import Role, Series
from muniment.series.lineage import recipe, standing
from muniment.series.records import Partition
from muniment.series.rows import apply_change, net_change

from tests.properties.series_oracle import Change, Oracle, Table

CASES, DAYS = 500, 30
ZERO = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass
class Played:
    """One random series, told to the oracle and to the records at once."""

    dice: Random
    oracle: Oracle = field(default_factory=Oracle)
    partitions: list[Partition] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    contents: dict[str, list[Change]] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)  # the oracle's number → partition

    def play(self) -> None:
        self._dump(0)
        for day in range(1, DAYS):
            if self.dice.random() < 0.1:
                self._dump(day)
            if self.dice.random() < 0.9:
                self._delta(day)
            if self.dice.random() < 0.9:
                self.build(day)
            if self.dice.random() < 0.25:
                self._mark(self.dice.choice(list(self.numbers)))
            if self.dice.random() < 0.15 and self.oracle.bad:
                self._unmark(self.dice.choice(sorted(self.oracle.bad)))
            if self.dice.random() < 0.05:
                self._delta(self.dice.randrange(1, day + 1))  # late, or instead of another
            if self.dice.random() < 0.3:
                self.build(self.dice.randrange(1, day + 1))

    def _changes(self, *, deletes: bool) -> list[Change]:
        keys = [self.dice.choice("abcdef") for _ in range(self.dice.randrange(1, 6))]
        return [(key, order, None if deletes and self.dice.random() < 0.25 else self.dice.randrange(100)) for order, key in enumerate(keys)]

    def _dump(self, day: int) -> None:
        rows: Table = {key: value or 0 for key, _, value in self._changes(deletes=False)}
        self.numbers[self.oracle.dump(day, rows)] = self._put(Role.DUMP, day, [(key, 0, value) for key, value in rows.items()])

    def _delta(self, day: int) -> None:
        changes = self._changes(deletes=True)
        self.dice.shuffle(changes)
        self.numbers[self.oracle.delta(day, changes)] = self._put(Role.DELTA, day, changes)

    def _mark(self, number: int) -> None:
        self.oracle.bad.add(number)
        self._say(number, Verb.MARK)

    def _unmark(self, number: int) -> None:
        self.oracle.bad.discard(number)
        self._say(number, Verb.UNMARK)

    def _say(self, number: int, verb: Verb) -> None:
        moment = ZERO + timedelta(seconds=len(self.marks))
        self.marks.append(Mark(f"{len(self.marks):04}", verb, self.numbers[number], "dice", "thrown", moment))

    def build(self, day: int) -> None:
        """Both build, and must agree on whether and from what."""
        found = recipe(standing(self.partitions, self.marks), ZERO + day * DAY)
        said = self.oracle.build(day)
        ours = "held" if found.held else "no base" if found.base is None else "bad delta" if found.blocked else "made"
        assert ours == said
        if said == "made" and found.base is not None:
            name = self._put(Role.TARGET, day, [], base=found.base.partition_id, deltas=tuple(d.partition_id for d in found.deltas))
            self.numbers[self.oracle.numbers] = name

    def _put(self, role: Role, day: int, rows: list[Change], base: str | None = None, deltas: tuple[str, ...] = ()) -> str:
        start = ZERO + day * DAY
        generation = 1 + sum(each.role is role and each.start == start for each in self.partitions)
        name = f"p{len(self.partitions):04}"
        self.partitions.append(Partition(name, role, start, start + DAY, generation, base, deltas))
        self.contents[name] = rows
        return name

    def parts(self, target: Partition) -> tuple[str, list[str]]:
        """The dump that a target goes back to and all deltas on the way, oldest first."""
        known = {each.partition_id: each for each in self.partitions}
        deltas: list[str] = []
        here = target
        while here.role is Role.TARGET:
            deltas = [*here.deltas, *deltas]
            here = known[here.base or ""]
        return here.partition_id, deltas


@pytest.fixture(scope="module")
def played() -> list[Played]:
    cases = [Played(Random(number)) for number in range(CASES)]
    for case in cases:
        case.play()
    return cases


def test_five_hundred_random_series_choose_and_judge_as_the_oracle_does(played: list[Played]) -> None:
    verdicts = set()
    for case in played:
        found = standing(case.partitions, case.marks)
        for day in range(DAYS):
            target = found.at(Role.TARGET, ZERO + day * DAY)
            assert (target is not None) == (day in case.oracle.targets)
            if target is not None:
                assert found.is_good(target) == case.oracle.is_good(day)
                verdicts.add(found.quality[target.partition_id].value)
            readable = found.readable(ZERO + day * DAY)
            shown = next((n for n, name in case.numbers.items() if readable and name == readable.partition_id), None)
            rows = next((made.rows for made in case.oracle.targets.values() if made.number == shown), None)
            assert rows == case.oracle.read(day)
    assert verdicts == {"good", "bad", "tainted", "stale"}
    assert sum(len(case.oracle.targets) for case in played) > 5_000


def test_what_goes_round_a_bad_target_has_the_rows_of_a_series_that_never_had_it(played: list[Played], spark: SparkSession) -> None:
    """The rows of every target of every series, made by Spark from what the records name, in one run."""
    bases, deltas, wanted = [], [], {}
    for number, case in enumerate(played):
        found = standing(case.partitions, case.marks)
        for day, made in case.oracle.targets.items():
            target = found.at(Role.TARGET, ZERO + day * DAY)
            assert target is not None
            series = f"{number}/{day}"
            dump, applied = case.parts(target)
            bases += [(series, key, value) for key, _, value in case.contents[dump]]
            for place, name in enumerate(applied):
                deltas += [(series, key, order, value, value is None, place) for key, order, value in case.contents[name]]
            wanted[series] = made.rows
    ledger = Series("ledger", (KeyPart("series", "string"), KeyPart("account", "string")), order=("seq",))
    base = spark.createDataFrame(bases, "series string, account string, value long")
    changed = spark.createDataFrame(deltas, "series string, account string, seq long, value long, is_deleted boolean, place int")
    rows = apply_change(base, net_change(changed, series=ledger, place="place"), series=ledger).collect()
    assert len(rows) == len({(row["series"], row["account"]) for row in rows})
    made_by_spark: dict[str, Table] = {series: {} for series in wanted}
    for row in rows:
        made_by_spark[row["series"]][row["account"]] = row["value"]
    assert made_by_spark == wanted
