"""How a column ages: one class per type, each a few expressions over a member's chain; a new type is one class and one entry below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol

from pyspark.sql import Column, Window, WindowSpec
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.model.dimension import ScdColumn

AT = "_at"  # the instant that a row of the chain stands for
IS_LIVE = "_live"


def by_time() -> WindowSpec:
    """A member's chain."""
    return Window.partitionBy("sk").orderBy(AT)


def whole() -> WindowSpec:
    """All of a member's chain."""
    return by_time().rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)


def so_far() -> WindowSpec:
    """A member's chain up to here."""
    return by_time().rowsBetween(Window.unboundedPreceding, Window.currentRow)


def state(column: ScdColumn) -> str:
    """The working column with what holds of a column from this instant on."""
    return f"_state_{column.name}"


def before(column: ScdColumn) -> str:
    """What held of it at the instant before."""
    return f"_before_{column.name}"


def first(column: ScdColumn) -> str:
    """What was said of it first, by the time of receipt; nulls do not count."""
    return f"_first_{column.name}"


def first_at(column: ScdColumn) -> str:
    """The instant that this was said for."""
    return f"_first_at_{column.name}"


def is_changed(column: ScdColumn) -> Column:
    """It differs from the instant before, null-safely (R3); the first instant of a member changes nothing."""
    return (F.col("_number") > 1) & ~quoted(state(column)).eqNullSafe(quoted(before(column)))


class ScdType(Protocol):
    """What a type has to say."""

    makes_versions: ClassVar[bool]

    def shown(self, column: ScdColumn) -> Mapping[str, Column]:
        """The columns it shows on each version."""


class Retained:
    """Type 0: the first value stays; later ones are refused. A null is filled once."""

    makes_versions: ClassVar[bool] = False

    def shown(self, column: ScdColumn) -> Mapping[str, Column]:
        return {column.name: quoted(first(column))}


class Overwritten:
    """Type 1: the latest value, in every version."""

    makes_versions: ClassVar[bool] = False

    def shown(self, column: ScdColumn) -> Mapping[str, Column]:
        return {column.name: _latest(column)}


class Versioned:
    """Type 2: each version has its own value."""

    makes_versions: ClassVar[bool] = True

    def shown(self, column: ScdColumn) -> Mapping[str, Column]:
        return {column.name: quoted(state(column))}


class Previous:
    """Type 3: the latest value, the one before it, and since when it holds; in every version."""

    makes_versions: ClassVar[bool] = False

    def shown(self, column: ScdColumn) -> Mapping[str, Column]:
        since = F.max(F.when(is_changed(column), F.col(AT))).over(whole())
        return {
            column.name: _latest(column),
            column.previous: _last_replaced(column, whole()),
            column.changed_at: F.coalesce(since, F.min(F.when(F.col(IS_LIVE), F.col(AT))).over(whole())),
        }


class Apart(Overwritten):
    """Type 4: the latest value, in every version; the past ones are kept in a table of their own (`past`)."""


class Hybrid:
    """Type 6: each version has its own value and the one before it, and all of them the latest."""

    makes_versions: ClassVar[bool] = True

    def shown(self, column: ScdColumn) -> Mapping[str, Column]:
        return {
            column.name: quoted(state(column)),
            column.current: _latest(column),
            column.previous: _last_replaced(column, so_far()),
        }


TYPES: Mapping[int, ScdType] = {0: Retained(), 1: Overwritten(), 2: Versioned(), 3: Previous(), 4: Apart(), 6: Hybrid()}


def shown(column: ScdColumn) -> Mapping[str, Column]:
    """The columns that a column shows on each version."""
    return TYPES[column.scd].shown(column)


def makes_versions(column: ScdColumn) -> bool:
    """A change of it opens a version."""
    return TYPES[column.scd].makes_versions


def _latest(column: ScdColumn) -> Column:
    return F.last(quoted(state(column))).over(whole())


def _last_replaced(column: ScdColumn, window: WindowSpec) -> Column:
    """The value that the last change replaced, a null among them."""
    replaced = F.when(is_changed(column), F.struct(quoted(before(column)).alias("value")))
    return F.last(replaced, ignorenulls=True).over(window)["value"]
