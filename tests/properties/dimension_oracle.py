"""What a dimension must hold, in plain Python: written from the description of the types, not from the code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

COLUMNS = {"born": 0, "mail": 1, "tier": 2, "boss": 3, "note": 4, "seg": 6}


@dataclass(frozen=True)
class Said:
    """One statement of a member: what holds from `at` on; `seen` is the order in which statements came."""

    key: str
    at: int
    seen: int
    values: Mapping[str, str | None] = field(default_factory=dict)
    deleted: bool = False


@dataclass
class Moment:
    """A member at one instant."""

    at: int
    live: bool
    state: dict[str, str | None]


def in_force(said: Iterable[Said]) -> list[Said]:
    """All but what was said for an instant that ends with a delete: it never held. In the order of time, then of receipt."""
    ordered = sorted(said, key=lambda each: (each.at, each.seen))
    last = {one.at: one for one in ordered}
    return [one for one in ordered if one.deleted or not last[one.at].deleted]


def moments(said: Iterable[Said]) -> list[Moment]:
    """What holds from each instant on."""
    state: dict[str, str | None] = dict.fromkeys(COLUMNS)
    found: dict[int, Moment] = {}
    for one in in_force(said):
        state = {**state, **({} if one.deleted else one.values)}
        found[one.at] = Moment(one.at, not one.deleted, state)
    return [found[at] for at in sorted(found)]


def original(said: Iterable[Said], column: str) -> str | None:
    """Type 0: the value that came first, whatever its time; a null may be filled once."""
    for one in sorted(in_force(said), key=lambda each: (each.seen, each.at)):  # of what came together the earlier in time is first
        if not one.deleted and one.values.get(column) is not None:
            return one.values[column]
    return None


def intervals(chain: list[Moment], columns: Iterable[str]) -> list[tuple[int, int | None, Moment]]:
    """Start, end and first moment of each stretch of life in which these columns stay the same."""
    names = list(columns)
    found: list[list[Any]] = []
    is_open = False
    for number, moment in enumerate(chain):
        if not moment.live:
            if is_open:
                found[-1][1] = moment.at
            is_open = False
            continue
        same = is_open and all(moment.state[name] == chain[number - 1].state[name] for name in names)
        if not same:
            if is_open:
                found[-1][1] = moment.at
            found.append([moment.at, None, moment])
        is_open = True
    return [(start, end, moment) for start, end, moment in found]


def replaced(chain: list[Moment], column: str, until: int | None = None) -> tuple[str | None, int | None]:
    """The value that the last change replaced, and the instant of that change."""
    value, at = None, None
    for one, other in pairwise(chain):
        if (until is None or other.at <= until) and one.state[column] != other.state[column]:
            value, at = one.state[column], other.at
    return value, at


def versions(said: Iterable[Said]) -> list[dict[str, Any]]:
    """All versions of one member."""
    known = list(said)
    chain = moments(known)
    if not any(moment.live for moment in chain):
        return []
    latest = chain[-1].state
    boss, since = replaced(chain, "boss")
    rows = []
    for number, (start, end, moment) in enumerate(intervals(chain, ("tier", "seg")), start=1):
        rows.append(
            {
                "id": known[0].key, "version": number, "from": start, "to": end, "current": end is None,
                "born": original(known, "born"), "mail": latest["mail"], "tier": moment.state["tier"], "boss": latest["boss"],
                "previous_boss": boss, "boss_changed_at": since if since is not None else next(m.at for m in chain if m.live),
                "note": latest["note"], "seg": moment.state["seg"], "current_seg": latest["seg"],
                "previous_seg": replaced(chain, "seg", until=start)[0],
            }
        )  # fmt: skip
    return rows


def past(said: Iterable[Said]) -> list[tuple[str, int, int, str | None]]:
    """Type 4: key, start, end and value of all that no longer holds."""
    known = list(said)
    found = intervals(moments(known), ("note",))
    return [(known[0].key, start, end, moment.state["note"]) for start, end, moment in found if end is not None]


def sequences(seed: int, count: int) -> dict[str, list[Said]]:
    """Random members: changes in and out of order, deletes, revivals, repeats, instants that are shared, columns left out."""
    random = Random(seed)
    return {f"m{number}": _sequence(random, f"m{number}") for number in range(count)}


def _sequence(random: Random, key: str) -> list[Said]:
    said: list[Said] = []
    for number in range(random.randint(1, 9)):
        seen = number
        if said and random.random() < 0.15:
            again = random.choice(said)
            said.append(Said(key, again.at, seen, again.values, again.deleted))  # the same once more
            continue
        at = random.randint(1, 12)
        if said and random.random() < 0.25 and at not in {one.at for one in said if one.seen == said[-1].seen}:
            seen = said[-1].seen  # it came together with the one before
        names = [name for name in COLUMNS if random.random() < 0.7]
        values = {name: random.choice(["a", "b", None]) for name in names}
        said.append(Said(key, at, seen, values, random.random() < 0.2))
    return said
