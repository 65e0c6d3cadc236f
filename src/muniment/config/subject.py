"""What a rule looks at: the shape, the document it came from, and which parts of it were already found wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from muniment.config.documents import Document
from muniment.config.entity_shape import EntityShape
from muniment.config.mistakes import Place
from muniment.config.shape import ProjectShape, Shape
from muniment.config.validate import Reading
from muniment.model.names import hint

S = TypeVar("S", bound=Shape)
Finding = tuple[Place, str]
Findings = Iterator[Finding]


@dataclass(frozen=True, slots=True)
class Subject(Generic[S]):
    """A document as far as it could be read."""

    shape: S
    document: Document
    reading: Reading[S]
    root: Path | None = None
    connections: Collection[str] | None = None  # None: nobody knows, so nobody judges
    names: Mapping[str, Collection[str]] | None = None  # of each family: the names that are declared

    def sound(self, *place: str | int) -> bool:
        """Nothing at, in or around this place was found wrong."""
        here = self.reading.original(place)
        return not any(bad[: len(here)] == here or here[: len(bad)] == bad for bad in self.reading.mistakes)

    def line(self, *place: str | int) -> int:
        """The line of a place in the shape."""
        return self.document.line(self.reading.original(place))

    def columns(self) -> tuple[str, ...] | None:
        """Names of key parts and attributes, those with mistakes included; None if they cannot be told."""
        key, attributes = self.document.names("key"), self.document.names("attributes")
        return None if key is None or attributes is None else (*key, *attributes)

    def unknown(self, kind: str, names: Collection[str], *, known: Collection[str] | None, at: Place) -> Findings:
        """A finding for each name of a list that nobody declared."""
        for index, name in enumerate(names):
            if known is not None and name not in known:
                yield (*at, index), no_such(kind, name, known)


EntitySubject = Subject[EntityShape]
ProjectSubject = Subject[ProjectShape]


def no_such(kind: str, name: str, known: Collection[str]) -> str:
    """There is no such thing; the nearest that exists, or all that exist."""
    shown = ", ".join(known) or "none"
    return f"there is no {kind} '{name}'{hint(name, known) or f'; declared: {shown}'}"
