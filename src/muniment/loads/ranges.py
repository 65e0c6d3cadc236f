"""Where the keys of a slice lie: files of the table outside of it need not be read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from pyspark.sql import types as T

from muniment.canon.encode import identifier

_EXACT = (T.IntegralType, T.DecimalType, T.DateType, T.TimestampType)
_DAY, _WHOLE = re.compile(r"(?!0000)\d{4}-\d{2}-\d{2}"), re.compile(r"-?\d+")  # Python knows no year 0
_PLAIN = re.compile(r"[A-Za-z0-9 _.:#-]{1,100}")  # only what every session reads in one way may stand in a condition


def within(ranges: Mapping[str, tuple[str, str]], kinds: Mapping[str, T.DataType], *, alias: str = "") -> str:
    """A condition that every row of the table fulfils whose key is in the slice.

    >>> within({"id": ("3", "1999"), "day": ("2026-01-01", "2026-01-01")}, {"id": T.LongType(), "day": T.DateType()}, alias="t.")
    "t.`id` BETWEEN 0 AND 2048 AND t.`day` BETWEEN DATE'2026-01-01' AND DATE'2026-01-01'"
    """
    ends = {name: _ends(*pair, kinds[name]) for name, pair in ranges.items()}
    parts = [f"{alias}{identifier(name)} BETWEEN {low} AND {high}" for name, (low, high) in ends.items() if low and high]
    return " AND ".join(parts) or "true"


def matching(key: Sequence[str], kinds: Mapping[str, T.DataType]) -> tuple[str, ...]:
    """The key's own columns, where their equality is that of the keys: they are shorter than its hash. None where a part is of another kind.

    >>> matching(["id"], {"id": T.LongType()}), matching(["id", "at"], {"id": T.LongType(), "at": T.DoubleType()})
    (('id',), ())
    """
    are_exact = all(isinstance(kinds[name], _EXACT) or kinds[name] == T.StringType() for name in key)  # a collation is another type
    return tuple(key) if are_exact else ()


def _ends(low: str, high: str, kind: T.DataType) -> tuple[str | None, str | None]:
    if isinstance(kind, T.StringType):
        return _text(low), _text(high)
    if isinstance(kind, T.DateType) and all(map(_DAY.fullmatch, (low, high))):
        first, last = _outwards(date.fromisoformat(low).toordinal(), date.fromisoformat(high).toordinal(), most=date.max.toordinal())
        return f"DATE'{date.fromordinal(first)}'", f"DATE'{date.fromordinal(last)}'"
    if isinstance(kind, T.IntegralType) and all(map(_WHOLE.fullmatch, (low, high))):
        first, last = _outwards(int(low), int(high), least=-(2**63), most=2**63 - 1)
        return str(first), str(last)
    return None, None


def _text(text: str) -> str | None:
    return f"'{text}'" if _PLAIN.fullmatch(text) else None


def _outwards(low: int, high: int, *, least: int = 1, most: int) -> tuple[int, int]:
    """A range that is up to a quarter wider, and the same for slices that lie alike: Spark compiles a condition anew for each new number in it."""
    unit = 1 << max((high - low).bit_length() - 3, 0)
    return max(low - low % unit, least), min(high + -high % unit, most)
