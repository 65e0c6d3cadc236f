"""The tables of an entity, by the names and columns a person sees in SQL."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.columns import BELIEF_ONLY, BELIEF_ORIGIN, HISTORY_ONLY, IDENTITY, LOG_ONLY, ORIGIN, PROVENANCE, SEALS, SEARCHED, Col
from muniment.model.entity import Entity, Kind
from muniment.model.series import Series

LIVE_NOW = "is_current AND NOT is_deleted"  # what `silver.<entity>` shows of belief
LAST_ORDER = "struct<event_ts: timestamp, statement_ts: timestamp, receipt_ts: timestamp>"

EVENT_ONLY = (
    Col("first_seen_ts", "timestamp", "First receipt of this fact"),
    Col("last_seen_ts", "timestamp", "Last receipt of this fact"),
    Col("seen_count", "bigint", "How many rows said the same"),
    Col("conflict_count", "bigint", "How many rows said something else under the same key"),
)


def log_name(entity: Entity) -> str:
    return f"bronze.{entity.name}_log"


def load_name(entity: Entity) -> str:
    return f"bronze.{entity.name}_load"


def history_name(entity: Entity) -> str:
    return f"bronze.{entity.name}_history"


def is_history(name: str) -> bool:
    """Whether a table of this name is a timeline of evidence."""
    return name.startswith("bronze.") and name.endswith("_history")


def belief_name(entity: Entity) -> str:
    return f"silver.{entity.name}_history"


def belief_view(entity: Entity) -> str:
    """One row per live entity, now."""
    return f"silver.{entity.name}"


def pin_name(entity: Entity) -> str:
    return f"silver.{entity.name}_pin"


def key_columns(entity: Entity) -> tuple[Col, ...]:
    return tuple(Col(part.name, part.type, "Business key") for part in entity.key)


def attribute_columns(entity: Entity) -> tuple[Col, ...]:
    return tuple(Col(a.name, a.type, a.info.description or "Attribute") for a in entity.attributes)


def log_columns(entity: Entity) -> tuple[Col, ...]:
    """Every column of `bronze.<entity>_log`."""
    return (*IDENTITY, *key_columns(entity), *PROVENANCE, *attribute_columns(entity), *SEALS, *LOG_ONLY)


def history_columns(entity: Entity) -> tuple[Col, ...]:
    """Every column of `bronze.<entity>_history`; the last two are what a head needs to go on without its past."""
    return (
        *IDENTITY,
        *key_columns(entity),
        *HISTORY_ONLY,
        *attribute_columns(entity),
        *PROVENANCE,
        *SEALS,
        Col(
            "origin",
            _origin_type(entity),
            "Which assertion supplied each value that the version's own did not; inherited values keep theirs",
        ),
        Col("stated", _stated_type(entity), "Heads only: the source's last own statements, nulls included, that the row does not show"),
        Col("last_order", LAST_ORDER, "Heads only: where the source's chain ends, its newest statement and its newest receipt"),
    )


def belief_columns(entity: Entity) -> tuple[Col, ...]:
    """Every column of `silver.<entity>_history`."""
    origin = _struct((a.name, BELIEF_ORIGIN) for a in entity.attributes)
    return (
        IDENTITY[1],
        *key_columns(entity),
        *BELIEF_ONLY,
        *attribute_columns(entity),
        Col("origin", origin, "Who supplied each value, for when, in which assertion, and the rule that chose it"),
        Col("contested", "array<string>", "Attributes on which a live source that lost disagrees"),
        Col("rule_version", "int", "The rules it was decided by (ops.rule_set)"),
    )


def pin_columns(entity: Entity) -> tuple[Col, ...]:
    """Every column of `silver.<entity>_pin`."""
    return (Col("pin", "string", "The answer that this row is part of"), *belief_columns(entity))


def searched(entity: Entity, columns: Iterable[Col]) -> tuple[str, ...]:
    """The columns of a table that rows are looked for by; Delta knows no bounds of booleans and bytes."""
    key = {part.name for part in entity.key if part.type not in ("boolean", "binary")}
    return tuple(col.name for col in columns if col.name in SEARCHED or col.name in key)


def event_name(entity: Entity) -> str:
    return f"bronze.{entity.name}_event"


def derived_name(entity: Entity) -> str:
    """The table that follows from an entity's log: a timeline of states, or facts."""
    return event_name(entity) if entity.kind is Kind.EVENT else history_name(entity)


def derived_columns(entity: Entity) -> tuple[Col, ...]:
    """Every column of the table that follows from an entity's log."""
    return event_columns(entity) if entity.kind is Kind.EVENT else history_columns(entity)


def event_columns(entity: Entity) -> tuple[Col, ...]:
    """Every column of `bronze.<entity>_event`."""
    return (*IDENTITY, *key_columns(entity), *attribute_columns(entity), *EVENT_ONLY, *PROVENANCE, *SEALS)


def state_name(series: Series) -> str:
    """Each version of it is a dump or a target."""
    return f"silver.{series.name}_state"


def target_name(series: Series) -> str:
    """What people query: the newest target that nothing bad is in."""
    return f"silver.{series.name}"


def delta_name(series: Series) -> str:
    return f"silver.{series.name}_delta"


def _origin_type(entity: Entity) -> str:
    return _struct((a.name, ORIGIN) for a in entity.attributes)


def _stated_type(entity: Entity) -> str:
    names = (*((a.name, a.type) for a in entity.attributes), ("is_deleted", "boolean"))
    return _struct((name, f"struct<value: {kind}, event_ts: timestamp, assertion_id: string>") for name, kind in names)


def _struct(fields: Iterable[tuple[str, str]]) -> str:
    quoted = ((name.replace("`", "``"), kind) for name, kind in fields)
    return "struct<" + ", ".join(f"`{name}`: {kind}" for name, kind in quoted) + ">"
