"""The one generator: events from a seed, as native Spark ranges, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

TYPES = ("string", "string", "double", "string", "date", "string", "long", "double")  # as of a customer: mostly text
TEXTS = 3  # a text is as long as a street with its town, and says 24 bytes that nothing else says
START = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp())
PERIOD = 86_400  # seconds from one version of a key to its next
STRIDE = 4  # an attribute changes every so many versions, each at its own turn: every version changes something
_SHARES = 10_000


@dataclass(frozen=True, slots=True)
class Shape:
    """How much there is of what."""

    keys: int = 200_000
    versions: int = 10
    attributes: int = 8
    partial: float = 0.0  # share of rows that come from `app` and state two attributes
    deleted: float = 0.0
    repeated: float = 0.0
    nulls: float = 0.0
    first: int = 0  # the number of the first key
    seed: int = 7

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(f"a{number}" for number in range(self.attributes))

    @property
    def kinds(self) -> dict[str, str]:
        """The attributes with their types, every type in its turn."""
        return {name: TYPES[number % len(TYPES)] for number, name in enumerate(self.names)}


@dataclass(frozen=True, slots=True)
class Batch:
    """One delivery after the history: one whole row of each of some keys."""

    number: int
    keys: int
    late: float = 0.0  # share of rows that belong into the middle of their key's history


def history(spark: SparkSession, shape: Shape) -> DataFrame:
    """Every version of every key, the oldest first."""
    rows = _numbered(spark.range(shape.keys * shape.versions), F.col("id") % shape.keys, F.floor(F.col("id") / shape.keys), shape)
    return _repeated(_events(rows, shape), shape)


def hot_key(spark: SparkSession, shape: Shape, assertions: int) -> DataFrame:
    """Skew: one more key that has that many."""
    return _events(_numbered(spark.range(assertions), F.lit(shape.keys), F.col("id"), shape), shape)


def batch(spark: SparkSession, shape: Shape, given: Batch) -> DataFrame:
    """The rows of one delivery; its keys are spread over all keys, and its time goes by its number."""
    step = max(shape.keys // given.keys, 1)
    key = (F.col("id") * step + given.number % step) % shape.keys
    rows = _numbered(spark.range(given.keys), key, F.lit(shape.versions + given.number), shape)
    late = F.pmod(F.xxhash64(F.lit(shape.seed + 1), "id"), F.lit(_SHARES)) < int(given.late * _SHARES)
    between = (shape.versions // 2) * PERIOD + PERIOD * 3 // 4 + given.number  # after the jitter of one version, before the next
    moved = F.when(late, F.timestamp_seconds(F.lit(START + between))).otherwise(F.col("at"))
    whole = replace(shape, partial=0.0, deleted=0.0)
    return _events(rows, whole).withColumn("at", moved).drop("source")


def rows_of(numbered: DataFrame, shape: Shape) -> DataFrame:
    """Whole rows of keys at versions, which are numbers; all other columns stay."""
    return numbered.withColumns({name: _stated(number, shape, unless=F.lit(False)) for number, name in enumerate(shape.names)})


def shares(frame: DataFrame) -> Iterator[tuple[str, DataFrame]]:
    """The rows by the source that they come from."""
    for source in ("core", "app"):
        yield source, frame.where(F.col("source") == source).drop("source")


def _numbered(ids: DataFrame, key: Column, version: Column, shape: Shape) -> DataFrame:
    return ids.select((key + shape.first).cast("long").alias("key"), version.cast("long").alias("version"))


def _events(rows: DataFrame, shape: Shape) -> DataFrame:
    """Numbers of keys and versions as what a source says."""
    key, version = F.col("key"), F.col("version")
    partial = (_share(key, version, shape.seed + 2) < shape.partial) & (version > 0)
    gone = (_share(key, version, shape.seed + 3) < shape.deleted) & (version > 0) & ~partial
    seconds = START + version * PERIOD + F.pmod(F.xxhash64(F.lit(shape.seed), key, version), F.lit(PERIOD // 2))
    return rows.select(
        F.format_string("K%09d", key).alias("id"),
        F.when(partial, "app").otherwise("core").alias("source"),
        F.when(gone, "d").when(partial, "u").otherwise("c").alias("op"),
        F.timestamp_seconds(seconds).alias("at"),
        *(
            _stated(number, shape, unless=gone | (partial & _left_out(number, shape))).alias(name)
            for number, name in enumerate(shape.names)
        ),
    )


def _left_out(number: int, shape: Shape) -> Column:
    """A partial row states two attributes, which ones goes by its version."""
    return ~F.pmod(F.col("version") + number, F.lit(shape.attributes)).isin(0, 1)


def _stated(number: int, shape: Shape, *, unless: Column) -> Column:
    turn = F.floor((F.col("version") + number) / STRIDE)
    value = F.xxhash64(F.lit(shape.seed), F.col("key"), F.lit(number), turn)
    null = F.pmod(value, F.lit(_SHARES)) < int(shape.nulls * _SHARES)
    return F.when(~unless & ~null, _typed(value, TYPES[number % len(TYPES)]))


def _typed(value: Column, kind: str) -> Column:
    small = F.pmod(value, F.lit(1_000_000))
    if kind == "string":
        return F.concat_ws(" ", *(F.hex(value if part == 0 else F.xxhash64(value, F.lit(part))) for part in range(TEXTS)))
    if kind == "double":
        return small / 100
    return F.date_add(F.lit("1980-01-01").cast("date"), (small % 15_000).cast("int")) if kind == "date" else small


def _share(key: Column, version: Column, seed: int) -> Column:
    return F.pmod(F.xxhash64(F.lit(seed), key, version), F.lit(_SHARES)) / _SHARES


def _repeated(events: DataFrame, shape: Shape) -> DataFrame:
    if not shape.repeated:
        return events
    again = F.when(F.pmod(F.xxhash64(F.lit(shape.seed + 4), "id", "at"), F.lit(_SHARES)) < int(shape.repeated * _SHARES), 2).otherwise(1)
    return events.withColumn("times", F.explode(F.sequence(F.lit(1), again))).drop("times")
