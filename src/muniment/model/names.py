"""Finding things by name, and saying which name was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from muniment.errors import UnknownName

T = TypeVar("T")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant.

    >>> nearest("precedance", ["precedence", "history"])
    'precedence'
    """
    matches = get_close_matches(name.lower(), {k.lower(): k for k in known}, n=1, cutoff=0.6)
    return next((k for k in known if k.lower() == matches[0]), None) if matches else None


def hint(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing."""
    guess = nearest(name, tuple(known))
    return f"; did you mean '{guess}'?" if guess else ""


def find(kind: str, name: str, known: Mapping[str, T]) -> T:
    """The thing of that name, or a coded error that names what there is."""
    if name in known:
        return known[name]
    raise UnknownName(kind=kind, name=name, hint=hint(name, known), known=", ".join(sorted(known)) or "none")
