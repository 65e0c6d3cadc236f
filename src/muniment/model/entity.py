"""An entity: its key, its attributes, who speaks about it, and how its history is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from muniment.model.attribute import Attribute, KeyPart
from muniment.model.belief import Belief
from muniment.model.check import Check
from muniment.model.info import Info
from muniment.model.source import Source


class Kind(StrEnum):
    STATE = "state"
    EVENT = "event"


class Completion(StrEnum):
    """Where a partial row takes from what it does not state (R8)."""

    SOURCE_TIME = "source_time"
    AS_RECEIVED = "as_received"


class Deletes(StrEnum):
    VERSION = "version"
    CLOSE = "close"


class Late(StrEnum):
    REPAIR = "repair"
    FORWARD_ONLY = "forward_only"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True)
class HistorySettings:
    completion: Completion = Completion.SOURCE_TIME
    deletes: Deletes = Deletes.VERSION
    late: Late = Late.REPAIR
    max_lateness: timedelta | None = None
    mixed_time: bool = False


@dataclass(frozen=True, slots=True)
class Entity:
    name: str
    key: tuple[KeyPart, ...]
    attributes: tuple[Attribute, ...]
    sources: tuple[Source, ...] = ()
    kind: Kind = Kind.STATE
    precedence: tuple[str, ...] = ()  # strongest first
    history: HistorySettings = field(default_factory=HistorySettings)
    belief: Belief = field(default_factory=Belief)
    checks: tuple[Check, ...] = ()
    corrects: str | None = None  # kind event: the attribute that names the fact this one corrects
    info: Info = field(default_factory=Info)

    def source(self, name: str) -> Source:
        """The source of that name; a wrong one is the caller's mistake, with the nearest right name."""
        from muniment.model.names import find

        return find("source", name, {source.name: source for source in self.sources})

    def rank(self, source: str) -> int:
        """Higher wins; sources that `precedence` does not name all have 0 (R6, R28)."""
        return len(self.precedence) - self.precedence.index(source) if source in self.precedence else 0

    @property
    def tracked(self) -> tuple[Attribute, ...]:
        return tuple(attribute for attribute in self.attributes if attribute.track)
