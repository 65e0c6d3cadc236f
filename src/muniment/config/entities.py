"""Documents → what they describe, and what is wrong with each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from muniment.config.documents import Document, from_python
from muniment.config.families import ENTITY, FAMILIES, Family
from muniment.config.mistakes import ConfigurationError, Mistake
from muniment.config.shape import Shape
from muniment.config.subject import Subject
from muniment.config.validate import read_shape
from muniment.model.entity import Entity
from muniment.model.names import hint


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a document is judged against; None: not known, so not judged."""

    root: Path | None = None
    connections: Collection[str] | None = None
    names: Mapping[str, Collection[str]] | None = None  # of each family: the names that are declared


@dataclass(frozen=True, slots=True)
class Judged:
    """A document, the family it belongs to, and all that is wrong with it."""

    document: Document
    family: Family
    shape: Shape | None
    mistakes: list[Mistake] = field(default_factory=list)


def parse_entity(mapping: Mapping[str, object]) -> Entity:
    """An entity given in Python as the mapping its file would hold; all its mistakes at once."""
    name = mapping.get("entity", "")
    document, mistakes = from_python(mapping, file=f"entity {name}" if isinstance(name, str) and name else "entity")
    judged = judge(document, Surroundings())
    if mistakes or judged.mistakes or judged.shape is None:
        raise ConfigurationError([*mistakes, *judged.mistakes])
    entity: Entity = judged.family.build(judged.shape)
    return entity


def family_of(document: Document) -> Family | None:
    """The family whose name the document begins with."""
    names = document.names() or ()
    return next((family for family in FAMILIES if family.name in names), None)


def judge(document: Document, around: Surroundings) -> Judged:
    """All that is wrong with one document; one that does not say what it describes is taken for an entity."""
    family = family_of(document) or ENTITY
    stranger = _stranger(document)
    if stranger:
        return Judged(document, family, None, [stranger])
    reading = read_shape(family.shape, document)
    mistakes = list(reading.mistakes.values())
    if reading.shape is not None:
        subject = Subject(reading.shape, document, reading, around.root, around.connections, around.names)
        findings = [finding for rule in family.rules for finding in rule(subject)]
        mistakes += [document.mistake(reading.original(place), message) for place, message in findings]
    return Judged(document, family, reading.shape, mistakes)


def _stranger(document: Document) -> Mistake | None:
    """A document that describes nothing known."""
    names = document.names()
    if names is None or family_of(document):
        return None
    families = [family.name for family in FAMILIES]
    guess = next(((name, found) for name in names for found in families if hint(name, (found,))), None)
    if guess:
        return document.mistake((guess[0],), f"unknown name; did you mean '{guess[1]}'?")
    return document.mistake((), "it does not say what it describes; begin with 'entity: NAME'")
