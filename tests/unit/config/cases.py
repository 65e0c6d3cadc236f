"""A mistake that people make: the line is marked in the YAML, the message stands below it."""

from __future__ import annotations

from typing import NamedTuple

MARK = "# <- here"


class Case(NamedTuple):
    """One mistake: YAML with a mark in the line, and what is said about it."""

    yaml: str
    says: str
