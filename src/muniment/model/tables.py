"""The tables of an entity, by the names and columns a person sees in SQL."""

from __future__ import annotations

from muniment.columns import HISTORY_ONLY, IDENTITY, LOG_ONLY, ORIGIN, PROVENANCE, SEALS, Col
from muniment.model.entity import Entity


def log_name(entity: Entity) -> str:
    return f"bronze.{entity.name}_log"


def load_name(entity: Entity) -> str:
    return f"bronze.{entity.name}_load"


def history_name(entity: Entity) -> str:
    return f"bronze.{entity.name}_history"


def key_columns(entity: Entity) -> tuple[Col, ...]:
    return tuple(Col(part.name, part.type, "Business key") for part in entity.key)


def attribute_columns(entity: Entity) -> tuple[Col, ...]:
    return tuple(Col(a.name, a.type, a.info.description or "Attribute") for a in entity.attributes)


def log_columns(entity: Entity) -> tuple[Col, ...]:
    """Every column of `bronze.<entity>_log`."""
    return (*IDENTITY, *key_columns(entity), *PROVENANCE, *attribute_columns(entity), *SEALS, *LOG_ONLY)


def history_columns(entity: Entity) -> tuple[Col, ...]:
    """Every column of `bronze.<entity>_history`."""
    origin = ", ".join(f"`{a.name}`: {ORIGIN}" for a in entity.attributes)
    return (
        *IDENTITY,
        *key_columns(entity),
        *HISTORY_ONLY,
        *attribute_columns(entity),
        *PROVENANCE,
        *SEALS,
        Col("origin", f"struct<{origin}>", "Which assertion supplied each value; inherited values keep theirs"),
    )
