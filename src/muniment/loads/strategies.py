"""What a slice does to a table: each key is compared once, and what comes of it is counted from the rows that are written.

| the slice | the table | verdict |
|---|---|---|
| a row | nothing | inserted |
| a row | another content, or deleted | updated |
| a row | the same, alive | unchanged |
| says it is gone | alive | deleted |
| says it is gone | deleted | unchanged |
| says it is gone | nothing | ignored |
| nothing | alive, inside the window | inferred |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.compare import same
from muniment.canon.encode import encode_fields, encode_present, identifier
from muniment.canon.hashes import hashed
from muniment.loads.recipe import instant
from muniment.model.load import Load

SK, HELD, SAID, VERDICT, INSIDE = "sk", "h", "s", "verdict", "inside"
INSERTED, UPDATED, UNCHANGED, DELETED, IGNORED, INFERRED = "inserted", "updated", "unchanged", "deleted", "ignored", "inferred"


@dataclass(frozen=True, slots=True)
class Spec:
    """A load, the time of processing, the business columns of its table, and which of them this slice says nothing of."""

    load: Load
    at: datetime
    columns: Mapping[str, T.DataType]
    lacking: frozenset[str] = frozenset()
    unhashed: frozenset[str] = field(default_factory=frozenset)  # columns that follow the time of processing
    match: tuple[str, ...] = ()  # columns that tell one key from another; none: its hash alone does

    @property
    def by(self) -> tuple[str, ...]:
        """What rows of one key are found by."""
        return self.match or (self.load.names.sk,)

    @property
    def all(self) -> tuple[str, ...]:
        """Every column of the table."""
        return (self.load.system_columns[0], *self.columns, *self.load.system_columns[1:])


def compare(held: DataFrame, rows: DataFrame, *, spec: Spec, window: Column | None = None, few: bool = False) -> DataFrame:
    """Each key of the slice with the row that the table holds of it (its current one), the verdict, and whether the window had it alive.

    What is `few` is compared in one place: to shuffle it costs more.
    """
    names = spec.load.names
    inside = F.lit(False) if window is None else window & ~F.col(names.is_deleted)
    there = held.select(*_places(spec), _held(spec), inside.alias(INSIDE))
    said = F.struct(*_quoted(name for name in spec.all if name not in spec.lacking))
    came = rows.select(*_places(spec), F.col(names.sk).alias(SK), said.alias(SAID))
    joined = (came.coalesce(1) if few else came).join(
        F.broadcast(there) if few else there, [f"k{n}" for n, _ in enumerate(spec.by)], "left"
    )
    verdict, seen = _verdict(spec.load).alias(VERDICT), F.coalesce(INSIDE, F.lit(False)).alias(INSIDE)
    return _filled(joined, spec).select(SK, SAID, HELD, verdict, seen)


def _places(spec: Spec) -> list[Column]:
    return [F.col(identifier(name)).alias(f"k{n}") for n, name in enumerate(spec.by)]


def _held(spec: Spec) -> Column:
    """The table's row, without the hash of its key: that is long to read, and the slice's row has it too."""
    return F.struct(*_quoted(name for name in spec.all if name != spec.load.names.sk)).alias(HELD)


def gone(held: DataFrame, rows: DataFrame, *, window: Column, spec: Spec) -> DataFrame:
    """Live rows inside the window and the slice's partitions that the slice lacks, in the form of `compare`."""
    names = spec.load.names
    inside = held.where(window & ~F.col(names.is_deleted))
    missing = _in_partitions(inside, rows, spec, "left_semi").join(rows.select(names.sk), names.sk, "left_anti")
    kinds = {name: held.schema[name].dataType for name in spec.all}
    said = {name: instant(spec.at) if name == names.last_seen_ts else F.lit(None).cast(kind) for name, kind in kinds.items()}
    return missing.select(
        F.col(names.sk).alias(SK),
        F.struct(*(value.alias(name) for name, value in said.items())).alias(SAID),
        _held(spec),
        F.lit(INFERRED).alias(VERDICT),
        F.lit(True).alias(INSIDE),
    )


def left_behind(held: DataFrame, rows: DataFrame, *, spec: Spec) -> DataFrame:
    """All that stays in other partitions which lose a key to the slice: they are written anew without it, so that no key is there twice."""
    sk = spec.load.names.sk
    others = _in_partitions(with_columns(held, spec=spec), rows, spec, "left_anti").select(*_quoted(spec.all))
    losing = others.join(rows.select(sk), sk, "left_semi")
    return _in_partitions(others, losing, spec, "left_semi").join(rows.select(sk), sk, "left_anti").select(*_quoted(spec.all))


