"""The rules by which one candidate is preferred: a new one is one class, and one line in the list at the end (R20).

Everything is SQL text, because each column that Python builds is several calls to Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from muniment.belief.questions import Question, Speaker
from muniment.model.belief import RuleName


@dataclass(frozen=True, slots=True)
class Candidate:
    """One source's last explicit statement, as expressions; `values` may be null where it says nothing or null."""

    speaker: Speaker
    stands: str  # it says something that competes
    at: str
    values: tuple[str, ...]  # of what is decided
    compared: tuple[str, ...]  # the same as they are compared (R2)
    group: tuple[str, ...]  # what the source says of the rule's whole group


class Rule(Protocol):
    """Gives each candidate a weight; the heaviest wins, of equals the latest, then the rank, then the later name."""

    @property
    def name(self) -> RuleName: ...

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> str:
        """A whole number."""


@dataclass(frozen=True, slots=True)
class Precedence:
    """The strongest source that has something to say: by the rule's own list, else by the entity's precedence."""

    name: ClassVar[RuleName] = RuleName.PRECEDENCE

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> str:
        order = question.rule.sources
        return str(len(order) - order.index(candidate.speaker.name) if order else candidate.speaker.rank)


@dataclass(frozen=True, slots=True)
class MostRecent:
    """The latest statement."""

    name: ClassVar[RuleName] = RuleName.MOST_RECENT

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> str:
        return "0"


@dataclass(frozen=True, slots=True)
class MostComplete:
    """The source with most values in the group."""

    name: ClassVar[RuleName] = RuleName.MOST_COMPLETE

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> str:
        return _sum(f"{value} IS NOT NULL" for value in candidate.group)


@dataclass(frozen=True, slots=True)
class Longest:
    """The longest text; a null is shorter than an empty one."""

    name: ClassVar[RuleName] = RuleName.LONGEST

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> str:
        return _sum(f"coalesce(char_length(CAST({value} AS STRING)), -1)" for value in candidate.values)


@dataclass(frozen=True, slots=True)
class MostFrequent:
    """The value that most candidates share."""

    name: ClassVar[RuleName] = RuleName.MOST_FREQUENT

    def weigh(self, candidate: Candidate, among: Sequence[Candidate], question: Question) -> str:
        return _sum(f"coalesce({other.stands} AND {_same(candidate, other)}, false)" for other in among)


RULES: tuple[Rule, ...] = (Precedence(), MostRecent(), MostComplete(), Longest(), MostFrequent())


def rule_of(question: Question) -> Rule:
    """The rule that decides a question."""
    return next(rule for rule in RULES if rule.name is question.rule.rule)


def winner(candidates: Sequence[Candidate], question: Question) -> str:
    """The number of the source that wins, or null where nobody competes."""
    rule = rule_of(question)
    return heaviest([(one.speaker, one.stands, one.at, rule.weigh(one, candidates, question)) for one in candidates])


def heaviest(entries: Sequence[tuple[Speaker, str, str, str]]) -> str:
    """The number of the speaker of greatest weight, of equals the latest, of those the one of highest rank; one that does not stand does not count."""
    weighed = [
        f"CASE WHEN {stands} THEN named_struct('weight', {weight}, 'at', {at}, 'rank', {speaker.rank}, 'number', {speaker.number}) END"
        for speaker, stands, at, weight in entries
    ]
    if not weighed:
        return "CAST(NULL AS INT)"
    return f"(greatest({', '.join(weighed)})).number" if len(weighed) > 1 else f"({weighed[0]}).number"


def _sum(terms: Iterable[str]) -> str:
    return " + ".join(f"CAST({term} AS INT)" for term in terms)


def _same(one: Candidate, other: Candidate) -> str:
    return " AND ".join(f"({left} <=> {right})" for left, right in zip(one.compared, other.compared, strict=True))
