"""The tables of a dimension, by the names and columns a person sees in SQL."""

from __future__ import annotations

from muniment.columns import Col
from muniment.model.dimension import Dimension, ScdColumn

SENTINEL = "9999-12-31 23:59:59"  # UTC

SK = Col("sk", "string", "SHA-256 of the canonical business key (R1)")
VERSION = (
    Col("version", "int", "Counts from 1 for each key, in the order of time"),
    Col("effective_from", "timestamp", "Start of the interval, inclusive (R5)"),
    Col("effective_to", "timestamp", "End of the interval, exclusive (R5)"),
    Col("is_current", "boolean", "The version that holds now: the partition"),
    Col("is_inferred", "boolean", "Made for a fact that came first; nobody has described it yet"),
)
INTERVAL = VERSION[1:3]
AUDIT = (
    Col("change_type", "string", "create, update, delete, revive, or refuse for an attempt on a column of type 0"),
    Col("attribute", "string", "The column; null where the whole row came or went"),
    Col("old_value", "string", "What it was, as text"),
    Col("new_value", "string", "What it became, or what was refused, as text"),
    Col("effective_ts", "timestamp", "From when the change holds"),
    Col("made_at", "timestamp", "When it was applied"),
    Col("made_by", "string", "Who, if somebody said so"),
    Col("reason", "string", "Why"),
    Col("run_id", "string", "The run that applied it (ops.run)"),
    Col("salt", "string", "Random, so that an erased row cannot be guessed from its digest (R27)"),
    Col("row_digest", "string", "SHA-256 over salt and row; the run's digest covers it (R27)"),
)
REMOVED = (
    Col("removed_at", "timestamp", "When the repair took it out"),
    Col("removed_by", "string", "Who"),
    Col("removed_reason", "string", "Why"),
    Col("run_id", "string", "The run that repaired"),
)


def dimension_name(dimension: Dimension) -> str:
    return f"gold.{dimension.name}"


def past_name(dimension: Dimension) -> str:
    """Past values of columns of type 4."""
    return f"gold.{dimension.name}_history"


def audit_name(dimension: Dimension) -> str:
    return f"gold.{dimension.name}_audit"


def removed_name(dimension: Dimension) -> str:
    """What repairs took out."""
    return f"gold.{dimension.name}_removed"


def key_columns(dimension: Dimension) -> tuple[Col, ...]:
    return tuple(Col(part.name, part.type, "Business key") for part in dimension.key)


def shown_columns(column: ScdColumn) -> tuple[Col, ...]:
    """What a column becomes in the table; its type may add others beside it."""
    words = column.info.description or f"Type {column.scd}"
    own = Col(column.name, column.type, words)
    previous = Col(column.previous, column.type, f"The value of {column.name} before it last changed")
    if column.scd == 3:
        return (own, previous, Col(column.changed_at, "timestamp", f"Since when {column.name} has its value"))
    if column.scd == 6:
        return (own, Col(column.current, column.type, f"The value of {column.name} now, on every version"), previous)
    return (own,)


def named_by(dimension: Dimension) -> tuple[str, ...]:
    """The columns that name a member in `gold.<dimension>`: its key, from which `sk` follows; a table of belief has the `sk` of its entity."""
    return tuple(part.name for part in dimension.key) if dimension.believes is None else (SK.name,)


def dimension_columns(dimension: Dimension) -> tuple[Col, ...]:
    """Every column of `gold.<dimension>`."""
    surrogate = Col(dimension.surrogate, "bigint", "Surrogate key: follows from key and start of the version")
    shown = (each for column in dimension.columns for each in shown_columns(column))
    return (*(() if dimension.believes is None else (SK,)), surrogate, *key_columns(dimension), *VERSION, *shown)


def past_columns(dimension: Dimension) -> tuple[Col, ...]:
    """Every column of `gold.<dimension>_history`."""
    values = (Col(column.name, column.type, column.info.description or "Past value") for column in dimension.of_type(4))
    return (SK, *key_columns(dimension), *INTERVAL, *values)


def audit_columns(dimension: Dimension) -> tuple[Col, ...]:
    """Every column of `gold.<dimension>_audit`."""
    return (Col("assertion_id", "string", "The change's own id: the same change again has the same"), SK, *key_columns(dimension), *AUDIT)


def removed_columns(dimension: Dimension) -> tuple[Col, ...]:
    """Every column of `gold.<dimension>_removed`."""
    return (*REMOVED, *dimension_columns(dimension))
