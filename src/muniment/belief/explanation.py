"""Why something is believed, as a value: for Python, for JSON, for a terminal and for a notebook (R23)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from html import escape
from typing import Any

MASK = "•••"


@dataclass(frozen=True, slots=True)
class Said:
    """One source's last own statement, and where it came from."""

    source: str
    value: Any
    event_ts: datetime | None
    received_at: datetime | None
    assertion_id: str | None
    run_id: str | None
    file: str | None
    note: str = ""  # why it lost, or what else there is to say


@dataclass(frozen=True, slots=True)
class SetByHand:
    """An override: who set it, why, when, and for how long."""

    override_id: str
    by: str
    reason: str
    made_at: datetime | None
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The winner, the losers and the rule; `deletions` is what each source last said of the entity being gone."""

    entity: str
    key: str
    attribute: str
    as_of: datetime | None
    known_at: datetime | None
    value: Any = None
    source: str | None = None
    rule: str | None = None
    rule_version: int | None = None
    assertion_id: str | None = None
    event_ts: datetime | None = None
    received_at: datetime | None = None
    run_id: str | None = None
    file: str | None = None
    contested: bool = False
    is_deleted: bool = False
    losers: tuple[Said, ...] = ()
    deletions: tuple[Said, ...] = ()
    override: SetByHand | None = None
    note: str = ""
    sensitive: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As plain values; times as ISO-8601 text."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    def lines(self) -> Iterator[str]:
        """A page that a person can read."""
        yield f"{self.entity} {self.key}, {self.attribute}{_when(self)}"
        yield f"  {self._shown(self.value)}" + (" (the entity is believed to be gone)" if self.is_deleted else "")
        if self.note:
            yield f"  {self.note}"
        if self.override is not None:
            yield f"  set by hand by {self.override.by}: {self.override.reason}  ({_time(self.override.made_at)}, {self.override.override_id})"
        elif self.source is not None:
            yield f"  said by {self.source} for {_time(self.event_ts)}, heard {_time(self.received_at)}{_from(self.file, self.run_id)}"
        if self.rule is not None:
            yield f"  rule {self.rule}, version {self.rule_version}" + (", contested" if self.contested else "")
        for said in self.losers:
            place = f"for {_time(said.event_ts)}, heard {_time(said.received_at)}{_from(said.file, said.run_id)}"
            yield f"  not {self._shown(said.value)} of {said.source}: {said.note}; {place}"
        for said in self.deletions:
            yield f"  {said.source} says {'gone' if said.value else 'there'} since {_time(said.event_ts)}: {said.note}"

    def _repr_html_(self) -> str:
        """A small table for a notebook."""
        head = f"<b>{escape(self.entity)} {escape(self.key)}</b>: {escape(self.attribute)}{escape(_when(self))}"
        won = (self.source or "", self.value, self.event_ts, self.received_at, self.file, f"{self.rule or ''} v{self.rule_version or ''}")
        lost = [(s.source, s.value, s.event_ts, s.received_at, s.file, s.note) for s in self.losers]
        names = "".join(f"<th>{name}</th>" for name in ("source", "value", "said for", "heard", "file", "why"))
        body = self._html_row(won, bold=True) + "".join(self._html_row(row) for row in lost)
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"<div>{head}{note}<table><tr>{names}</tr>{body}</table></div>"

    def _html_row(self, row: tuple[Any, ...], *, bold: bool = False) -> str:
        source, value, *times, file, why = row
        cells = [source, self._shown(value), *(_time(each) for each in times), file or "", why]
        return "<tr>" + "".join(f"<td>{'<b>' if bold else ''}{escape(str(cell))}{'</b>' if bold else ''}</td>" for cell in cells) + "</tr>"

    def _shown(self, value: Any) -> str:
        if value is None:
            return "(nothing)"
        return MASK if self.sensitive else str(value)


def _when(e: Explanation) -> str:
    told = [f" at {_time(e.as_of)}"] if e.as_of else []
    return "".join([*told, *([f" as known at {_time(e.known_at)}"] if e.known_at else [])])


def _from(file: str | None, run: str | None) -> str:
    return "".join([f", file {file}" if file else "", f", run {run}" if run else ""])


def _time(moment: datetime | None) -> str:
    return "always" if moment is None else moment.isoformat(sep=" ", timespec="seconds" if not moment.microsecond else "microseconds")[:-6]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
