"""One document of the configuration: plain data, and the line of every name and item in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from muniment.config.mistakes import Mistake, Place, dotted

MAX_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Document:
    """Data as read, before anybody judged it; Python data has no lines."""

    file: str
    data: object
    lines: Mapping[Place, int] = field(default_factory=dict)

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest thing around it that has one."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)

    def mistake(self, place: Place, message: str) -> Mistake:
        """A mistake at that place."""
        return Mistake(self.file, self.line(place), dotted(place), message)

    def at(self, place: Place) -> object:
        """What stands there, or None."""
        found = self.data
        for step in place:
            found = _step(found, step)
        return found

    def names(self, *place: str | int) -> tuple[str, ...] | None:
        """The names in the mapping that stands there; none if it was left out; None if it is no mapping, so that nobody can tell."""
        found = self.at(place)
        if found is None:
            return ()
        return tuple(map(str, found)) if isinstance(found, Mapping) else None


def from_python(mapping: Mapping[str, object], *, file: str) -> tuple[Document, list[Mistake]]:
    """A mapping given in Python as a document of its own copy."""
    mistakes: list[Mistake] = []
    data = _copy(mapping, (), file, mistakes)
    return Document(file, data), mistakes


def _copy(value: object, place: Place, file: str, mistakes: list[Mistake]) -> object:
    if len(place) > MAX_DEPTH:
        mistakes.append(Mistake(file, 0, dotted(place[:3]), f"nested more than {MAX_DEPTH} deep; flatten it"))
        return None
    if isinstance(value, Mapping):
        return {key: _copy(item, (*place, key), file, mistakes) for key, item in value.items() if _is_name(key, place, file, mistakes)}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_copy(item, (*place, index), file, mistakes) for index, item in enumerate(value)]
    return value


def _is_name(key: object, place: Place, file: str, mistakes: list[Mistake]) -> bool:
    if isinstance(key, str):
        return True
    mistakes.append(Mistake(file, 0, dotted(place), f"the name {key!r} is no text; write it as a string"))
    return False


def _step(found: object, step: str | int) -> object:
    if isinstance(found, Mapping):
        return found.get(step)
    if isinstance(found, Sequence) and isinstance(step, int) and 0 <= step < len(found):
        return found[step]
    return None
