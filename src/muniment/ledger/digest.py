"""Digests that prove a set of rows was not edited (R27): salted per row, and added up so that order and file layout do not matter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import encode_fields, encode_present, identifier, literal
from muniment.canon.hashes import hashed

LANES = 8
_SEALS = ("salt", "row_digest")


class _Readable(Protocol):
    def __getitem__(self, name: str) -> object: ...


def salt_sql(nonce: str) -> str:
    """Random to everybody who does not know the run's nonce, which is never stored; the same when Spark computes a partition again."""
    return f"sha2(concat({literal(nonce)}, assertion_id), 256)"


def salt(nonce: str) -> Column:
    """The salt as a column."""
    return F.expr(salt_sql(nonce))


def row_digest(schema: T.StructType, encoded: Mapping[str, str] | None = None) -> Column:
    """SHA-256 of salt and all other columns; nulls are left out, so a column that is added later changes no digest.

    `encoded` says of some columns how else their canonical text comes about.
    """
    given = encoded or {}
    fields = [(f.name, given.get(f.name) or encode_present(identifier(f.name), f.dataType)) for f in schema.fields if f.name not in _SEALS]
    return hashed(f"concat(salt, {encode_fields(fields)})")


def lanes(digest: str, prefix: str) -> list[Column]:
    """Sums that together stand for a multiset of digests: eight lanes of 32 bits and, with the count, no row can hide another.

    Two lanes are read at once and summed as whole numbers, which hold 2³¹ rows: `conv` and sums of decimals cost more than the digest itself.
    """
    pairs = [f"cast(conv(substring({digest}, {16 * pair + 1}, 16), 16, -10) AS bigint)" for pair in range(LANES // 2)]
    parts = (part for pair in pairs for part in (f"shiftrightunsigned({pair}, 32)", f"{pair} & 4294967295"))
    return [F.expr(f"sum({part}) AS {prefix}{lane}") for lane, part in enumerate(parts)]


def seal(groups: Iterable[_Readable], prefix: str, *, count: str) -> str:
    """The digest of all rows of some aggregated groups."""
    totals, rows = [0] * LANES, 0
    for group in groups:
        rows += int(str(group[count] or 0))
        totals = [total + int(str(group[f"{prefix}{lane}"] or 0)) for lane, total in enumerate(totals)]
    return digest_of([str(rows), *(str(total) for total in totals)])


def digest_of(parts: Sequence[str]) -> str:
    """SHA-256 over length-prefixed texts."""
    return hashlib.sha256("".join(f"{len(p.encode())}:{p}" for p in parts).encode()).hexdigest()
