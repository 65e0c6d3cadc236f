"""The settings that shape history: changing one asks for a rebuild, a new attribute does not (R28)."""

from __future__ import annotations

from typing import Any

from muniment.model.entity import Entity
from muniment.model.source import Source


def shape(entity: Entity) -> dict[str, Any]:
    """All that the fold looks at, as plain values."""
    return {
        "completion": entity.history.completion.value,
        "deletes": entity.history.deletes.value,
        "precedence": list(entity.precedence),
        "attributes": {a.name: [a.type, a.scale, a.trim, a.track] for a in entity.attributes},
        "absence": {source.name: _absence(source) for source in entity.sources},
    }


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of the settings that differ; what only one side knows is new, and changes nothing that is there."""
    found = [name for name in ("completion", "deletes", "precedence") if before[name] != after[name]]
    for group in ("attributes", "absence"):
        shared = before[group].keys() & after[group].keys()
        found += [f"{group}.{name}" for name in sorted(shared) if before[group][name] != after[group][name]]
    return found


def _absence(source: Source) -> list[Any]:
    guard = source.complete
    authority = [] if source.authority is None else [list(source.authority)]
    word = "truncate" if source.truncates else source.absence.value
    return [word, list(source.scope), guard.min_fraction, guard.allow_empty, guard.absences, guard.on_short.value, *authority]
