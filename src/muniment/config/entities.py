"""Documents → entities, and what is wrong with each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from muniment.config.build import build_entity
from muniment.config.documents import Document, from_python
from muniment.config.entity_rules import ENTITY_RULES
from muniment.config.entity_shape import EntityShape
from muniment.config.mistakes import ConfigurationError, Mistake
from muniment.config.source_rules import SOURCE_RULES
from muniment.config.subject import Subject
from muniment.config.validate import read_shape
from muniment.model.entity import Entity
from muniment.model.names import hint

FAMILIES = ("dimension", "load", "series")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an entity's document is judged against; None: not known, so not judged."""

    root: Path | None = None
    connections: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """An entity's document and all that is wrong with it."""

    document: Document
    shape: EntityShape | None
    mistakes: list[Mistake] = field(default_factory=list)


def parse_entity(mapping: Mapping[str, object]) -> Entity:
    """An entity given in Python as the mapping its file would hold; all its mistakes at once."""
    name = mapping.get("entity", "")
    document, mistakes = from_python(mapping, file=f"entity {name}" if isinstance(name, str) and name else "entity")
    judged = judge_entity(document, Surroundings())
    if mistakes or judged.mistakes or judged.shape is None:
        raise ConfigurationError([*mistakes, *judged.mistakes])
    return build_entity(judged.shape)


def judge_entity(document: Document, around: Surroundings) -> Judged:
    """All that is wrong with one document that should describe an entity."""
    stranger = _stranger(document)
    if stranger:
        return Judged(document, None, [stranger])
    reading = read_shape(EntityShape, document)
    mistakes = list(reading.mistakes.values())
    if reading.shape is not None:
        subject = Subject(reading.shape, document, reading, around.root, around.connections)
        findings = [finding for rule in (*ENTITY_RULES, *SOURCE_RULES) for finding in rule(subject)]
        mistakes += [document.mistake(reading.original(place), message) for place, message in findings]
    return Judged(document, reading.shape, mistakes)


def _stranger(document: Document) -> Mistake | None:
    """A document that describes something else."""
    names = document.names()
    if names is None or "entity" in names:
        return None
    family = next((name for name in FAMILIES if name in names), None)
    if family:
        return document.mistake((family,), f"this version does not know files that describe a {family} yet; take the file out of 'include'")
    guess = next((name for name in names if hint(name, ("entity",))), None)
    if guess:
        return document.mistake((guess,), "unknown name; did you mean 'entity'?")
    return document.mistake((), "it does not say what it describes; begin with 'entity: NAME'")
