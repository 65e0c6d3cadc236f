"""How far a slice goes beyond what was read before, and the window in which it should have everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.hashes import quoted
from muniment.loads import values
from muniment.loads.errors import BadWatermark
from muniment.loads.marks import Mark
from muniment.loads.recipe import found
from muniment.model.load import Load, Operation, Watermark, Window


@dataclass(frozen=True, slots=True)
class Reach:
    """A load's watermarks, the types of the columns that they follow, and the largest values of a slice."""

    load: Load
    marks: Mapping[str, Mark]
    kinds: Mapping[str, T.DataType]
    highs: Mapping[str, values.Value] = field(default_factory=dict)

    def moves(self) -> list[dict[str, Any]]:
        """What a slice moves: only forward, and only where it has a value; as it stands in the commit."""
        return [move for watermark in self.load.watermarks if (move := self._move(watermark))]

    def unread(self) -> Column | None:
        """What a source has beyond the watermarks, lags counted; None: everything."""
        return self._combined(self._after)

    def window(self) -> Column | None:
        """The rows that a slice should have, if they are still there; None where that cannot be told, so that nothing is inferred."""
        return self._combined(self._between)

    def refuse_unmarkable(self) -> None:
        """A watermark on a column without an order, or a lag on one that is no time, is a mistake."""
        for watermark in self.load.watermarks:
            kind = self._kind(watermark)
            if kind is not None and not values.can_mark(kind):
                self._mistake(watermark, f"{kind.simpleString()}, which has no order", "Choose a time, a number or a text.")
            if kind is not None and watermark.lag is not None and not values.has_lag(kind):
                self._mistake(
                    watermark, f"{kind.simpleString()}, and only times have a lag", "Leave 'lag' out, or give the column a time's type."
                )

    def _mistake(self, watermark: Watermark, problem: str, advice: str) -> None:
        raise BadWatermark(load=self.load.name, problem=f"the watermark {watermark.column} is {problem}", advice=advice)

    def _combined(self, one: Callable[[Watermark], Column | None]) -> Column | None:
        """The conditions of all watermarks, from left to right; none where one of them has nothing to say."""
        whole: Column | None = None
        for watermark in self.load.watermarks:
            condition = one(watermark)
            if condition is None:
                return None
            whole = condition if whole is None else (whole | condition if watermark.operation is Operation.OR else whole & condition)
        return whole

    def _after(self, watermark: Watermark) -> Column | None:
        name, low = found(watermark.column, self.kinds), self._low(watermark)
        if name is None or low is None:
            return None
        start = values.literal(values.back(low, watermark.lag), self.kinds[name])
        return quoted(name) >= start if self.load.window is Window.CLOSED else quoted(name) > start

    def _between(self, watermark: Watermark) -> Column | None:
        name, after, high = found(watermark.column, self.kinds), self._after(watermark), self.highs.get(watermark.column)
        if name is None or after is None or high is None:
            return None
        return F.coalesce(after & (quoted(name) <= values.literal(high, self.kinds[name])), F.lit(False))

    def _move(self, watermark: Watermark) -> dict[str, Any] | None:
        kind, high, low = self._kind(watermark), self.highs.get(watermark.column), self._low(watermark)
        if kind is None or high is None or (low is not None and not high > low):  # type: ignore[operator]
            return None
        mark = self.marks.get(watermark.column)
        text = values.write_value(high, kind)
        return {"column": watermark.column, "value": text, "type": kind.simpleString(), "before": mark.value if mark else None}

    def _kind(self, watermark: Watermark) -> T.DataType | None:
        name = found(watermark.column, self.kinds)
        return None if name is None else self.kinds[name]

    def _low(self, watermark: Watermark) -> values.Value | None:
        kind, mark = self._kind(watermark), self.marks.get(watermark.column)
        return None if kind is None or mark is None or mark.value is None else values.read_value(mark.value, kind)


def told(load: Load, marks: Mapping[str, Mark]) -> str:
    """How the source is to be read next, in words that a person can put into a query."""
    sign = ">=" if load.window is Window.CLOSED else ">"
    text = ""
    for watermark in load.watermarks:
        mark = marks.get(watermark.column)
        if mark is None or mark.value is None:
            return "everything"
        start = values.write_value(values.back(values.read_value(mark.value, mark.kind), watermark.lag), mark.kind)
        text += f" {watermark.operation.value} " if text else ""
        text += f"{watermark.column} {sign} {start}"
    return text or "everything"
