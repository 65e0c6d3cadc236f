"""What shapes a dimension: after a change of it the table is made anew, on purpose (R28)."""

from __future__ import annotations

from typing import Any

from muniment.model.dimension import Dimension
from muniment.steps.errors import DimensionShapeChanged
from muniment.steps.position import Position


def shape_of(dimension: Dimension) -> dict[str, Any]:
    """The settings, as they stand in the dimension's commits."""
    return {
        "from": dimension.believes,
        "surrogate": dimension.surrogate,
        "open_end": dimension.open_end.value,
        "columns": {column.name: column.scd for column in dimension.columns},
    }


def refuse_other_shape(dimension: Dimension, was: Position) -> None:
    """A new column is no such change: nothing was said of it before."""
    if not was.number:
        return
    before, after = was.settings, shape_of(dimension)
    found = [name for name in ("from", "surrogate", "open_end") if before[name] != after[name]]
    shared = before["columns"].keys() & after["columns"].keys()
    found += [f"columns.{name}" for name in sorted(shared) if before["columns"][name] != after["columns"][name]]
    if found:
        raise DimensionShapeChanged(dimension=dimension.name, settings=", ".join(found))


def keeps_columns(dimension: Dimension, was: Position) -> bool:
    """No column was taken out: versions that only one of its changes had opened would have to go."""
    return bool(was.settings) and was.settings["columns"].keys() <= shape_of(dimension)["columns"].keys()
