"""Pages → lines, with the judgement whether that was all: complete is said only where nothing speaks against it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from muniment import clock
from muniment.arrival.given import as_json
from muniment.arrival.place import Place
from muniment.captures.content import Content, first_of, parse
from muniment.captures.pages import Fetch, Page, Record
from muniment.captures.redact import redact_text
from muniment.errors import UserMistake

_LONG = 500  # characters of a reason


@dataclass(frozen=True, slots=True)
class Reading:
    """What is needed to understand the records of a source."""

    place: Place
    key: tuple[tuple[str, ...], ...]  # the names that each part of the natural key may have
    scope: tuple[tuple[str, ...], ...] = ()  # the same for the parts of the scope
    scope_given: str | None = None
    min_records: int = 0
    is_set: bool = True  # each key is there once; changes and histories may name one often


@dataclass(slots=True)
class Gathered:
    """All that came, except the records themselves, which are written as they come."""

    content: Content
    pages: list[dict[str, Any]] = field(default_factory=list)
    total: int | None = None
    as_of: datetime | None = None
    scopes: set[str] = field(default_factory=set)
    reasons: list[str] = field(default_factory=list)
    page_of: dict[str, int] = field(default_factory=dict)  # where each key was first seen

    @property
    def count(self) -> int:
        return len(self.content.records)

    @property
    def reason(self) -> str | None:
        """Why it is not complete, or nothing."""
        return "; ".join(dict.fromkeys(self.reasons))[:_LONG] or None


def gather(fetch: Fetch, write: Callable[[str], object], *, reading: Reading) -> Gathered:
    """Take in all pages; a fetch that fails ends it, and what had come is kept."""
    found = Gathered(Content(reading.key))
    for page in _pages(fetch, found):
        number = len(found.pages) + 1
        try:
            records = [_read(record, at, reading) for at, record in enumerate(page.records)]
        except Exception as error:  # noqa: BLE001 - whatever a record is, the pages before it are kept
            found.reasons.append(f"page {number} has a record that cannot be kept: {_brief(error)}")
            break
        for line, fields in records:
            write(line)
            _take(fields, found, number=number, reading=reading)
        _note(page, [line for line, _ in records], found, number=number)
    _judge(found, reading)
    return found


def _pages(fetch: Fetch, found: Gathered) -> Iterator[Page]:
    """The pages, until there is none or one cannot be had; what a vendor's own client raises is not ours to know."""
    pages = None
    while True:
        try:
            pages = iter(fetch()) if pages is None else pages
            page = next(pages)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001
            found.reasons.append(f"page {len(found.pages) + 1} could not be had: {_brief(error)}")
            return
        yield page if isinstance(page, Page) else Page(page)


def _read(record: Record, number: int, reading: Reading) -> tuple[str, dict[str, object]]:
    """A record as one line, and what it says; line breaks in JSON text stand between tokens only, so a space says the same."""
    line = record.replace("\r", " ").replace("\n", " ") if isinstance(record, str) else as_json(record, number, place=reading.place)
    return line, parse(line)


def _take(fields: Mapping[str, object], found: Gathered, *, number: int, reading: Reading) -> None:
    key = found.content.add(fields)
    if reading.is_set and key is not None and found.page_of.setdefault(key, number) != number:
        found.reasons.append(f"a record of page {found.page_of[key]} came again on page {number}: the set moved while it was read")
    if reading.scope:
        found.scopes.add(_scope(fields, reading))


def _scope(fields: Mapping[str, object], reading: Reading) -> str:
    """The scope of a record as load headers write it: values as text."""
    values = first_of(fields, reading.scope)
    return json.dumps([value if value is None else _plain(value) for value in values], separators=(",", ":"), ensure_ascii=False)


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _note(page: Page, lines: Sequence[str], found: Gathered, *, number: int) -> None:
    digest = hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()
    earlier = next((each["number"] for each in found.pages if lines and each["sha256"] == digest), None)
    if earlier is not None:
        found.reasons.append(f"page {number} is page {earlier} again")
    if not page.complete:
        found.reasons.append(f"page {number} says that it is not complete")
    if page.total is not None and found.total not in (None, page.total):
        found.reasons.append(f"the total changed from {found.total} to {page.total} while it was read")
    found.total = page.total if page.total is not None else found.total
    if page.as_of is not None:
        _note_time(page.as_of, found, number=number)
    found.pages.append({"number": number, "records": len(lines), "sha256": digest, **page.note})


def _note_time(said: datetime | str, found: Gathered, *, number: int) -> None:
    """The latest of the vendor's times: the whole was not true before."""
    try:
        moment = clock.utc(said, "as_of")
    except UserMistake:
        found.reasons.append(f"page {number} speaks for {ascii(said)[:60]}, which is no time")
        return
    found.as_of = max(moment, found.as_of or moment)


def _judge(found: Gathered, reading: Reading) -> None:
    """What can only be seen at the end."""
    if found.total is not None and found.count != found.total:
        found.reasons.append(f"{found.count} records came where {found.total} were announced")
    if found.count < reading.min_records:
        found.reasons.append(f"{found.count} records are fewer than the {reading.min_records} that a complete set has at least")
    strange = sorted(found.scopes - {reading.scope_given}) if reading.scope_given else []
    if strange:
        found.reasons.append(f"records of {', '.join(strange[:3])} came where {reading.scope_given} was asked for")


def _brief(error: BaseException) -> str:
    words = str(error).splitlines() or [""]
    return redact_text(f"{type(error).__name__}: {words[0]}" if words[0] else type(error).__name__)[:_LONG]
