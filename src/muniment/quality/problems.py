"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it should be: which check, where, what."""

    check: str
    where: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of all checks."""

    ok: bool
    problems: tuple[Problem, ...]
    checks: tuple[str, ...]
