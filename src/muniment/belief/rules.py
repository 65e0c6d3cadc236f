"""The rules by which one candidate is preferred: a new one is one class, and one line in the list at the end (R20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, and_
from typing import ClassVar, Protocol

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.belief.questions import Question, Speaker
from muniment.model.belief import RuleName


@dataclass(frozen=True, slots=True)
class Candidate:
    """One source's last explicit statement, as expressions; `values` may be null where it says nothing or null."""

    speaker: Speaker
    stands: Column  # it says something that competes
    at: Column
    values: tuple[Column, ...]  # of what is decided
    compared: tuple[Column, ...]  # the same as they are compared (R2)
    group: tuple[Column, ...]  # what the source says of the rule's whole group


class Rule(Protocol):
    """Gives each candidate a weight; the heaviest wins, of equals the latest, then the rank, then the later name."""

    @property
    def name(self) -> RuleName: ...

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> Column:
        """A whole number."""


@dataclass(frozen=True, slots=True)
class Precedence:
    """The strongest source that has something to say: by the rule's own list, else by the entity's precedence."""

    name: ClassVar[RuleName] = RuleName.PRECEDENCE

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> Column:
        order = question.rule.sources
        return F.lit(len(order) - order.index(candidate.speaker.name) if order else candidate.speaker.rank)


@dataclass(frozen=True, slots=True)
class MostRecent:
    """The latest statement."""

    name: ClassVar[RuleName] = RuleName.MOST_RECENT

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> Column:
        return F.lit(0)


@dataclass(frozen=True, slots=True)
class MostComplete:
    """The source with most values in the group."""

    name: ClassVar[RuleName] = RuleName.MOST_COMPLETE

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> Column:
        return reduce(add, (value.isNotNull().cast("int") for value in candidate.group))


@dataclass(frozen=True, slots=True)
class Longest:
    """The longest text; a null is shorter than an empty one."""

    name: ClassVar[RuleName] = RuleName.LONGEST

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> Column:
        return reduce(add, (F.coalesce(F.char_length(value.cast("string")), F.lit(-1)) for value in candidate.values))


@dataclass(frozen=True, slots=True)
class MostFrequent:
    """The value that most candidates share."""

    name: ClassVar[RuleName] = RuleName.MOST_FREQUENT

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> Column:
        agreeing = (F.coalesce(other.stands & _same(candidate, other), F.lit(False)).cast("int") for other in among)
        return reduce(add, agreeing)


RULES: tuple[Rule, ...] = (Precedence(), MostRecent(), MostComplete(), Longest(), MostFrequent())


def rule_of(question: Question) -> Rule:
    """The rule that decides a question."""
    return next(rule for rule in RULES if rule.name is question.rule.rule)


def winner(candidates: Sequence[Candidate], question: Question) -> Column:
    """The number of the source that wins, or null where nobody competes."""
    rule = rule_of(question)
    entries = [
        F.when(
            one.stands,
            F.struct(
                rule.weigh(one, candidates, question).alias("weight"),
                one.at.alias("at"),
                F.lit(one.speaker.rank).alias("rank"),
                F.lit(one.speaker.number).alias("number"),
            ),
        )
        for one in candidates
    ]
    return heaviest(entries)["number"]


def heaviest(entries: Sequence[Column]) -> Column:
    """The greatest of some structs; nulls do not count."""
    return entries[0] if len(entries) == 1 else F.greatest(*entries)


def _same(one: Candidate, other: Candidate) -> Column:
    return reduce(and_, (left.eqNullSafe(right) for left, right in zip(one.compared, other.compared, strict=True)))
