"""What the mode of a capture makes of its source: the same records mean other things in a snapshot, in changes, in a history, in a list of delistings."""

from __future__ import annotations

from dataclasses import replace

from muniment.arrival.captured import DELISTING_OPS, HISTORY_OPS, TURN
from muniment.captures.errors import NoDates
from muniment.captures.pages import Mode
from muniment.model.source import Absence, ColumnTime, LoadType, Source

OWN_DATES = frozenset({Mode.HISTORY, Mode.DELISTINGS})  # their rows are not for the instant of the capture


def source_of(source: Source, mode: Mode) -> Source:
    """The source as captures of a mode have it: only a full snapshot can lack something."""
    if mode is Mode.FULL_SNAPSHOT:
        return source
    changes = replace(source, load=LoadType.CHANGES if source.load in (None, LoadType.FULL) else source.load, absence=Absence.KEPT)
    if mode is Mode.INCREMENTAL:
        return changes
    if mode is Mode.DELISTINGS:
        return replace(changes, op=DELISTING_OPS, sequence=(), event_time=_ends(source))
    if not isinstance(source.event_time, ColumnTime):
        raise NoDates(source=source.name, mode=mode.value, setting="event_time")
    return replace(changes, op=HISTORY_OPS, sequence=(TURN,))


def _ends(source: Source) -> ColumnTime:
    """The column with the dates of a list of delistings, written as the source writes its times."""
    if source.until is None:
        raise NoDates(source=source.name, mode=Mode.DELISTINGS.value, setting="until")
    return replace(source.event_time, column=source.until) if isinstance(source.event_time, ColumnTime) else ColumnTime(source.until)
