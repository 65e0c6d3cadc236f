"""One root, a stable code, what happened, and what to do next; the exit code follows from the kind."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, TypeVar

E = TypeVar("E", bound=StrEnum)


class MunimentError(Exception):
    """Root of every error a person may meet.

    Subclasses declare `code`, `what` and `do`; the keyword arguments fill the places in both texts and stay readable as `facts`.
    """

    code: ClassVar[str] = "MU-000"
    what: ClassVar[str] = "{message}"
    do: ClassVar[str] = ""
    exit_code: ClassVar[int] = 4

    def __init__(self, **facts: object) -> None:
        self.facts = facts
        super().__init__(self.text())

    def text(self) -> str:
        """What happened, in one line or a few."""
        return self.what.format(**self.facts)

    def advice(self) -> str:
        """What to do next, or nothing."""
        return self.do.format(**self.facts)

    def __str__(self) -> str:
        advice = self.advice()
        return f"{self.code} {self.text()}" + (f"\n  {advice}" if advice else "")


class UserMistake(MunimentError):
    """Something the caller can mend: a name, an argument, a setting."""

    exit_code = 2


class DataRefused(MunimentError):
    """Data that must not go on as it is; nothing was lost."""

    exit_code = 3


class InfrastructureFailed(MunimentError):
    """The world around Muniment failed: a disk, a table, another process."""

    exit_code = 4


class UnknownName(UserMistake):
    code = "MU-NAME-001"
    what = "there is no {kind} '{name}'{hint}"
    do = "Known: {known}."


class BadArgument(UserMistake):
    code = "MU-ARG-001"
    what = "{argument}: {problem}"
    do = "{advice}"


def choice(kind: type[E], given: str | None, argument: str) -> E | None:
    """One of the words that an argument may have, or nothing where nothing was given."""
    if given is None:
        return None
    try:
        return kind(given)
    except ValueError:
        words = " or ".join(each.value for each in kind)
        raise BadArgument(argument=argument, problem=f"'{given}' is not a choice", advice=f"Write {words}.") from None
