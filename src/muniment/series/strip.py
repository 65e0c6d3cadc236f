"""The last partitions of a series as a strip: for each role and time one word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape

from muniment.model.series import Every, Role
from muniment.series.lineage import Standing, substituted
from muniment.series.records import shown

NONE, SUBSTITUTED = "none", "substituted"
STATES = ("good", SUBSTITUTED, "stale", "tainted", "bad")
COLOURS = {"good": "#2e7d32", SUBSTITUTED: "#1565c0", "stale": "#f9a825", "tainted": "#ef6c00", "bad": "#b71c1c", NONE: "#eceff1"}
SIGNS = {SUBSTITUTED: "↷", "stale": "~", "tainted": "!", "bad": "✕"}  # colours alone are not enough for everybody
_CELL, _GAP, _LEFT, _TOP = 22, 3, 64, 40


@dataclass(frozen=True, slots=True)
class Strip:
    """What each role was worth at each time, oldest first."""

    series: str
    times: tuple[datetime, ...]
    lanes: Mapping[Role, tuple[str, ...]]


def strip(series: str, found: Standing, *, every: Every, last: int = 30) -> Strip:
    """The last so many days or hours up to the newest partition."""
    starts = [each.start for each in found.current.values()]
    if not starts:
        return Strip(series, (), dict.fromkeys(Role, ()))
    newest, oldest = max(starts), min(starts)
    count = min(last, (newest - oldest) // every.length + 1)
    times = tuple(newest - every.length * step for step in range(count - 1, -1, -1))
    return Strip(series, times, {role: tuple(_word(found, role, at) for at in times) for role in Role})


def _word(found: Standing, role: Role, at: datetime) -> str:
    held = found.at(role, at)
    if held is None:
        return NONE
    quality = found.quality[held.partition_id].value
    return SUBSTITUTED if quality == "good" and role is Role.TARGET and substituted(found, held) else quality


def svg(picture: Strip) -> str:
    """The strip as a picture for a page."""
    width = max(_LEFT + len(picture.times) * (_CELL + _GAP) + 10, 480)
    height = _TOP + len(Role) * (_CELL + _GAP) + 34
    cells = [
        _cell(number, row, word, f"{role.value} {shown(at)}: {word}")
        for row, role in enumerate(Role)
        for number, (at, word) in enumerate(zip(picture.times, picture.lanes[role], strict=True))
    ]
    names = [_text(8, _TOP + row * (_CELL + _GAP) + 15, role.value) for row, role in enumerate(Role)]
    legend = [_legend(number, state, height - 12) for number, state in enumerate(STATES)]
    days = [_text(_LEFT + n * (_CELL + _GAP) + 3, _TOP - 6, _tick(at)) for n, at in enumerate(picture.times)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
    paper = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, paper, _text(8, 16, _range(picture)), *days, *names, *cells, *legend, "</svg>", ""])


def _range(picture: Strip) -> str:
    return (
        f"{picture.series}: {shown(picture.times[0])} to {shown(picture.times[-1])}"
        if picture.times
        else f"{picture.series} has no partitions"
    )


def _cell(number: int, row: int, word: str, title: str) -> str:
    x, y = _LEFT + number * (_CELL + _GAP), _TOP + row * (_CELL + _GAP)
    shape = f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" rx="3" fill="{COLOURS[word]}">'
    sign = f'<text x="{x + _CELL // 2}" y="{y + 15}" fill="#ffffff" text-anchor="middle">{SIGNS[word]}</text>' if word in SIGNS else ""
    return f"{shape}<title>{escape(title)}</title></rect>{sign}"


def _legend(number: int, state: str, y: int) -> str:
    x = 8 + number * 96
    return f'<rect x="{x}" y="{y - 9}" width="10" height="10" rx="2" fill="{COLOURS[state]}"/>' + _text(
        x + 15, y, f"{SIGNS[state]} {state}" if state in SIGNS else state
    )


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" fill="#37474f">{escape(text)}</text>'


def _tick(at: datetime) -> str:
    return f"{at:%H}" if at.hour else f"{at:%d}"
