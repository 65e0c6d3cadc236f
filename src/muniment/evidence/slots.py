"""What an assertion may state, attribute by attribute: a slot for each attribute and one for `is_deleted` (R13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.compare import comparable
from muniment.canon.encode import identifier
from muniment.canon.hashes import quoted
from muniment.columns import IDENTITY, PROVENANCE, SEALS, Col
from muniment.model.attribute import Attribute
from muniment.model.entity import Entity
from muniment.model.tables import attribute_columns, key_columns

IS_DELETED = "is_deleted"


@dataclass(frozen=True, slots=True)
class Slot:
    """One attribute, by its place; the place names the working columns, so that no attribute's name can disturb them."""

    place: int
    name: str
    attribute: Attribute | None  # None: is_deleted

    @property
    def is_tracked(self) -> bool:
        return self.attribute is None or self.attribute.track

    @property
    def said(self) -> str:
        """What this row states, or null."""
        return f"_said{self.place}"

    @property
    def latest(self) -> str:
        """The latest statement of any source up to this row."""
        return f"_latest{self.place}"

    @property
    def own(self) -> str:
        """The last statement of the row's own source up to this row."""
        return f"_own{self.place}"

    @property
    def heard(self) -> str:
        """What this row is completed with as received (R8)."""
        return f"_heard{self.place}"

    @property
    def column(self) -> Column:
        return quoted(self.name)

    def of(self, struct: Column) -> Column:
        """The field of a struct that has one per slot."""
        return struct.getField(self.name)

    def compared(self, value: str, kinds: Mapping[str, T.DataType]) -> str:
        """The value, an expression, as collapsing compares it (R2, R15)."""
        if self.attribute is None:
            return f"coalesce({value}, false)"
        return comparable(value, kinds[self.name], attribute=self.attribute)


def slots_of(entity: Entity) -> tuple[Slot, ...]:
    """A slot for every attribute, and the last for `is_deleted`."""
    attributes = tuple(Slot(place, a.name, a) for place, a in enumerate(entity.attributes))
    return (*attributes, deletion_of(entity))


def deletion_of(entity: Entity) -> Slot:
    """The slot of `is_deleted`."""
    return Slot(len(entity.attributes), IS_DELETED, None)


def assertion_columns(entity: Entity) -> tuple[Col, ...]:
    """The columns of the log that a timeline follows from."""
    return (*IDENTITY, *key_columns(entity), *PROVENANCE, *attribute_columns(entity), *SEALS)


def named(names: Iterable[str]) -> list[Column]:
    """Columns by their exact names."""
    return [quoted(name) for name in names]


def packed(names: Iterable[str]) -> Column:
    """Columns as one struct; as text, because each column that Python builds is several calls to Spark."""
    return F.expr(f"struct({', '.join(map(identifier, names))})")


def only(rows: DataFrame, names: Iterable[str]) -> DataFrame:
    """The rows with just these columns, by their exact names."""
    return rows.selectExpr(*map(identifier, names))


def row_names(entity: Entity) -> tuple[str, ...]:
    """The columns a version takes over from the assertion that opened it."""
    columns = (*IDENTITY, *key_columns(entity), *PROVENANCE, *SEALS)
    return tuple(column.name for column in columns if column.name not in ("sk", IS_DELETED))
