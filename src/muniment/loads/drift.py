"""Where a slice has other columns than the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyspark.sql import types as T

from muniment.loads.errors import SchemaDrifted
from muniment.loads.recipe import INTERNAL, Recipe
from muniment.model.load import Drift


@dataclass(frozen=True, slots=True)
class Difference:
    """Columns that only the slice has, that only the table has, and that have two types: the table's and the slice's."""

    added: Mapping[str, str]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[str, str]]

    def told(self) -> Iterator[str]:
        """In words."""
        yield from (f"column {name} ({kind}) is new" for name, kind in self.added.items())
        yield from (f"column {name} is not in the slice; what is held stays" for name in self.removed)
        yield from (f"column {name} is {ours} here and {theirs} in the slice" for name, (ours, theirs) in self.changed.items())

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def drift_of(raw: T.StructType, prepared: T.StructType, *, recipe: Recipe) -> Difference:
    """How a slice differs from the table; a declared column is judged by its declaration, because a file of text has no types."""
    if recipe.held is None:
        return Difference({}, (), {})
    held = {field.name: field.dataType.simpleString() for field in recipe.held if field.name not in recipe.load.system_columns}
    came = {field.name: field.dataType.simpleString() for field in prepared if field.name not in (*recipe.load.system_columns, *INTERNAL)}
    found = {field.name: raw[field.raw].dataType.simpleString() for field in recipe.fields(raw)}
    said = came | found | {column.name: column.type for column in recipe.load.columns}
    return Difference(
        added={name: kind for name, kind in came.items() if name not in held},
        removed=tuple(name for name in held if name not in came),
        changed={name: (held[name], said[name]) for name in came if name in held and held[name] != said[name]},
    )


def refuse_drift(difference: Difference, *, recipe: Recipe) -> None:
    """Where the load says `drift: fail`, any difference refuses the slice."""
    if difference and recipe.load.drift is Drift.FAIL:
        raise SchemaDrifted(load=recipe.load.name, differences="; ".join(difference.told()))
