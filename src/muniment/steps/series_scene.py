"""Where the verbs of one series work, and what they answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from threading import RLock

from muniment import clock
from muniment.alerts.channels import Message, tell
from muniment.lake.tables import Lake
from muniment.model.project import Alert
from muniment.model.series import Role, Series
from muniment.series.records import Ref
from muniment.steps.series_target import show_target

Moment = datetime | date | str
_one_at_a_time = RLock()


@dataclass(frozen=True, slots=True)
class Scene:
    """A series, the lake it is in, the others beside it, and whom to tell."""

    lake: Lake
    series: Series
    root: Path
    alerts: Sequence[Alert] = ()
    others: Mapping[str, Series] = field(default_factory=dict)

    @contextmanager
    def held(self, what: str) -> Iterator[None]:
        """Keep other processes and other threads of this one from changing the series' partitions meanwhile; then show readers what came of it."""
        with self.lake.lock(f"series {self.series.name} {what}"), _one_at_a_time:
            yield
            show_target(self.lake, self.series)

    def start(self, at: Moment) -> datetime:
        """The beginning of the day or hour that is meant."""
        return self.series.every.start(clock.utc(at.isoformat() if isinstance(at, date) and not isinstance(at, datetime) else at, "at"))

    def tell(self, kind: str, text: str, *, advice: str = "") -> list[str]:
        """Send an alert; what of it fails is returned in words."""
        return tell(self.alerts, self.root, Message(kind, f"series {self.series.name}", text, advice))


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a dump or a delta; `skipped`: the same was there already."""

    series: str
    role: Role
    at: datetime
    partition_id: str
    rows: int
    checksum: str
    deletes: int = 0
    skipped: bool = False
    marked: tuple[str, ...] = ()  # the checks that marked it bad
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """A target and what it was made of; not `written`: it was there already, and good."""

    series: str
    at: datetime
    base: Ref
    deltas: tuple[Ref, ...]
    rows: int
    checksum: str
    partition_id: str = ""
    written: bool = True
    changed: int = 0  # rows of the base that went or came
    missing: tuple[datetime, ...] = ()  # days or hours of which no delta was ever heard
    marked: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
