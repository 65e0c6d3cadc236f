"""Where the keys of a slice lie: files of the table outside of it need not be read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pyspark.sql import types as T

from muniment.canon.encode import identifier

_EXACT = (T.IntegralType, T.DecimalType, T.DateType, T.TimestampType)
_PLAIN = re.compile(r"[A-Za-z0-9 _.:#-]{1,100}")  # only what every session reads in one way may stand in a condition


def within(ranges: Mapping[str, tuple[str, str]], kinds: Mapping[str, T.DataType], *, alias: str = "") -> str:
    """A condition that every row of the table fulfils whose key is in the slice.

    >>> within({"id": ("3", "17")}, {"id": T.LongType()}, alias="t.")
    't.`id` BETWEEN 3 AND 17'
    """
    ends = {name: [_literal(text, kinds[name]) for text in pair] for name, pair in ranges.items()}
    parts = [f"{alias}{identifier(name)} BETWEEN {low} AND {high}" for name, (low, high) in ends.items() if low and high]
    return " AND ".join(parts) or "true"


def matching(key: Sequence[str], kinds: Mapping[str, T.DataType]) -> tuple[str, ...]:
    """The key's own columns, where their equality is that of the keys: they are shorter than its hash. None where a part is of another kind.

    >>> matching(["id"], {"id": T.LongType()}), matching(["id", "at"], {"id": T.LongType(), "at": T.DoubleType()})
    (('id',), ())
    """
    are_exact = all(isinstance(kinds[name], _EXACT) or kinds[name] == T.StringType() for name in key)  # a collation is another type
    return tuple(key) if are_exact else ()


def _literal(text: str, kind: T.DataType) -> str | None:
    if isinstance(kind, T.StringType):
        return f"'{text}'" if _PLAIN.fullmatch(text) else None
    return f"DATE'{text}'" if isinstance(kind, T.DateType) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) else _number(text, kind)


def _number(text: str, kind: T.DataType) -> str | None:
    return text if isinstance(kind, T.IntegralType) and re.fullmatch(r"-?\d+", text) else None
