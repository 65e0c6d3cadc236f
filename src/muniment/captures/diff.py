"""Two sets side by side: what is new, modified, delisted and unchanged. A library function of its own; the timeline does not need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.compare import same
from muniment.canon.encode import encode_present, identifier
from muniment.canon.hashes import quoted

_OLD, _NEW, _SEEN = "_old", "_new", "_seen"
NEW, MODIFIED, DELISTED, UNCHANGED = "new", "modified", "delisted", "unchanged"
DELISTED_AT = "delisted_at"


class Compare(Protocol):
    """How the values of one column are made comparable."""

    def form(self, value: str, kind: T.DataType) -> Column: ...


@dataclass(frozen=True, slots=True)
class Exact:
    """As it is; maps, which Spark cannot compare, in canonical form."""

    def form(self, value: str, kind: T.DataType) -> Column:
        nested = isinstance(kind, T.MapType | T.StructType | T.ArrayType)
        return F.expr(encode_present(value, kind)) if nested else F.expr(value)


@dataclass(frozen=True, slots=True)
class Scaled:
    """Rounded to so many places, halves away from zero, as the shortest decimal that stands for it."""

    places: int

    def form(self, value: str, kind: T.DataType) -> Column:
        return F.expr(f"round({value}, {int(self.places)})")


@dataclass(frozen=True, slots=True)
class Exactly:
    """As a decimal of so many places; what does not fit is compared by its text."""

    places: int

    def form(self, value: str, kind: T.DataType) -> Column:
        number = f"try_cast({value} AS decimal(38,{int(self.places)}))"
        text = f"cast({value} AS string)"
        return F.expr(f"struct({number} AS number, if({number} IS NULL, {text}, NULL) AS text)")


@dataclass(frozen=True, slots=True)
class DiffSpec:
    """What makes a row the same row, which columns count, and how each is compared."""

    key: tuple[str, ...]
    tracked: tuple[str, ...] | None = None  # None: all that both sets have, but the key
    compare: Mapping[str, Compare] = field(default_factory=dict)  # default: exact
    scope: tuple[str, ...] = ()  # a key is delisted only inside the scopes that were received


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs; lazy, and all parts come from one pass. `modified` has `old`, `new` and, per tracked column that differs, `changed`."""

    rows: DataFrame  # every key once: `kind`, the key as `_k0` …, the whole rows `_old` and `_new`, `changed`, `delisted_at`
    key: tuple[str, ...]

    @property
    def new(self) -> DataFrame:
        return self._of(NEW).select(f"{_NEW}.*")

    @property
    def modified(self) -> DataFrame:
        return self._of(MODIFIED).select(*_named(self.key), F.col(_OLD).alias("old"), F.col(_NEW).alias("new"), "changed")

    @property
    def delisted(self) -> DataFrame:
        """With `delisted_at`, where a list of delistings has one."""
        return self._of(DELISTED).select(f"{_OLD}.*", DELISTED_AT)

    @property
    def unchanged(self) -> DataFrame:
        return self._of(UNCHANGED).select(f"{_NEW}.*")

    @property
    def conflicts(self) -> DataFrame:
        """Keys that are both in the snapshot and in the list of delistings; the snapshot counts."""
        return self.rows.where(_conflict()).select(*_named(self.key), DELISTED_AT)

    def counts(self) -> dict[str, int]:
        """How many of each, in one job."""
        found = self.rows.groupBy("kind").agg(F.count(F.lit(1)).alias("all"), F.count(F.when(_conflict(), True)).alias("odd")).collect()
        counted = {row["kind"]: row["all"] for row in found}
        return {
            **{kind: counted.get(kind, 0) for kind in (NEW, MODIFIED, DELISTED, UNCHANGED)},
            "conflicts": sum(row["odd"] for row in found),
        }

    def _of(self, kind: str) -> DataFrame:
        return self.rows.where(F.col("kind") == kind)


def diff(previous: DataFrame | None, current: DataFrame, spec: DiffSpec, *, delisted: DataFrame | None = None) -> Diff:
    """Compare two sets; without a previous one all is new.

    `delisted` is a list of keys with their own `delisted_at`: they end then. A key in both is a conflict: it is reported, and the snapshot counts.
    """
    before = previous if previous is not None else current.limit(0)
    joined = _side(before, spec, _OLD).join(_side(current, spec, _NEW), _met(spec.key), "full").select(*_both(spec.key))
    dated = joined if delisted is None else joined.join(_listed(delisted, spec), list(_keys(spec.key)), "left")
    dated = dated if delisted is not None else dated.withColumn(DELISTED_AT, F.lit(None).cast("timestamp"))
    changed = _changed(before, current, spec, _tracked(before, current, spec))
    both = F.col(_OLD).isNotNull() & F.col(_NEW).isNotNull()
    told = _seen(dated, current, spec).withColumn("changed", F.when(both, changed))
    return Diff(told.withColumn("kind", _kind()).where("kind IS NOT NULL"), spec.key)


