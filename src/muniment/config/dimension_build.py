"""The shape of a dimension → its model, once nothing is wrong with it."""

from __future__ import annotations

from muniment.config.build import build_checks, build_info, build_key, build_ops
from muniment.config.dimension_shape import DimensionShape, ScdColumnForm, TimeForm
from muniment.model.dimension import Dimension, ScdColumn
from muniment.model.source import ColumnTime


def build_dimension(shape: DimensionShape) -> Dimension:
    """The dimension that a shape without mistakes describes."""
    return Dimension(
        name=shape.dimension,
        key=build_key(shape.key),
        columns=tuple(_column(name, form) for name, form in shape.columns.items()),
        surrogate=shape.surrogate or f"{shape.dimension}_key",
        believes=shape.believes,
        event_time=_event_time(shape.event_time),
        op=build_ops(shape.op),
        absence=shape.absence,
        open_end=shape.open_end,
        unmatched=shape.unmatched,
        checks=build_checks(shape.checks, (*shape.key, *shape.columns)),
        info=build_info(shape),
    )


def _column(name: str, form: ScdColumnForm) -> ScdColumn:
    if isinstance(form, str):
        return ScdColumn(name, form)
    return ScdColumn(name, form.type, form.scd, form.on_change, build_info(form))


def _event_time(form: TimeForm | None) -> ColumnTime | None:
    if form is None:
        return None
    return ColumnTime(form) if isinstance(form, str) else ColumnTime(form.column, form.format, form.zone)
