"""Rules of belief from a file of their own, judged against an entity that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from muniment.config.documents import Document
from muniment.config.entities import Surroundings, judge
from muniment.config.mistakes import ConfigurationError
from muniment.config.yaml import read_documents
from muniment.errors import BadArgument
from muniment.model.entity import Entity

RULED = ("belief", "precedence")


def read_rules(file: Path, entity: Entity) -> Entity:
    """The entity under the rules of a file: that of an entity, or one with only `belief` and `precedence`."""
    documents, mistakes = read_documents(file, shown=file.name)
    if mistakes:
        raise ConfigurationError(mistakes)
    given = documents[0].data if len(documents) == 1 else None
    wanted = {name: given[name] for name in RULED if name in given} if isinstance(given, Mapping) else {}
    if not wanted:
        raise BadArgument(
            argument="rules", problem=f"{file.name} has no rules of belief", advice="Begin with 'belief:', as an entity's file has it."
        )
    judged = judge(Document(file.name, {**_names(entity), **wanted}, documents[0].lines), Surroundings())
    if judged.mistakes or judged.shape is None:
        raise ConfigurationError(judged.mistakes)
    other: Entity = judged.family.build(judged.shape)
    return replace(entity, belief=other.belief, precedence=other.precedence)


def _names(entity: Entity) -> dict[str, object]:
    """What rules may speak of."""
    return {
        "entity": entity.name,
        "key": {part.name: part.type for part in entity.key},
        "attributes": {attribute.name: attribute.type for attribute in entity.attributes},
        "sources": {source.name: {} for source in entity.sources},
        "precedence": list(entity.precedence),
    }
