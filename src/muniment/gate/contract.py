"""The contract of a source, assessed before anything of it is read (R18)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from muniment.model.entity import Entity, Kind
from muniment.model.source import Source


class Status(StrEnum):
    DEFENSIBLE = "DEFENSIBLE"
    LIMITED = "LIMITED_FALLBACK_ONLY"
    REJECT = "REJECT_FOR_AUTHORITATIVE_BRONZE"


@dataclass(frozen=True, slots=True)
class Weakness:
    """One thing a source does not substantiate, and what that costs it."""

    status: Status
    reason: str
    has: Callable[[Entity, Source], bool]


@dataclass(frozen=True, slots=True)
class Assessment:
    entity: str
    source: str
    status: Status
    reasons: tuple[str, ...]


def _lacks_key(entity: Entity, source: Source) -> bool:
    return bool(source.lacks_key) or not entity.key


def _lacks_time(entity: Entity, source: Source) -> bool:
    return source.event_time is None and not source.is_debezium


def _lacks_load_type(entity: Entity, source: Source) -> bool:
    return entity.kind is Kind.STATE and source.load is None and not source.is_debezium


def _lacks_deletes(entity: Entity, source: Source) -> bool:
    return entity.kind is Kind.STATE and not source.says_deletes


WEAKNESSES = (
    Weakness(Status.REJECT, "no stable business key: its rows cannot be told apart and never reach a log", _lacks_key),
    Weakness(Status.LIMITED, "no source time: kept on platform time, which says when we heard it and not when it was true", _lacks_time),
    Weakness(Status.LIMITED, "no declared load type: treated as partial, so what it leaves out says nothing", _lacks_load_type),
    Weakness(
        Status.LIMITED,
        "no delete semantics: a deletion cannot be told from an omission, so its lifecycle is not defensible",
        _lacks_deletes,
    ),
)


def assess(entity: Entity, source: Source) -> Assessment:
    """DEFENSIBLE, LIMITED_FALLBACK_ONLY or REJECT_FOR_AUTHORITATIVE_BRONZE, with every reason."""
    found = [weakness for weakness in WEAKNESSES if weakness.has(entity, source)]
    order = (Status.REJECT, Status.LIMITED)
    status = next((s for s in order if any(w.status is s for w in found)), Status.DEFENSIBLE)
    reasons = tuple(w.reason for w in found) or ("key, source time, load type and delete semantics are declared",)
    return Assessment(entity.name, source.name, status, reasons)
