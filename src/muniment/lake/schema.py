"""Columns as SQL, and what a table lacks of what is declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from muniment.columns import RANDOM, UNLIKE, Col
from muniment.lake.errors import ColumnTypeChanged
from muniment.lake.location import literal, quote

_DICTIONARY = 128 * 1024  # values that do not fit into it hardly repeat: to look each of them up took longer than to write it


@dataclass(frozen=True, slots=True)
class Addition:
    """A column, or a field inside one, that a table does not have yet."""

    path: tuple[str, ...]
    type: str
    comment: str

    def sql(self) -> str:
        """As ALTER TABLE takes it."""
        name = ".".join(quote(part) for part in self.path)
        return f"{name} {self.type}" + (f" COMMENT {literal(self.comment)}" if self.comment else "")


def declaration(columns: Sequence[Col]) -> str:
    """Columns as CREATE TABLE takes them."""
    return ", ".join(Addition((col.name,), col.type, col.comment).sql() for col in columns)


def kind_of(columns: Sequence[Col]) -> StructType:
    """Columns as a type."""
    kind = DataType.fromDDL(", ".join(f"{quote(col.name)} {col.type}" for col in columns))
    return StructType(kind.fields) if isinstance(kind, StructType) else StructType()


def encodings(columns: Sequence[Col]) -> dict[str, str]:
    """Table properties for Parquet's writer, wherever in a column a name stands: no dictionary of what hardly repeats, no bounds of random text."""
    leaves = [(".".join(path), path[-1]) for path in _leaves(kind_of(columns))]
    dictionaries = {f"parquet.enable.dictionary#{place}": "false" for place, name in leaves if name in UNLIKE}
    bounds = {f"parquet.column.statistics.enabled#{place}": "false" for place, name in leaves if name in RANDOM}
    sizes = {"parquet.size.statistics.enabled": "false"}  # how large values are, nobody asks
    return {**sizes, "parquet.dictionary.page.size": str(_DICTIONARY), **dictionaries, **bounds}


def statistics(columns: Iterable[str]) -> dict[str, str]:
    """The table property that names the columns whose bounds each file states; those of all columns of a wide row are a twentieth of a rebuild."""
    return {"delta.dataSkippingStatsColumns": ",".join(map(quote, columns))}


def _leaves(kind: StructType, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for field in kind:
        inner = (*path, field.name)
        yield from _leaves(field.dataType, inner) if isinstance(field.dataType, StructType) else (inner,)


def growth(table: str, columns: Sequence[Col], *, have: StructType) -> list[Addition]:
    """What has to be added for all columns to be there; a type that differs is refused, a column no longer declared stays (R4)."""
    existing = {field.name.lower(): field.dataType for field in have}
    additions: list[Addition] = []
    for col in columns:
        found = existing.get(col.name.lower())
        if found is None:
            additions.append(Addition((col.name,), col.type, col.comment))
        else:
            additions.extend(_fields(table, (col.name,), have=found, want=DataType.fromDDL(col.type)))
    return additions


def _fields(table: str, path: tuple[str, ...], *, have: DataType, want: DataType) -> Iterator[Addition]:
    """New fields of structs, as deep as they go."""
    if not (isinstance(have, StructType) and isinstance(want, StructType)):
        if not same(have, want):
            raise ColumnTypeChanged(table=table, column=".".join(path), found=have.simpleString(), expected=want.simpleString())
        return
    existing = {field.name.lower(): field.dataType for field in have}
    for field in want:
        found = existing.get(field.name.lower())
        if found is None:
            yield Addition((*path, field.name), _ddl(field.dataType), "")
        else:
            yield from _fields(table, (*path, field.name), have=found, want=field.dataType)


def same(have: DataType, want: DataType) -> bool:
    """The same type, whatever it says of nulls and comments."""
    if isinstance(have, ArrayType) and isinstance(want, ArrayType):
        return same(have.elementType, want.elementType)
    if isinstance(have, MapType) and isinstance(want, MapType):
        return same(have.keyType, want.keyType) and same(have.valueType, want.valueType)
    if isinstance(have, StructType) and isinstance(want, StructType):
        pairs = zip(have, want, strict=False)
        return len(have) == len(want) and all(h.name == w.name and same(h.dataType, w.dataType) for h, w in pairs)
    return have == want


def aligned(rows: DataFrame, like: StructType) -> DataFrame:
    """The rows with their columns, and the fields inside them, in another order; a table that grew has new fields at the end."""
    have = {field.name: field.dataType for field in rows.schema}
    wanted = [field for field in like if field.name in have]
    if all(same(have[field.name], field.dataType) for field in wanted) and rows.columns == [field.name for field in wanted]:
        return rows
    return rows.select(*(_placed(F.col(quote(f.name)), have[f.name], f.dataType).alias(f.name) for f in wanted))


def _placed(value: Column, have: DataType, want: DataType) -> Column:
    if same(have, want) or not (isinstance(have, StructType) and isinstance(want, StructType)):
        return value
    kinds = {field.name: field.dataType for field in have}
    fields = (
        (_placed(value.getField(f.name), kinds[f.name], f.dataType) if f.name in kinds else F.lit(None).cast(f.dataType)).alias(f.name)
        for f in want
    )
    return F.when(value.isNotNull(), F.struct(*fields))


def _ddl(kind: DataType) -> str:
    """A type as SQL, names quoted at every depth."""
    if isinstance(kind, ArrayType):
        return f"array<{_ddl(kind.elementType)}>"
    if isinstance(kind, MapType):
        return f"map<{_ddl(kind.keyType)}, {_ddl(kind.valueType)}>"
    if isinstance(kind, StructType):
        return "struct<" + ", ".join(f"{quote(field.name)}: {_ddl(field.dataType)}" for field in kind) + ">"
    return kind.simpleString()
