"""What changed, attribute by attribute: a function of the chain, so that a change has the same id whenever it is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import encode, encode_fields
from muniment.canon.hashes import hashed, quoted
from muniment.dimensions.chain import NUMBER, PLACEHOLDER, in_force
from muniment.dimensions.statements import DELETED, INFERRED, by_receipt, said
from muniment.dimensions.types import AT, IS_LIVE, before, by_time, first, first_at, is_changed, state
from muniment.gate.rows import UTC_JSON
from muniment.gate.times import utc_text
from muniment.model.dimension import Dimension, ScdColumn

CREATE, UPDATE, DELETE, REVIVE, REFUSE, COMPLETE = "create", "update", "delete", "revive", "refuse", "complete"
_TOLD = ("change_type", "attribute", "old_value", "new_value")
_CHANGE = f"struct<{', '.join(f'{name}: string' for name in _TOLD)}>"


def changes_of(chain: DataFrame, *, dimension: Dimension) -> DataFrame:
    """One row per attribute that changes at an instant, and one for each coming and going of a member."""
    was_live = F.coalesce(F.lag(IS_LIVE).over(by_time()), F.lit(False))
    lived = F.coalesce(F.max(IS_LIVE).over(by_time().rowsBetween(Window.unboundedPreceding, -1)), F.lit(False))
    return changes_at(chain.withColumns({"_was_live": was_live, "_lived": lived}), dimension=dimension)


def changes_at(told: DataFrame, *, dimension: Dimension, columns: Sequence[ScdColumn] | None = None) -> DataFrame:
    """The same of instants that know whether the member was there before them; of some columns, where no other can have changed."""
    items = F.array_compact(F.array(*_whole(), *(_update(column) for column in (dimension.columns if columns is None else columns))))
    rows = told.select("sk", *_key(dimension), F.col(AT).alias("effective_ts"), F.explode(items).alias("_change"))
    return _with_id(rows, dimension=dimension)


def refusals_of(statements: DataFrame, *, dimension: Dimension) -> DataFrame:
    """One row per attempt to change a column of type 0, with the value that stays and the value that was refused."""
    columns = dimension.of_type(0)
    member = Window.partitionBy("sk")
    spoken = {f"_when_{c.name}": F.min(F.when(_value(c).isNotNull(), by_receipt())).over(member) for c in columns}
    held = {first(c): F.min_by(_value(c), F.when(_value(c).isNotNull(), by_receipt())).over(member) for c in columns}
    items = F.array_compact(F.array(*(_refusal(column) for column in columns)).cast(f"array<{_CHANGE}>"))
    rows = in_force(statements).where(~F.col(DELETED)).withColumns({**spoken, **held})
    told = rows.select("sk", *_key(dimension), F.col(AT).alias("effective_ts"), F.explode(items).alias("_change"))
    return _with_id(told, dimension=dimension)


def text_of(value: Column, kind: str) -> Column:
    """A value as people read it, whatever the session's zone is."""
    if kind == "timestamp":
        return utc_text(value)
    return F.to_json(value, UTC_JSON) if kind.startswith(("array<", "struct<")) else value.cast("string")


def _whole() -> Iterator[Column]:
    """A member comes, goes, comes back, or turns out to be what a fact had asked for."""
    live, was_live, lived = F.col(IS_LIVE), F.col("_was_live"), F.col("_lived")
    yield _change(live & ~lived, CREATE)
    yield _change((F.col(NUMBER) == 1) & live & F.col(PLACEHOLDER).isNotNull() & ~F.col(INFERRED), COMPLETE)
    yield _change(~live & was_live, DELETE)
    yield _change(live & ~was_live & lived, REVIVE)


def _update(column: ScdColumn) -> Column:
    """A change of its value; a column of type 0 only ever changes from nothing to the value it keeps, where that was said first."""
    if column.scd == 0:
        filled = F.col(IS_LIVE) & (F.col(NUMBER) > 1) & (F.col(AT) == quoted(first_at(column)))
        return _change(filled, UPDATE, column, new=quoted(first(column)))
    return _change(F.col(IS_LIVE) & is_changed(column), UPDATE, column, old=quoted(before(column)), new=quoted(state(column)))


def _refusal(column: ScdColumn) -> Column:
    stated = quoted(said(column.name)).isNotNull()
    later = by_receipt() > quoted(f"_when_{column.name}")
    return _change(
        stated & later & ~_value(column).eqNullSafe(quoted(first(column))),
        REFUSE,
        column,
        old=quoted(first(column)),
        new=_value(column),
    )


def _change(happens: Column, kind: str, column: ScdColumn | None = None, *, old: Column | None = None, new: Column | None = None) -> Column:
    texts = [None if value is None or column is None else text_of(value, column.type) for value in (old, new)]
    parts = (F.lit(kind), F.lit(column.name if column else None), *(F.lit(None) if text is None else text for text in texts))
    return F.when(happens, F.struct(*(part.cast("string").alias(name) for part, name in zip(parts, _TOLD, strict=True))))


def _value(column: ScdColumn) -> Column:
    return quoted(said(column.name))["value"]


def _with_id(rows: DataFrame, *, dimension: Dimension) -> DataFrame:
    told = rows.select("sk", *_key(dimension), "effective_ts", "_change.*")
    kinds = {"sk": T.StringType(), "effective_ts": T.TimestampType(), **dict.fromkeys(_TOLD, T.StringType())}
    return told.withColumn("assertion_id", hashed(encode_fields([(name, encode(name, kind)) for name, kind in kinds.items()])))


def _key(dimension: Dimension) -> list[Column]:
    return [quoted(part.name) for part in dimension.key]
