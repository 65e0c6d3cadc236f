"""Watermarks set by hand: audited like every decision of a person."""

from __future__ import annotations

from datetime import datetime

from muniment import clock
from muniment.lake.tables import Lake
from muniment.loads import marks, values
from muniment.loads.errors import BadWatermark
from muniment.model.load import Load
from muniment.model.names import find
from muniment.steps.load_records import recover
from muniment.steps.release import Verdict


def reset(lake: Lake, load: Load, column: str, value: str | datetime | None, *, verdict: Verdict) -> str | None:
    """Set a watermark to a value of its type, or to none; who did it and why is kept."""
    find("watermark", column, {watermark.column: watermark for watermark in load.watermarks})
    with lake.lock(f"reset the watermark of {load.name}"):
        recover(lake, load)
        mark = marks.current(lake, load).get(column)
        if mark is None:
            advice = "It gets one with the first slice; until then everything is read."
            raise BadWatermark(load=load.name, problem=f"{column} has no watermark yet", advice=advice)
        text = None if value is None else _parsed(load, mark, value)
        move = {"column": column, "value": text, "type": mark.type, "before": mark.value}
        marks.write(lake, load, [move], cause=marks.Cause(marks.RESET, clock.new_id(), by=verdict.by, reason=verdict.reason))
        return text


def _parsed(load: Load, mark: marks.Mark, value: str | datetime) -> str:
    text = value.isoformat() if isinstance(value, datetime) else value
    try:
        return values.write_value(values.read_value(text, mark.kind), mark.kind)
    except ValueError as error:
        raise BadWatermark(load=load.name, problem=f"{mark.column}: {error}", advice="Give a value of that type, or none.") from None
