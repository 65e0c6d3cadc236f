"""The declared rules by which belief follows from evidence (R20, R21)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RuleName(StrEnum):
    PRECEDENCE = "precedence"
    MOST_RECENT = "most_recent"
    MOST_COMPLETE = "most_complete"
    LONGEST = "longest"
    MOST_FREQUENT = "most_frequent"


class Nulls(StrEnum):
    SILENT = "silent"
    COMPETE = "compete"


@dataclass(frozen=True, slots=True)
class BeliefRule:
    """How one group of attributes is decided; no sources: all may speak."""

    attributes: tuple[str, ...]
    rule: RuleName
    sources: tuple[str, ...] = ()
    together: bool = False
    nulls: Nulls = Nulls.SILENT


@dataclass(frozen=True, slots=True)
class Belief:
    rules: tuple[BeliefRule, ...] = ()
    deletion_sources: tuple[str, ...] = ()  # none: all
