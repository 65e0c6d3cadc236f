"""A series: dumps, deltas and targets of one table, by day or hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from muniment.model.attribute import Attribute, KeyPart
from muniment.model.check import SeriesCheck
from muniment.model.info import Info
from muniment.model.source import Format, Ops


class Every(StrEnum):
    """How long a partition is."""

    DAY = "day"
    HOUR = "hour"

    @property
    def length(self) -> timedelta:
        return timedelta(days=1) if self is Every.DAY else timedelta(hours=1)

    def start(self, moment: datetime) -> datetime:
        """The beginning of the day or hour that a moment lies in, UTC."""
        hour = moment.replace(minute=0, second=0, microsecond=0)
        return hour.replace(hour=0) if self is Every.DAY else hour


class Role(StrEnum):
    """What a partition is: a full dump, the changes of a period, or the table that was made of both."""

    DUMP = "dump"
    DELTA = "delta"
    TARGET = "target"


USUAL_OPS = Ops("op", insert=("c", "r", "i", "insert"), update=("u", "update", "upsert"), delete=("d", "delete"))


@dataclass(frozen=True, slots=True)
class Series:
    """One table that is kept as partitions; without columns those of the first data hold."""

    name: str
    key: tuple[KeyPart, ...]
    every: Every = Every.DAY
    order: tuple[str, ...] = ()  # what orders the rows of one key inside a delta
    columns: tuple[Attribute, ...] = ()
    op: Ops = USUAL_OPS
    format: Format | None = None  # None: by the file's name
    options: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[SeriesCheck, ...] = ()
    info: Info = field(default_factory=Info)

    @property
    def key_names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.key)
