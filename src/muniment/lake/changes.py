"""Which rows go when others come, in one commit (R24)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """The rows of the table that a predicate names, as literals; every row that comes must match it too."""

    predicate: str

    def options(self) -> Mapping[str, str]:
        """As the writer takes it."""
        return {"replaceWhere": self.predicate}


@dataclass(frozen=True, slots=True)
class On:
    """The rows of the table (`t`) that match a row that comes (`s`); none go for an empty change."""

    condition: str

    def options(self) -> Mapping[str, str]:
        """As the writer takes it."""
        return {"replaceOn": self.condition, "targetAlias": TARGET}


@dataclass(frozen=True, slots=True)
class Using:
    """The rows of the table that have the same values as a row that comes in these columns; null matches nothing."""

    columns: tuple[str, ...]

    def options(self) -> Mapping[str, str]:
        """As the writer takes it."""
        return {"replaceUsing": ", ".join(self.columns)}


@dataclass(frozen=True, slots=True)
class Partitions:
    """The partitions that the rows that come are in; none go for an empty change."""

    def options(self) -> Mapping[str, str]:
        """As the writer takes it."""
        return {"partitionOverwriteMode": "dynamic"}


@dataclass(frozen=True, slots=True)
class Everything:
    """All rows of the table."""

    def options(self) -> Mapping[str, str]:
        """As the writer takes it."""
        return {}


Replacement = Where | On | Using | Partitions | Everything

SOURCE, TARGET = "s", "t"
