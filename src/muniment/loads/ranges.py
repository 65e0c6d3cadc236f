"""Where the keys of a slice lie: files of the table outside of it need not be read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyspark.sql import types as T

from muniment.canon.encode import identifier
from muniment.model.load import Load

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


def matching(load: Load, kinds: Mapping[str, T.DataType]) -> tuple[str, ...]:
    """The key's own columns, where equal values are equal keys and nothing else is; they are shorter than its hash. None where a part is of another kind."""
    return load.key_names if all(isinstance(kinds[name], _EXACT) or kinds[name] == T.StringType() for name in load.key_names) else ()


def _literal(text: str, kind: T.DataType) -> str | None:
    if isinstance(kind, T.StringType):
        return f"'{text}'" if _PLAIN.fullmatch(text) else None
    return f"DATE'{text}'" if isinstance(kind, T.DateType) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) else _number(text, kind)


def _number(text: str, kind: T.DataType) -> str | None:
    return text if isinstance(kind, T.IntegralType) and re.fullmatch(r"-?\d+", text) else None
