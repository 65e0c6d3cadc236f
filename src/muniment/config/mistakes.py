"""A mistake in the configuration: its place, and what to do about it; all of them are shown together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from muniment.errors import UserMistake

Place = tuple[str | int, ...]
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One thing to mend; `line` counts from 1 and is 0 for a configuration given in Python."""

    file: str
    line: int
    where: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return printable(": ".join(part for part in (place, self.where, self.message) if part))


class ConfigurationError(UserMistake):
    """Everything that is wrong with a configuration, sorted by file and line."""

    code = "MU-CONF-001"
    what = "{count} in the configuration\n{listed}"
    do = "Nothing was read or written. Mend them all, then ask again with: muniment check"

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(sorted(set(mistakes)))
        count = "1 mistake" if len(self.mistakes) == 1 else f"{len(self.mistakes)} mistakes"
        super().__init__(count=count, listed="\n".join(map(str, self.mistakes)))


def dotted(place: Place) -> str:
    """A place as people read it.

    >>> dotted(("belief", "rules", 0, "attributes"))
    'belief.rules[0].attributes'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{_short(step)}" for step in place)
    return "".join(steps).removeprefix(".")


def printable(text: str) -> str:
    """The text without what could move the cursor or turn the line around in a terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def _short(name: str) -> str:
    cut = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
    return cut if re.fullmatch(r"[\w…-]+", cut) else f"'{cut}'"
