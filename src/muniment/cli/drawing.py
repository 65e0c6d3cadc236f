"""A key's timeline as a picture: a lane per source, a bar per version, and below them whose version holds when."""

from __future__ import annotations

import textwrap
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from itertools import accumulate, pairwise

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from muniment.cli.pen import ASCII, UNICODE, Pen

WIDEST = 200  # a pipe has no width, and nobody follows a bar over more
_SLOT = 10  # between two instants: room for a bar that still says something
_LONGEST_VALUE, _LONGEST_NAME = 40, 20
_AXIS, _HOLDS = "UTC", "holds"
_PRECISION = ("minutes", "seconds", "milliseconds", "microseconds")
_JOINED = "\u00a0"  # a space at which no line is broken


@dataclass(frozen=True, slots=True)
class Bar:
    """One version of a key's history; `end` is exclusive, and none where it is open (R5)."""

    source: str
    start: datetime
    end: datetime | None  # in the chain over all sources; the start itself where a higher rank spoke at the same instant (R6)
    source_end: datetime | None  # in the chain of its own source
    values: Mapping[str, str | None]
    deleted: bool = False
    current: bool = False
    late: bool = False  # received after something newer of its key

    @property
    def held(self) -> bool:
        """Whether it ever answered for the entity."""
        return self.end is None or self.end > self.start


@dataclass(frozen=True, slots=True)
class _Span:
    """A bar where it lies: from one instant of the axis up to another, with what is written on it."""

    bar: Bar
    label: str
    first: int
    last: int
    begun: bool
    open: bool
    chain: bool = False

    @property
    def need(self) -> int:
        """How many cells show all of its label, and a piece of the bar."""
        return cell_len(self.label) + 4 + self.open


@dataclass(frozen=True, slots=True)
class _Canvas:
    """The pen, the width of the names, and the cell at which each instant stands; the last one ends the picture."""

    pen: Pen
    names: int
    cells: tuple[int, ...]


def draw(bars: Sequence[Bar], *, width: int, unicode: bool = True) -> list[Text]:
    """The lines of the picture, none wider than `width` cells; the newest versions where not all of them fit.

    Instants stand in their order, not to scale, so that no version is too short to be seen. A bar says what its version changed
    against the one before it in the key's chain.
    """
    if not bars:
        return []
    pen, width = UNICODE if unicode else ASCII, max(1, min(width, WIDEST))
    chain = _in_order(bars)
    names = _names_width(chain, pen, width=width)
    instants = _newest_that_fit(chain, room=width - names)
    lanes, holds = _lanes(chain, instants, pen), _holds(chain, instants, pen)
    spans = [span for lane in (*lanes.values(), holds) for span in lane]
    widths = _widths(spans, _least(instants, chain), room=width - names)
    canvas = _Canvas(pen, names, (0, *accumulate(widths)))
    lines = [*_axis(instants, canvas), *_painted(lanes, canvas), *_painted({_HOLDS: holds}, canvas)]
    seen = {id(span.bar) for span in spans}
    notes = (_legend(spans, pen), _left_out(sum(id(bar) not in seen for bar in chain)))
    return [*(_trimmed(line, width) for line in lines), *(line for note in notes for line in _wrapped(note, width))]


def _in_order(bars: Iterable[Bar]) -> list[Bar]:
    """The key's chain (R6): of one instant, those that a higher rank overruled come first."""
    return sorted((_in_utc(bar) for bar in bars), key=lambda bar: (bar.start, bar.held))


