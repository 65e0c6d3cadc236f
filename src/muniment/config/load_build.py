"""The load that a shape without mistakes describes."""

from __future__ import annotations

from muniment.config.build import build_checks, build_info, read_of
from muniment.config.entity_shape import KeyPartShape
from muniment.config.load_rules import declared
from muniment.config.load_shape import LoadColumnShape, LoadShape
from muniment.config.times import parse_duration
from muniment.expressions import check_predicate, check_value
from muniment.model.attribute import KeyPart
from muniment.model.expression import Value
from muniment.model.load import Load, LoadColumn, Watermark


def build_load(shape: LoadShape) -> Load:
    """The load of a shape."""
    return Load(
        name=shape.load,
        strategy=shape.strategy,
        key=tuple(KeyPart(name, form.type if isinstance(form, KeyPartShape) else form) for name, form in shape.key.items()),
        columns=tuple(_column(shape, name, kind) for name, kind in declared(shape).items()),
        transforms=tuple((name, check_value(text)) for name, text in shape.transform.items()),
        read=read_of(shape.read) if shape.read else None,
        partition=tuple(shape.partition),
        watermarks=tuple(Watermark(w.column, parse_duration(w.lag) if w.lag else None, w.operation) for w in shape.watermark),
        deleted=None if shape.deleted is None else Value(check_predicate(shape.deleted, None), check_value(shape.deleted).reads),
        absence=shape.absence,
        window=shape.window,
        max_deleted=shape.max_deleted,
        drift=shape.drift,
        prefix=shape.prefix,
        checks=build_checks(shape.checks, tuple(declared(shape))),
        info=build_info(shape),
    )


def _column(shape: LoadShape, name: str, kind: str) -> LoadColumn:
    form = shape.columns.get(name)
    if not isinstance(form, LoadColumnShape):
        return LoadColumn(name, kind)
    return LoadColumn(name, kind, form.source, check_value(form.expression) if form.expression is not None else None)
