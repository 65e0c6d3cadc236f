"""A load: the straight lane from slices to a table, by a strategy and without a log."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from muniment.columns import Col
from muniment.model.attribute import KeyPart
from muniment.model.check import Check
from muniment.model.entity import Entity
from muniment.model.expression import Value
from muniment.model.info import Info
from muniment.model.source import Absence, Read


class Strategy(StrEnum):
    FULL = "full"  # the slice replaces the table, or the partitions it has
    MERGE = "merge"  # one row per key: the last that was said
    HISTORIC = "historic"  # a version per change


class Drift(StrEnum):
    """What happens where a slice has other columns than the table."""

    EVOLVE = "evolve"
    IGNORE = "ignore"
    FAIL = "fail"


class Window(StrEnum):
    """Whether a row exactly at the last watermark should have come again: it has, where the source is read with 'at least'."""

    CLOSED = "closed"
    OPEN_START = "open_start"


class Operation(StrEnum):
    AND = "and"
    OR = "or"


@dataclass(frozen=True, slots=True)
class LoadColumn:
    """A column of the table: what it is made of, and its type (a canonical name)."""

    name: str
    type: str
    source: str | None = None  # its name in the slice, where that is another
    value: Value | None = None  # calculated


@dataclass(frozen=True, slots=True)
class Watermark:
    """A column that grows, and how far back the source is read again."""

    column: str
    lag: timedelta | None = None
    operation: Operation = Operation.AND  # with those before it


@dataclass(frozen=True, slots=True)
class SystemNames:
    """The columns that Muniment keeps itself, with the prefix that the load gives them."""

    prefix: str = ""

    def __getattr__(self, name: str) -> str:
        """Any of them by its plain name."""
        if name not in SYSTEM:
            raise AttributeError(name)
        return f"{self.prefix}{name}"


SYSTEM = {
    "sk": Col("sk", "string", "SHA-256 of the canonical business key (R1)"),
    "source_hash": Col("source_hash", "string", "SHA-256 of what the slice said, nulls left out (R2, R4)"),
    "source_file": Col("source_file", "string", "The slice's file, where there is one"),
    "ingest_run_id": Col("ingest_run_id", "string", "The run that wrote these values (ops.run)"),
    "is_deleted": Col("is_deleted", "boolean", "Gone: the slice said so, or lacked it inside the watermark's window"),
    "last_seen_ts": Col(
        "last_seen_ts", "timestamp", "Processing time of the last slice that had this key; never moves on a closed version"
    ),
    "effective_from": Col("effective_from", "timestamp", "Start of the interval, inclusive (R5)"),
    "effective_to": Col("effective_to", "timestamp", "End of the interval, exclusive; null: open (R5)"),
    "is_current": Col("is_current", "boolean", "The version that answers now: the partition"),
}
VALIDITY = ("effective_from", "effective_to", "is_current")


@dataclass(frozen=True, slots=True)
class Load:
    name: str
    strategy: Strategy
    key: tuple[KeyPart, ...]
    columns: tuple[LoadColumn, ...] = ()  # the key's own included
    transforms: tuple[tuple[str, Value], ...] = ()
    read: Read | None = None
    partition: tuple[str, ...] = ()
    watermarks: tuple[Watermark, ...] = ()
    deleted: Value | None = None  # a condition: the row says that its key is gone
    absence: Absence = Absence.KEPT
    window: Window = Window.OPEN_START
    max_deleted: float = 0.5
    drift: Drift = Drift.EVOLVE
    prefix: str = ""
    checks: tuple[Check, ...] = ()
    info: Info = field(default_factory=Info)

    @property
    def table(self) -> str:
        return f"silver.{self.name}"

    @property
    def names(self) -> SystemNames:
        return SystemNames(self.prefix)

    @property
    def key_names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.key)

    @property
    def is_historic(self) -> bool:
        return self.strategy is Strategy.HISTORIC

    @property
    def system(self) -> tuple[str, ...]:
        """The plain names of the system columns that its table has, in order."""
        return tuple(name for name in SYSTEM if self.is_historic or name not in VALIDITY)

    @property
    def system_columns(self) -> tuple[str, ...]:
        """The same as they are called in its table."""
        return tuple(getattr(self.names, name) for name in self.system)

    @property
    def judged_as(self) -> Entity:
        """Its rows as those of an entity that always states every column: checks mean the same in every family."""
        return Entity(self.name, tuple(KeyPart(column.name, column.type) for column in self.columns), (), checks=self.checks)

    @property
    def infers(self) -> bool:
        """What a slice lacks may be gone."""
        return self.absence is Absence.DELETES
