"""What is known of a series: its partitions, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from muniment.model.series import Role


class Quality(StrEnum):
    """What a partition is worth."""

    GOOD = "good"
    BAD = "bad"  # somebody, or a check, says so
    TAINTED = "tainted"  # made of something bad
    STALE = "stale"  # made of something that was replaced since, or without a delta that came later
    REPLACED = "replaced"  # another partition has its place now


@dataclass(frozen=True, slots=True)
class Partition:
    """One row of `ops.partition`."""

    partition_id: str
    role: Role
    start: datetime
    end: datetime
    generation: int = 1  # how often this role and time was made; the last one has its place
    base: str | None = None
    deltas: tuple[str, ...] = ()
    rows: int = 0
    deletes: int = 0
    checksum: str = ""
    sums: tuple[int, ...] = ()
    version: int = 0  # of the table that holds its rows
    produced_by: str = ""
    produced_at: datetime | None = None

    @property
    def ref(self) -> Ref:
        return Ref(self.role, self.start)

    def said(self) -> dict[str, object]:
        """As the commit of its rows names it, before anything is recorded."""
        return {"partition": self.partition_id, "place": str(self.ref), "generation": self.generation}


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """A partition as people name it."""

    role: Role
    at: datetime

    def __str__(self) -> str:
        return f"{self.role.value} {shown(self.at)}"


def shown(at: datetime) -> str:
    """A partition's time, as short as it can be.

    >>> from datetime import UTC
    >>> shown(datetime(2026, 3, 1, tzinfo=UTC)), shown(datetime(2026, 3, 1, 9, tzinfo=UTC))
    ('2026-03-01', '2026-03-01T09')
    """
    return at.strftime("%Y-%m-%dT%H" if at.hour else "%Y-%m-%d")
