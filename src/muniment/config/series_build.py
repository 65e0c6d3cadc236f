"""Shape → series, once nothing is wrong with it."""

from __future__ import annotations

from muniment.config.build import build_attribute, build_checks, build_info, build_key, build_ops, build_texts
from muniment.config.series_shape import ChecksumShape, NullShareShape, RowsShape, SeriesCheckForm, SeriesShape
from muniment.model.check import NullShare, RowBand, SameChecksum, SeriesCheck
from muniment.model.series import USUAL_OPS, Series


def build_series(shape: SeriesShape) -> Series:
    """The series that a shape without mistakes describes."""
    names = (*shape.key, *shape.columns)
    return Series(
        name=shape.series,
        key=build_key(shape.key),
        every=shape.every,
        order=tuple(shape.order),
        columns=tuple(build_attribute(name, form) for name, form in shape.columns.items()),
        op=build_ops(shape.op) or USUAL_OPS,
        format=shape.read.format if shape.read else None,
        options=build_texts(shape.read.options) if shape.read else {},
        checks=tuple(check for form in shape.checks for check in _checks(form, names)),
        info=build_info(shape),
    )


def _checks(form: SeriesCheckForm, names: tuple[str, ...]) -> tuple[SeriesCheck, ...]:
    match form:
        case RowsShape():
            return (RowBand(form.rows.within, form.rows.last, form.on_fail),)
        case NullShareShape():
            return tuple(NullShare(name, most, form.on_fail) for name, most in form.null_share.items())
        case ChecksumShape():
            return (SameChecksum(form.checksum.table, form.checksum.series, form.on_fail),)
        case _:
            return build_checks([form], names)
