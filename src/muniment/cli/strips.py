"""A series' strip in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.model.series import Role
from muniment.series.records import shown
from muniment.series.strip import NONE, STATES, SUBSTITUTED, Strip

UNICODE = {"good": "█", SUBSTITUTED: "◆", "stale": "▒", "tainted": "░", "bad": "✗", NONE: "·"}
ASCII = {"good": "#", SUBSTITUTED: "@", "stale": "~", "tainted": ":", "bad": "X", NONE: "."}
NAME, CELL = 8, 3  # cells of a line's name and of one day or hour


def drawn(picture: Strip, *, ascii_only: bool = False) -> Iterator[str]:
    """A line per role, a sign per day or hour, and what the signs mean."""
    if not picture.times:
        yield f"{picture.series} has no partitions"
        return
    signs = ASCII if ascii_only else UNICODE
    first, last = picture.times[0], picture.times[-1]
    yield f"{picture.series}: {shown(first)} to {shown(last)}"
    yield " " * NAME + " ".join(f"{at:%H}" if first.date() == last.date() else f"{at:%d}" for at in picture.times)
    for role in Role:
        yield f"{role.value:<{NAME}}" + " ".join(f"{signs[word]} " for word in picture.lanes[role]).rstrip()
    seen = {word for lane in picture.lanes.values() for word in lane}
    yield " " * NAME + "  ".join(f"{signs[state]} {state}" for state in STATES if state in seen)
