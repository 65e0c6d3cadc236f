"""A checksum of a multiset of rows: of their order and files it knows nothing, and no row can hide another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from muniment.canon.encode import encode_fields, encode_present, identifier
from muniment.canon.hashes import hashed
from muniment.ledger.digest import LANES, digest_of, lanes

DIGEST = "__digest"
ROWS = "rows"
_LANE = "lane"


@dataclass(frozen=True, slots=True)
class Sums:
    """The number of rows and the sums of their digests, lane by lane: what goes and what comes can be taken off and added."""

    rows: int = 0
    lanes: tuple[int, ...] = (0,) * LANES

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.rows + other.rows, tuple(a + b for a, b in zip(self.lanes, other.lanes, strict=True)))

    def __sub__(self, other: Sums) -> Sums:
        return Sums(self.rows - other.rows, tuple(a - b for a, b in zip(self.lanes, other.lanes, strict=True)))

    @property
    def checksum(self) -> str:
        """The digest of the count and of all lanes."""
        return digest_of([str(self.rows), *map(str, self.lanes)])


def with_digest(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    """The rows with a digest of these columns by name; nulls are left out, so that a new column changes no old checksum (R1, R4)."""
    kinds = {field.name: field.dataType for field in rows.schema}
    return rows.withColumn(DIGEST, hashed(encode_fields([(name, encode_present(identifier(name), kinds[name])) for name in names])))


def sums() -> list[Column]:
    """What to aggregate over rows with digests."""
    return [F.count(F.lit(1)).alias(ROWS), *lanes(DIGEST, _LANE)]


def read_sums(row: Row) -> Sums:
    """The sums of an aggregated row; no rows have sums of nothing."""
    return Sums(int(row[ROWS] or 0), tuple(int(row[f"{_LANE}{lane}"] or 0) for lane in range(LANES)))


def sums_of(rows: DataFrame, names: Sequence[str] | None = None) -> Sums:
    """The sums of a frame, over some columns or all; one look at its rows."""
    row = with_digest(rows, names or rows.columns).agg(*sums()).first()
    return Sums() if row is None else read_sums(row)
