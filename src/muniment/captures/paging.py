"""Which request comes after an answer: by page, by offset, by cursor, by link; nothing is taken for the end that could be a fault."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from muniment.captures.errors import FetchFailed
from muniment.captures.pages import Page
from muniment.captures.raw import value_at
from muniment.model.source import Http, PagesBy

_START = {PagesBy.PAGE: 1, PagesBy.OFFSET: 0}


@dataclass(frozen=True, slots=True)
class Turn:
    """One request: its number, its parameters or its whole address, and what came before it."""

    number: int = 1
    params: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    place: int = 0  # the page, or the offset
    records: int = 0  # so far
    was_short: bool = False
    seen: frozenset[str] = frozenset()  # cursors and links

    @classmethod
    def first(cls, api: Http) -> Turn:
        """The first request."""
        pages = api.pages
        place = pages.start if pages.start is not None else _START.get(pages.by, 0)
        return _asked(cls(place=place), api)


def follow(turn: Turn, api: Http, *, page: Page, body: str, link: str | None) -> Turn | None:
    """The request after this one, or none."""
    pages, records = api.pages, turn.records + len(page.records)
    after = replace(turn, number=turn.number + 1, records=records)
    if pages.by is PagesBy.NONE:
        return None
    if pages.by is PagesBy.LINK:
        found = next_link(link or "")
        return None if found is None else _onto(after, urljoin(turn.url or api.url, found), api)
    if pages.by is PagesBy.CURSOR:
        cursor = value_at(body, pages.next or "next")
        return None if cursor in (None, "", False) else _onto(after, str(cursor), api)
    return _numbered(after, api, page=page)


def _numbered(after: Turn, api: Http, *, page: Page) -> Turn | None:
    """Only an empty page, or the announced total, is the end; a short one may be a fault, and what follows it shows that."""
    pages, came = api.pages, len(page.records)
    if came and after.was_short:
        raise FetchFailed(problem=f"page {after.number - 2} was shorter than {pages.size} and not the last")
    if not came or (page.total is not None and after.records >= page.total):
        return None
    place = after.place + (1 if pages.by is PagesBy.PAGE else came)
    short = pages.by is PagesBy.PAGE and pages.size is not None and came < pages.size
    return _asked(replace(after, place=place, was_short=short), api)


def _asked(turn: Turn, api: Http) -> Turn:
    pages = api.pages
    size = {pages.size_parameter: str(pages.size)} if pages.size_parameter and pages.size is not None else {}
    here = {pages.parameter or pages.by.value: str(turn.place)} if pages.by in _START else {}
    return replace(turn, params={**size, **here})


def _onto(turn: Turn, mark: str, api: Http) -> Turn:
    if mark in turn.seen:
        raise FetchFailed(problem="the pages go in a circle")
    seen = turn.seen | {mark}
    if api.pages.by is PagesBy.LINK:
        return replace(turn, url=mark, seen=seen)
    first = Turn.first(api).params
    return replace(turn, params={**first, api.pages.parameter or "cursor": mark}, seen=seen)


def next_link(header: str) -> str | None:
    """The address that a Link header names as the next.

    >>> next_link('<https://h.example/a?page=1>; rel="prev", </a?page=3>; rel="next"')
    '/a?page=3'
    """
    for target, rest in re.findall(r"<([^>]*)>([^<]*)", header):
        if re.search(r"""rel\s*=\s*["']?[^"',;]*\bnext\b""", rest):
            return str(target)
    return None
