"""What is done to one slice: the load, the time of processing, and how the slice's columns become the table's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment import clock
from muniment.gate.examine import RAW
from muniment.gate.rows import FILE, UNREADABLE
from muniment.loads.errors import NamesClash, SliceLacks
from muniment.model.expression import AT
from muniment.model.load import Drift, Load, LoadColumn
from muniment.model.names import hint

TYPED = "__typed"  # the values as they will be stored
UNFIT = "__unfit"  # those that would not go
INTERNAL = frozenset({FILE, UNREADABLE, AT, TYPED, UNFIT, RAW})


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the slice, the name it gets in the table, and the type it is stored in."""

    raw: str
    name: str
    kind: T.DataType


@dataclass(frozen=True, slots=True)
class Recipe:
    """One slice of one load; `held` is the schema of the table, where there is one."""

    load: Load
    at: datetime
    run_id: str
    held: T.StructType | None = None
    keep: Callable[[DataFrame], DataFrame] = lambda rows: rows

    def fields(self, schema: T.StructType) -> tuple[Field, ...]:
        """The columns of a slice that go into the table, key and declared ones first."""
        raws = {field.name: field.dataType for field in schema if field.name not in INTERNAL and field.name.casefold() not in self._own}
        declared = [(raw, column.name, column.type) for column in self.load.columns if (raw := self._raw_of(column, raws))]
        known = {raw for raw, _, _ in declared}
        others = [(raw, normal(raw), None) for raw in raws if raw not in known and self.load.drift is not Drift.IGNORE]
        held = self.held.names if self.held is not None else ()
        named = ((raw, found(name, held) or name, kind) for raw, name, kind in (*declared, *others))
        return tuple(Field(raw, name, self._kind(name, kind, raws[raw])) for raw, name, kind in named)

    def _raw_of(self, column: LoadColumn, raws: Iterable[str]) -> str | None:
        first = found(column.source, raws) if column.source else None
        return first or found(column.name, raws)

    def _kind(self, name: str, declared: str | None, raw: T.DataType) -> T.DataType:
        """The table's own type goes before the declared one, and that before the slice's: what does not go into it whole is refused."""
        held = {field.name.casefold(): field.dataType for field in self.held or ()}
        return held.get(name.casefold()) or (T.DataType.fromDDL(declared) if declared else raw)

    @property
    def _own(self) -> set[str]:
        return {name.casefold() for name in self.load.system_columns}

    def refuse_clashes(self, schema: T.StructType) -> None:
        """Refuse a slice whose columns would get one name, or one that Muniment keeps itself."""
        seen: dict[str, Field] = {}
        for raw in schema.names:
            if raw.casefold() in self._own:
                raise NamesClash(load=self.load.name, column=raw, name=raw, problem="which Muniment keeps itself")
        for field in self.fields(schema):
            first = seen.setdefault(field.name.casefold(), field)
            if first is not field:
                raise NamesClash(load=self.load.name, column=field.raw, name=field.name, problem=f"and so would '{first.raw}'")

    def need(self, names: Iterable[str], columns: Iterable[str], what: str) -> None:
        """Refuse a slice that lacks a column which something cannot do without."""
        shown = [name for name in columns if name not in INTERNAL]
        for name in sorted(names):
            if found(name, shown) is None:
                raise SliceLacks(load=self.load.name, what=what, column=name, hint=hint(name, shown), known=", ".join(shown) or "none")

    @property
    def volatile(self) -> frozenset[str]:
        """Columns that follow the time of processing: they never make a row a changed one."""
        return volatile(self.load)


def volatile(load: Load) -> frozenset[str]:
    """Columns that follow the time of processing, by their names in the slice and in the table, in small letters."""
    moving: set[str] = set()
    values = [*load.transforms, *((column.name, column.value) for column in load.columns if column.value)]
    for name, value in values:
        if value.reads_time or {read.casefold() for read in value.reads} & moving:
            moving |= {name.casefold(), normal(name).casefold()}
    return frozenset(moving | {column.name.casefold() for column in load.columns if (column.source or "").casefold() in moving})


def found(name: str, columns: Iterable[str]) -> str | None:
    """The column of that name, whatever its letter case, as Spark itself looks for it."""
    return next((column for column in columns if column.casefold() == name.casefold()), None)


def normal(name: str) -> str:
    """A name that every reader of the table can write down.

    >>> normal("Order Total (€)"), normal("2nd line")
    ('Order_Total', 'c_2nd_line')
    """
    plain = re.sub(r"\W+", "_", name).strip("_") or "c"
    return plain if plain.isidentifier() else f"c_{plain}"


def instant(moment: datetime) -> Column:
    """A time as a value, whatever the session's zone is."""
    return F.timestamp_micros(F.lit(clock.micros(moment)))