def _in_utc(bar: Bar) -> Bar:
    return replace(
        bar,
        start=_utc(bar.start),
        end=None if bar.end is None else _utc(bar.end),
        source_end=None if bar.source_end is None else _utc(bar.source_end),
    )


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _names_width(chain: Iterable[Bar], pen: Pen, *, width: int) -> int:
    longest = max(cell_len(name) for name in (_AXIS, _HOLDS, *(pen.clean(bar.source) for bar in chain)))
    return min(longest, max(width // 5, len(_HOLDS)), _LONGEST_NAME) + 2


def _newest_that_fit(chain: Sequence[Bar], *, room: int) -> list[datetime]:
    """The instants at which anything begins or ends, without the oldest ones that there is no room for."""
    found = {moment for bar in chain for moment in (bar.start, bar.end, bar.source_end) if moment is not None}
    instants = sorted(found)[-(max(room, 0) // _SLOT + 2) :]
    fewest = 1 if _goes_on(chain, instants[-1]) else 2
    while len(instants) > fewest and sum(_least(instants, chain)) > room:
        instants = instants[1:]
    return instants


def _goes_on(chain: Iterable[Bar], instant: datetime) -> bool:
    return any(bar.start >= instant or bar.end is None or bar.source_end is None for bar in chain)


def _least(instants: Sequence[datetime], chain: Iterable[Bar]) -> list[int]:
    """The cells that each slot needs at least, its own tick included, so that no two labels can meet."""
    ticks = [max(len(date), len(clock)) for date, clock in _ticks(instants)]
    *inner, last = (max(tick + 1, _SLOT) for tick in ticks)
    return [*inner, last if _goes_on(chain, instants[-1]) else ticks[-1]]


def _ticks(instants: Sequence[datetime]) -> list[tuple[str, str]]:
    """Date and time of each instant, without what the one before it has said already."""
    dates = [instants[0].date().isoformat(), *(_date(now, before) for before, now in pairwise(instants))]
    return list(zip(dates, _times(instants), strict=True))


def _date(now: datetime, before: datetime) -> str:
    if now.date() == before.date():
        return ""
    return now.date().isoformat()[5 if now.year == before.year else 0 :]


def _times(instants: Sequence[datetime]) -> list[str]:
    """No time at all where it is always midnight, else as exact as one of them needs it."""
    times = [now.time() for now in instants]
    if not any(now > time.min for now in times):
        return [""] * len(times)
    precise = (spec for spec in _PRECISION if all(time.fromisoformat(now.isoformat(spec)) == now for now in times))
    spec = next(precise)
    return [now.isoformat(spec) for now in times]


def _axis(instants: Sequence[datetime], canvas: _Canvas) -> list[Text]:
    dates, times = zip(*_ticks(instants), strict=True)
    rows = [dates, times] if any(times) else [dates]
    ruler = "".join(canvas.pen.tick.ljust(stop - start, canvas.pen.axis) for start, stop in pairwise(canvas.cells))
    heads = [""] * (len(rows) - 1) + [_AXIS]
    lines = [_name(head, canvas) + _placed(row, canvas) for head, row in zip(heads, rows, strict=True)]
    return [Text(line) for line in lines] + [Text(_name("", canvas) + ruler, "dim")]


def _placed(labels: Iterable[str], canvas: _Canvas) -> str:
    return "".join(label.ljust(stop - start) for label, (start, stop) in zip(labels, pairwise(canvas.cells), strict=True))


def _lanes(chain: Sequence[Bar], instants: Sequence[datetime], pen: Pen) -> dict[str, list[_Span]]:
    """Each source with its own chain, the one that spoke first on top."""
    sources = dict.fromkeys(bar.source for bar in sorted(chain, key=lambda bar: (bar.start, not bar.held)))
    lanes: dict[str, list[_Span]] = {source: [] for source in sources}
    for before, bar in zip([None, *chain], chain, strict=False):
        if _reaches(bar.start, bar.source_end, instants[0]):
            span = _span(bar, bar.source_end, instants, label=_label(bar, before, pen))
            lanes[bar.source].append(span)
    return {source: spans for source, spans in lanes.items() if spans}


def _holds(chain: Iterable[Bar], instants: Sequence[datetime], pen: Pen) -> list[_Span]:
    """The chain over all sources: whose version answers for the entity."""
    held = [bar for bar in chain if bar.held and _reaches(bar.start, bar.end, instants[0])]
    return [replace(_span(bar, bar.end, instants, label=_holder(bar, pen)), chain=True) for bar in held]


def _reaches(start: datetime, end: datetime | None, first: datetime) -> bool:
    return end is None or end > first or start >= first


def _span(bar: Bar, end: datetime | None, instants: Sequence[datetime], *, label: str) -> _Span:
    first = bisect_left(instants, bar.start)
    last = len(instants) if end is None else bisect_left(instants, end)
    return _Span(bar, label, first, max(last, first + 1), begun=bar.start < instants[0], open=end is None)


def _widths(spans: Sequence[_Span], least: Sequence[int], *, room: int) -> list[int]:
    """Room goes, cell by cell, to the shortest bar whose label is cut; what no label needs stays empty."""
    widths = list(least)
    for _ in range(room - sum(widths)):
        short = [span for span in spans if sum(widths[span.first : span.last]) < span.need]
        if not short:
            break
        span = min(short, key=lambda each: sum(widths[each.first : each.last]))
        widths[min(range(span.first, span.last), key=widths.__getitem__)] += 1
    return widths


def _painted(lanes: Mapping[str, Sequence[_Span]], canvas: _Canvas) -> Iterator[Text]:
    for name, spans in lanes.items():
        for number, row in enumerate(_rows(spans)):
            line = Text().append(_name(name if number == 0 else "", canvas), "bold")
            for before, span in zip([0, *(each.last for each in row)], row, strict=False):
                line.append(" " * (canvas.cells[span.first] - canvas.cells[before]))
                line.append(_drawn(span, canvas), _style(span))
            yield line


def _rows(spans: Iterable[_Span]) -> list[list[_Span]]:
    """Bars that would cover each other go below each other, those of no length last."""
    rows: list[list[_Span]] = []
    for span in sorted(spans, key=lambda each: each.bar.source_end == each.bar.start):
        free = next((row for row in rows if row[-1].last <= span.first), None)
        if free is None:
            rows.append([span])
        else:
            free.append(span)
    return rows


def _drawn(span: _Span, canvas: _Canvas) -> str:
    pen, cells = canvas.pen, canvas.cells[span.last] - canvas.cells[span.first]
    start, line = (pen.chain, pen.double) if span.chain else (pen.bar, pen.line)
    space, line = (pen.shade, pen.shade) if span.bar.deleted else (" ", line)
    tip = pen.arrow if span.open else ""
    text = f"{pen.begun if span.begun else start}{space}{pen.cut(span.label, cells - 3 - len(tip))}{space}"
    return text + line * (cells - len(tip) - cell_len(text)) + tip


def _style(span: _Span) -> str:
    if span.bar.deleted:
        return "red"
    if span.bar.late and not span.chain:
        return "yellow"
    return "green" if span.bar.current else ""


def _name(name: str, canvas: _Canvas) -> str:
    return set_cell_size(canvas.pen.cut(canvas.pen.clean(name), canvas.names - 2), canvas.names)


def _label(bar: Bar, before: Bar | None, pen: Pen) -> str:
    marks = [mark for mark, on in ((pen.late, bar.late), (pen.outranked, not bar.held)) if on]
    return " ".join([*marks, ", ".join(_changed(bar, before, pen)) or ("no change shown" if before else "nothing shown")])


def _changed(bar: Bar, before: Bar | None, pen: Pen) -> Iterator[str]:
    if bar.deleted:
        yield "deleted"
    elif before is not None and before.deleted:
        yield "not deleted"
    old = {} if before is None else before.values
    for name in dict.fromkeys((*bar.values, *old)):
        value = bar.values.get(name)
        if value != old.get(name):
            yield f"no {pen.clean(name)}" if value is None else f"{pen.clean(name)}={_value(value, pen)}"


def _holder(bar: Bar, pen: Pen) -> str:
    return f"{pen.current + ' ' if bar.current else ''}{pen.clean(bar.source)}"


def _value(text: str, pen: Pen) -> str:
    return pen.cut(pen.clean(text), _LONGEST_VALUE) if text else "''"


def _legend(spans: Sequence[_Span], pen: Pen) -> str:
    marks = (
        (pen.double, "holds: whose version answers", any(span.chain for span in spans)),
        (pen.current, "current", any(span.chain and span.bar.current for span in spans)),
        (pen.arrow, "open end", any(span.open for span in spans)),
        (pen.begun, "began before", any(span.begun for span in spans)),
        (pen.shade, "deleted", any(span.bar.deleted for span in spans)),
        (pen.late, "late: received after something newer", any(span.bar.late for span in spans if not span.chain)),
        (pen.outranked, "never held: outranked at its instant", any(not span.bar.held for span in spans)),
    )
    return "   ".join(f"{mark} {meaning}".replace(" ", _JOINED) for mark, meaning, occurs in marks if occurs)


def _left_out(count: int) -> str:
    if not count:
        return ""
    return f"{count:,} older version{' is' if count == 1 else 's are'} left out; --output json shows all"


def _trimmed(line: Text, width: int) -> Text:
    line.no_wrap = True
    line.rstrip()
    line.truncate(width, overflow="crop")
    return line


def _wrapped(note: str, width: int) -> list[Text]:
    return [Text(line.replace(_JOINED, " "), "dim") for line in textwrap.wrap(note, width)]