def _kind() -> Column:
    gone = F.col(_NEW).isNull() & (F.col(_SEEN).isNotNull() | F.col(DELISTED_AT).isNotNull())
    return (
        F.when(gone, DELISTED)
        .when(F.col(_NEW).isNull(), F.lit(None))
        .when(F.col(_OLD).isNull(), NEW)
        .when(F.size("changed") > 0, MODIFIED)
        .otherwise(UNCHANGED)
    )


def _conflict() -> Column:
    return F.col(_NEW).isNotNull() & F.col(DELISTED_AT).isNotNull()


def _tracked(before: DataFrame, current: DataFrame, spec: DiffSpec) -> tuple[str, ...]:
    if spec.tracked is not None:
        return spec.tracked
    return tuple(name for name in current.columns if name in before.columns and name not in spec.key)


def _keys(key: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"_k{n}" for n, _ in enumerate(key))


def _named(key: Sequence[str]) -> list[Column]:
    return [F.col(ours).alias(name) for ours, name in zip(_keys(key), key, strict=True)]


def _side(frame: DataFrame, spec: DiffSpec, name: str) -> DataFrame:
    row = F.struct(*(quoted(column) for column in frame.columns))
    return frame.select(
        *(quoted(part).alias(f"{ours}{name}") for ours, part in zip(_keys(spec.key), spec.key, strict=True)), row.alias(name)
    )


def _met(key: Sequence[str]) -> Column:
    met = F.lit(True)
    for ours in _keys(key):
        met = met & F.col(f"{ours}{_OLD}").eqNullSafe(F.col(f"{ours}{_NEW}"))
    return met


def _both(key: Sequence[str]) -> list[Column]:
    return [*(F.coalesce(f"{ours}{_NEW}", f"{ours}{_OLD}").alias(ours) for ours in _keys(key)), F.col(_OLD), F.col(_NEW)]


def _changed(before: DataFrame, current: DataFrame, spec: DiffSpec, tracked: Sequence[str]) -> Column:
    """The tracked columns that differ, each with its old and new value as text; a column that one side lacks says nothing."""
    exact, found = Exact(), []
    for name in tracked:
        if name not in before.columns or name not in current.columns:
            continue
        how = spec.compare.get(name, exact)
        old, new = (f"{side}.{identifier(name)}" for side in (_OLD, _NEW))
        kinds = before.schema[name].dataType, current.schema[name].dataType
        pair = F.struct(F.expr(f"cast({old} AS string)").alias("old"), F.expr(f"cast({new} AS string)").alias("new"))
        entry = F.struct(F.lit(name).alias("key"), pair.alias("value"))
        found.append(F.when(~same(how.form(old, kinds[0]), how.form(new, kinds[1])), entry))
    nothing = F.array().cast("array<struct<key: string, value: struct<old: string, new: string>>>")
    return F.map_from_entries(F.array_compact(F.array(*found)) if found else nothing)


def _seen(joined: DataFrame, current: DataFrame, spec: DiffSpec) -> DataFrame:
    """Whether the scope of a row was received at all: only there can a key be lacking."""
    if not spec.scope:
        return joined.withColumn(_SEEN, F.lit(True))
    received = current.select(*(quoted(name).alias(f"_s{n}") for n, name in enumerate(spec.scope))).distinct()
    return joined.join(F.broadcast(received.withColumn(_SEEN, F.lit(True))), _scope_met(spec), "left")


def _scope_met(spec: DiffSpec) -> Column:
    met = F.lit(True)
    for n, name in enumerate(spec.scope):
        met = met & F.col(_OLD)[name].eqNullSafe(F.col(f"_s{n}"))
    return met


def _listed(delisted: DataFrame, spec: DiffSpec) -> DataFrame:
    return delisted.select(*(quoted(name).alias(ours) for ours, name in zip(_keys(spec.key), spec.key, strict=True)), quoted(DELISTED_AT))