def with_columns(held: DataFrame, *, spec: Spec) -> DataFrame:
    """The table's rows with the columns that it has only just got."""
    return held.withColumns({name: F.lit(None).cast(kind) for name, kind in spec.columns.items() if name not in held.columns})


def _in_partitions(held: DataFrame, rows: DataFrame, spec: Spec, how: str) -> DataFrame:
    """Rows of the table that are, or are not, in a partition of some other rows; null is a partition too."""
    parts = spec.load.partition
    if not parts:
        return held
    here = rows.select(*_quoted(parts)).distinct().select(*(F.col(identifier(name)).alias(f"__{name}") for name in parts))
    match = [same(F.col(identifier(name)), F.col(identifier(f"__{name}"))) for name in parts]
    return held.join(F.broadcast(here), match, how)


def first(rows: DataFrame, *, spec: Spec) -> DataFrame:
    """The rows of a slice for a table that holds nothing of them; what it lacks is null, what is gone is left out."""
    absent = {name: F.lit(None).cast(spec.columns[name]) for name in spec.lacking}
    return rows.where(~F.col(spec.load.names.is_deleted)).withColumns(absent).select(*_quoted(spec.all))


def outcome(compared: DataFrame, *, spec: Spec) -> DataFrame:
    """The rows that come into the table; for a historic one the versions they close too."""
    latest = compared.where(F.col(VERDICT) != IGNORED).select(*_latest(spec))
    if not spec.load.is_historic:
        return latest
    names = spec.load.names
    ends = F.col(VERDICT).isin(UPDATED, DELETED, INFERRED) & (F.col(HELD)[names.effective_from] < _at(spec))
    changed = {names.sk: F.col(SK), names.effective_to: _at(spec), names.is_current: F.lit(False)}
    closed = compared.where(ends).select(*(changed.get(name, F.col(HELD)[name]).alias(name) for name in spec.all))
    return latest.unionByName(closed)


def _at(spec: Spec) -> Column:
    """The time of processing, as the rows carry it: as a number in the plan it would have Spark compile that anew for each slice."""
    return F.col(SAID)[spec.load.names.last_seen_ts]


def _filled(joined: DataFrame, spec: Spec) -> DataFrame:
    """What a slice has no column for it does not state: what the table holds stays, and is no change."""
    if not spec.lacking:
        return joined
    names = [name for name in spec.all if name != spec.load.names.source_hash]
    told = F.struct(*(F.col(HELD if name in spec.lacking else SAID)[name].alias(name) for name in names))
    filled = joined.withColumn(SAID, told)
    hashed_names = [name for name in spec.columns if name.casefold() not in spec.unhashed]
    parts = [(name, encode_present(f"{SAID}.{identifier(name)}", spec.columns[name])) for name in hashed_names]
    with_hash = [*(F.col(SAID)[name].alias(name) for name in names), hashed(encode_fields(parts)).alias(spec.load.names.source_hash)]
    return filled.withColumn(SAID, F.struct(*with_hash))


def _verdict(load: Load) -> Column:
    names = load.names
    new, says_gone = F.col(HELD).isNull(), F.col(SAID)[names.is_deleted]
    dead = F.col(HELD)[names.is_deleted]
    differs = ~same(F.col(SAID)[names.source_hash], F.col(HELD)[names.source_hash])
    return (
        F.when(new, F.when(says_gone, IGNORED).otherwise(INSERTED))
        .when(says_gone, F.when(dead, UNCHANGED).otherwise(DELETED))
        .otherwise(F.when(dead | differs, UPDATED).otherwise(UNCHANGED))
    )


def _latest(spec: Spec) -> list[Column]:
    """The row that answers for its key from now on."""
    names, verdict = spec.load.names, F.col(VERDICT)
    from_slice = verdict.isin(INSERTED, UPDATED)
    own = {
        names.sk: F.col(SK),
        names.is_deleted: F.when(from_slice, False).when(verdict == UNCHANGED, F.col(HELD)[names.is_deleted]).otherwise(True),
        names.last_seen_ts: F.when(verdict == INFERRED, F.col(HELD)[names.last_seen_ts]).otherwise(_at(spec)),
        names.effective_from: F.when(verdict == UNCHANGED, F.col(HELD)[names.effective_from]).otherwise(_at(spec))
        if spec.load.is_historic
        else F.lit(None),
        names.effective_to: F.lit(None).cast("timestamp"),
        names.is_current: F.lit(True),
    }
    return [own.get(name, F.when(from_slice, F.col(SAID)[name]).otherwise(F.col(HELD)[name])).alias(name) for name in spec.all]


def _quoted(names: Iterable[str]) -> list[Column]:
    return [F.col(identifier(name)) for name in names]
