"""A plain drawing of one axis of the cost model: both scales logarithmic, one line per kind of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from benchmarks.model import KINDS, Point

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 380, 60, 40, 110, 50
LABEL = 13  # the height of a line of text
COLOURS = {"land": "#4477aa", "derive": "#228833", "late": "#ccbb44", "merge": "#ee6677", "rebuild": "#aa3377"}


def drawn(axis: str, found: Sequence[Point]) -> str:
    """The whole file."""
    seconds = [value for point in found for value in point.seconds.values()]
    low, high = floor(log10(min(seconds))), ceil(log10(max(seconds)) + 1e-9)
    first, last = log10(found[0].at), log10(found[-1].at)

    def x(at: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (log10(at) - first) / max(last - first, 1e-9)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (log10(value) - low) / max(high - low, 1)

    grid = [_grid(y(10**power), f"{10**power:g} s") for power in range(low, high + 1)]
    marks = [_text(x(point.at), HEIGHT - BOTTOM + 20, f"{point.at:,}", anchor="middle") for point in found]
    places = {kind: [(x(point.at), y(point.seconds[kind])) for point in found] for kind in KINDS}
    labels = _apart({kind: line[-1][1] + 4 for kind, line in places.items()})
    lines = [part for kind, line in places.items() for part in _line(kind, line, label=labels[kind])]
    title = _text(LEFT, 22, f"Seconds by {axis}")
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">'
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, ground, title, *grid, *marks, *lines, "</svg>", ""])


def _grid(height: float, label: str) -> str:
    line = f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{height:.1f}" y2="{height:.1f}" stroke="#dddddd"/>'
    return line + _text(LEFT - 8, height + 4, label, anchor="end")


def _apart(heights: Mapping[str, float]) -> dict[str, float]:
    """Labels beside the ends of their lines, from the top down, none over another."""
    placed: dict[str, float] = {}
    for kind, height in sorted(heights.items(), key=lambda item: item[1]):
        placed[kind] = max([height, *(other + LABEL for other in placed.values())])
    return placed


def _line(kind: str, places: Sequence[tuple[float, float]], *, label: float) -> list[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[kind]}"/>' for x, y in places]
    name = _text(places[-1][0] + 8, label, kind, colour=COLOURS[kind])
    return [f'<polyline points="{path}" fill="none" stroke="{COLOURS[kind]}" stroke-width="2"/>', *dots, name]


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#333333") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
