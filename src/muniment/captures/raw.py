"""Records out of an answer as the vendor wrote them, number for number: found by walking the JSON, not by writing it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

_DECODER = json.JSONDecoder(parse_float=Decimal)
_SPACE = " \t\r\n"


def value_at(body: str, path: str) -> Any:
    """The value at a path of names, such as `meta.total`; nothing where there is none."""
    start = _find(body, path)
    return None if start is None else _DECODER.raw_decode(body, start)[0]


def records_at(body: str, path: str) -> list[str]:
    """The texts of the items of the list at a path; an empty path is the whole answer.

    >>> records_at('{"data": {"items": [{"a": 1.10}, {"a":2}]}}', "data.items")
    ['{"a": 1.10}', '{"a":2}']
    """
    _DECODER.decode(body)  # cut off anywhere, it is no answer
    start = _find(body, path)
    if start is None or body[start] != "[":
        raise ValueError(f"there is no list at '{path}'" if path else "the answer is no list")
    return [body[begin:end] for begin, end in _items(body, start)]


def _find(body: str, path: str) -> int | None:
    at: int | None = _skip(body, 0)
    for name in path.split(".") if path else ():
        at = None if at is None or body[at] != "{" else dict(_members(body, at)).get(name)
    return at


def _items(body: str, at: int) -> Iterator[tuple[int, int]]:
    at = _skip(body, at + 1)
    while body[at] != "]":
        _, end = _DECODER.raw_decode(body, at)
        yield at, end
        at = _skip(body, end)
        at = _skip(body, at + 1) if body[at] == "," else at


def _members(body: str, at: int) -> Iterator[tuple[str, int]]:
    at = _skip(body, at + 1)
    while body[at] != "}":
        name, end = _DECODER.raw_decode(body, at)
        at = _skip(body, _skip(body, end) + 1)
        yield name, at
        _, end = _DECODER.raw_decode(body, at)
        at = _skip(body, end)
        at = _skip(body, at + 1) if body[at] == "," else at


def _skip(body: str, at: int) -> int:
    while body[at] in _SPACE:
        at += 1
    return at
