"""The canonical content of records, computed here and nowhere else: on the lines as they are written, by the driver that has them in hand.

Each record becomes the text that SPEC.md gives to a struct, with three decisions: a field that is null is left out, so that absent and null are
equal; a number of any spelling is a decimal without trailing zeros; what is nested follows the same rules. The content of a capture is SHA-256 over
its records' hashes, sorted by natural key and then by hash, so that the order of records, of fields and the compression do not matter.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

VERSION = 1
EXAMPLES = 5
_LONGEST = 400  # digits before an exponent is kept: 1e999999999 must not become a gigabyte of zeros


@dataclass(slots=True)
class Content:
    """The content of a capture, record by record as they come."""

    key: Sequence[tuple[str, ...]]  # the names that each part of the natural key may have
    records: list[tuple[str, str]] = field(default_factory=list)  # key and hash

    def add(self, fields: Mapping[str, object]) -> str | None:
        """Take in a record, and return its natural key; none where a part of it is missing."""
        parts = first_of(fields, self.key)
        key = canonical(parts)
        self.records.append((key, hashlib.sha256(canonical(fields).encode(errors="surrogatepass")).hexdigest()))
        return None if None in parts else key

    def sha256(self) -> str:
        """The hash that stands for all records."""
        total = hashlib.sha256()
        for key, digest in sorted(self.records):
            total.update(f"{len(key.encode())}:{key}{digest}".encode())
        return total.hexdigest()

    def repeated(self) -> dict[str, int]:
        """Natural keys that are there more than once."""
        counts = Counter(key for key, _ in self.records)
        return {key: count for key, count in counts.items() if count > 1}


def first_of(fields: Mapping[str, object], names: Iterable[Sequence[str]]) -> list[object]:
    """The values under the first of each group of names that a record has."""
    return [next((fields[name] for name in group if name in fields), None) for group in names]


def content_of(lines: Iterable[str], *, key: Sequence[tuple[str, ...]]) -> str:
    """The content hash of some lines.

    >>> key = [("id",)]
    >>> content_of(['{"id": 1, "x": null}', '{"id": 2.0}'], key=key) == content_of(['{"id": 2}', '{"id": 1.00}'], key=key)
    True
    >>> content_of(['{"id": 1}'], key=key) == content_of(['{"id": "1"}'], key=key)
    False
    """
    content = Content(key)
    for line in lines:
        content.add(parse(line))
    return content.sha256()


def parse(line: str) -> dict[str, object]:
    """A line as an object, numbers exact."""
    found = json.loads(line, parse_float=Decimal, parse_int=Decimal, parse_constant=str)
    if not isinstance(found, dict):
        raise ValueError("a record is not a JSON object")
    return found


def canonical(value: object) -> str:
    """A value in canonical form.

    >>> canonical({"b": Decimal("1.50"), "a": None, "c": ["x", None, True]})
    'r32:s1:bm3:1.5s1:ca14:s1:xn0:b4:true'
    """
    tag, text = _text(value)
    return f"{tag}{len(text.encode(errors='surrogatepass'))}:{text}"


def _text(value: object) -> tuple[str, str]:
    if value is None:
        return "n", ""
    if isinstance(value, bool):
        return "b", "true" if value else "false"
    if isinstance(value, Decimal):
        return "m", _number(value)
    if isinstance(value, str):
        return "s", value
    if isinstance(value, Mapping):
        fields = sorted(
            ((str(name), item) for name, item in value.items() if item is not None), key=lambda each: each[0].encode(errors="surrogatepass")
        )
        return "r", "".join(canonical(name) + canonical(item) for name, item in fields)
    if isinstance(value, Iterable):
        return "a", "".join(map(canonical, value))
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _number(value: Decimal) -> str:
    """Digits without an exponent and without trailing zeros; exact, whatever precision the context has."""
    sign, digits, exponent = value.as_tuple()
    power = int(exponent)
    text = "".join(map(str, digits)).lstrip("0")
    stripped = text.rstrip("0")
    power += len(text) - len(stripped)
    if not stripped:
        return "0"
    minus = "-" if sign else ""
    if abs(power) > _LONGEST:
        return f"{minus}{stripped}e{power}"
    if power >= 0:
        return f"{minus}{stripped}{'0' * power}"
    padded = stripped.rjust(1 - power, "0")
    return f"{minus}{padded[:power]}.{padded[power:]}"
