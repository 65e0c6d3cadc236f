"""A dimension: a table that analysts join to, in which each column ages the way the business said."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from muniment.model.attribute import Attribute, KeyPart
from muniment.model.check import Check
from muniment.model.entity import Entity
from muniment.model.info import Info
from muniment.model.source import Absence, ColumnTime, GivenTime, LoadType, NullMeans, Ops, Source, Undeclared

TYPES = (0, 1, 2, 3, 4, 6)
APPLY = "apply"  # whoever hands rows to a dimension is one source


class OnChange(StrEnum):
    """What happens to a row that would change a column of type 0."""

    KEEP = "keep"
    FAIL = "fail"


class OpenEnd(StrEnum):
    """How the end of a version that is still open is shown."""

    SENTINEL = "sentinel"
    NONE = "none"


class Unmatched(StrEnum):
    """The member that a fact gets whose key nobody has described yet."""

    UNKNOWN = "unknown"
    INFER = "infer"


@dataclass(frozen=True, slots=True)
class ScdColumn:
    """One column and how it ages."""

    name: str
    type: str
    scd: int = 2
    on_change: OnChange = OnChange.KEEP
    info: Info = field(default_factory=Info)

    @property
    def previous(self) -> str:
        return f"previous_{self.name}"

    @property
    def current(self) -> str:
        return f"current_{self.name}"

    @property
    def changed_at(self) -> str:
        return f"{self.name}_changed_at"


@dataclass(frozen=True, slots=True)
class Dimension:
    name: str
    key: tuple[KeyPart, ...]
    columns: tuple[ScdColumn, ...]
    surrogate: str
    believes: str | None = None  # the entity whose belief it shows (`from`); None: rows are given to apply
    event_time: ColumnTime | None = None  # None: the time of the apply
    op: Ops | None = None
    absence: Absence = Absence.KEPT
    open_end: OpenEnd = OpenEnd.SENTINEL
    unmatched: Unmatched = Unmatched.UNKNOWN
    checks: tuple[Check, ...] = ()
    info: Info = field(default_factory=Info)

    def of_type(self, *types: int) -> tuple[ScdColumn, ...]:
        """The columns of some types."""
        return tuple(column for column in self.columns if column.scd in types)

    @property
    def spoken_of(self) -> Entity:
        """What is said of it as an entity of its own: its rows pass the same gate into a log of the same form."""
        source = Source(
            name=APPLY,
            event_time=self.event_time or GivenTime(),
            load=LoadType.CHANGES,
            op=self.op,
            null_means=NullMeans.VALUE,
            undeclared=Undeclared.IGNORE,
        )
        attributes = tuple(Attribute(column.name, column.type, info=column.info) for column in self.columns)
        return Entity(self.name, self.key, attributes, sources=(source,), checks=self.checks, info=self.info)
