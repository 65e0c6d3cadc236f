"""Which names may be given to things."""

from __future__ import annotations

import re

from muniment.config.mistakes import printable

NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,63}$"
PROJECT_NAME = r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$"
LONGEST_COLUMN = 128


def check_name(text: str) -> str:
    """A name that becomes part of table names: entity, source, connection, target."""
    if not re.fullmatch(NAME.strip("^$"), text):
        raise ValueError(f"{_shown(text)} cannot be a name here; use letters, digits and _, not a digit first, at most 64")
    return text


def check_project_name(text: str) -> str:
    """The name of a project."""
    if not re.fullmatch(PROJECT_NAME.strip("^$"), text):
        raise ValueError(f"{_shown(text)} cannot name a project; use letters, digits, _ and -, a letter first, at most 64")
    return text


def check_column_name(text: str) -> str:
    """A name that becomes a column: key part or attribute, in any script."""
    if not text.isidentifier() or len(text) > LONGEST_COLUMN:
        raise ValueError(
            f"{_shown(text)} cannot be a column; use letters, digits and _ (any script), not a digit first, at most {LONGEST_COLUMN}"
        )
    return text


def check_part_name(text: str) -> str:
    """The name of a catalog or a schema."""
    if not re.fullmatch(r"[\w-]{1,255}", text):
        raise ValueError(f"{_shown(text)} cannot name a catalog or a schema; use letters, digits, _ and -")
    return text


def check_variable(text: str) -> str:
    """The name of an environment variable."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise ValueError(f"{_shown(text)} is not the name of an environment variable, such as KAFKA_PASSWORD")
    return text


def check_prefix(text: str) -> str:
    """What stands before the names of system columns."""
    if text and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,15}", text):
        raise ValueError(f"{_shown(text)} cannot be a prefix; use letters, digits and _, not a digit first, at most 16")
    return text


def _shown(text: str) -> str:
    return f"'{printable(text[:40])}{'…' if len(text) > 40 else ''}'"
