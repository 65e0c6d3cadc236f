"""What a load did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

COUNTS = ("received", "inserted", "updated", "unchanged", "deleted", "ignored", "quarantined", "inferred_deletes")


@dataclass(frozen=True, slots=True)
class Loaded:
    """Counts of what happened: received = inserted + updated + unchanged + deleted + ignored + quarantined; inferred deletes are rows that did not come."""

    load: str
    run_id: str
    at: datetime
    received: int = 0
    inserted: int = 0
    updated: int = 0  # another content, or alive again
    unchanged: int = 0  # only seen again
    deleted: int = 0  # the slice said so
    ignored: int = 0  # said to be gone, and never known
    quarantined: int = 0  # set aside by a check
    inferred_deletes: int = 0  # the slice lacked them inside the watermark's window
    slices: int = 0
    skipped: int = 0  # slices that were loaded before
    watermarks: Mapping[str, str | None] = field(default_factory=dict)  # those that moved
    messages: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """The numbers by name."""
        return {name: getattr(self, name) for name in COUNTS}


def together(parts: Iterable[Loaded], *, nothing: Loaded) -> Loaded:
    """Several slices as one result: the last one's run and time, and the sum of all counts."""
    done = list(parts)
    if not done:
        return nothing
    sums = {name: sum(getattr(each, name) for each in done) for name in COUNTS}
    return Loaded(
        nothing.load,
        done[-1].run_id,
        done[-1].at,
        **sums,
        slices=len(done),
        skipped=nothing.skipped,
        watermarks={column: value for each in done for column, value in each.watermarks.items()},
        messages=(*nothing.messages, *(message for each in done for message in each.messages)),
    )
