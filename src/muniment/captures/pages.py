"""What a fetch hands over: pages of records, and what the vendor says about the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from muniment.model.names import find

Record = Mapping[str, object] | str  # a dict, or the record's own JSON text, which is then kept as it came


@dataclass(frozen=True, slots=True)
class Page:
    """Some records; `total` and `as_of` speak of the whole answer, `complete: False` says that it is known to lack something."""

    records: Sequence[Record]
    total: int | None = None
    as_of: datetime | str | None = None
    complete: bool = True
    note: Mapping[str, object] = field(default_factory=dict)  # how it came: attempts, bytes, hash of the answer


Fetch = Callable[[], Iterable[Page | Sequence[Record]]]


class Mode(StrEnum):
    """What the records of a capture are."""

    FULL_SNAPSHOT = "full_snapshot"  # everything there is: what it lacks is gone
    INCREMENTAL = "incremental"  # what changed, whole rows: it lacks nothing
    HISTORY = "history"  # the vendor's own history: each record has its dates
    DELISTINGS = "delistings"  # what is gone, each record with the date of its end; it lists nothing


DOCUMENTED = {"incremental_append": Mode.INCREMENTAL}  # what the first manifests called it


def mode_of(text: str) -> Mode:
    """A mode as a manifest or a person spells it."""
    return find("mode", text, {**{mode.value: mode for mode in Mode}, **DOCUMENTED})
