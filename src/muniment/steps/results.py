"""What the steps return: counts with names, never bare dicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Landed:
    """What one landing did; received = landed + quarantined + ignored (R19)."""

    run_id: str
    entity: str
    source: str
    received: int = 0
    landed: int = 0
    quarantined: int = 0
    ignored: int = 0
    skipped: int = 0
    held: bool = False
    reasons: Mapping[str, int] = field(default_factory=dict)
    messages: tuple[str, ...] = ()
    dry_run: bool = False
    marked: tuple[str, ...] = ()  # the checks that hold this run: derive stops before it


@dataclass(frozen=True, slots=True)
class Released:
    """What became of rows that a person released."""

    run_id: str
    released: int = 0
    refused: int = 0
    repeated: int = 0
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Maintained:
    """What maintenance did to one table."""

    table: str
    files_before: int
    files_after: int
    removed: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Derived:
    """What one derive did to the history."""

    entity: str
    keys: int = 0
    opened: int = 0
    closed: int = 0
    repaired: int = 0
    late: int = 0
    collisions: int = 0
    unchanged: int = 0
    changed: int = 0
    held: tuple[str, ...] = ()  # runs before which it stopped, because somebody holds them

    def counts(self) -> dict[str, int]:
        """The numbers by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("entity", "held")}


@dataclass(frozen=True, slots=True)
class Resolved:
    """What one resolve did to belief."""

    entity: str
    keys: int = 0  # looked at
    opened: int = 0
    closed: int = 0
    contested: int = 0  # intervals of these keys on which a live source disagrees
    unchanged: int = 0  # keys that stayed as they were
    changed: int = 0  # intervals that differ
    rule_version: int = 0

    def counts(self) -> dict[str, int]:
        """The numbers by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "entity"}


@dataclass(frozen=True, slots=True)
class Pinned:
    """An answer that is kept, with the proof of how it was made; `repeated`: it was kept before and is equal."""

    name: str
    entity: str
    as_of: datetime
    known_at: datetime
    rows: int
    digest: str
    rule_version: int
    log_version: int
    log_link: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """What one apply did to a dimension; rows with a key become inserted, updated or unchanged members, all others are rejected."""

    dimension: str
    inserted: int = 0  # members that are new
    updated: int = 0  # members that changed, deleted ones not counted
    closed: int = 0  # versions that ended
    unchanged: int = 0  # members that stayed as they were
    rejected: int = 0  # rows set aside
    opened: int = 0  # versions that began
    deleted: int = 0  # members that are gone
    refused: int = 0  # attempts on columns of type 0
    changed: int = 0  # rows of the dimension that differ
    messages: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """The numbers by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("dimension", "messages")}
