"""A JSON API as pages: each answer whole or not at all, tried again where that may help, never from another host."""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import IO, Any
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from muniment import __version__, clock
from muniment.captures.errors import FetchFailed
from muniment.captures.pages import Page
from muniment.captures.paging import Turn, follow
from muniment.captures.raw import records_at, value_at
from muniment.captures.redact import HIDDEN, redact_params, redact_text, redact_url
from muniment.model.source import Http

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_CHUNK = 1 << 16
_MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a server."""

    url: str
    body: bytes
    headers: Message
    attempts: int = 1


class _TryAgain(Exception):
    """Something that may be better the next time, and when that is."""

    def __init__(self, problem: str, after: float | None = None) -> None:
        super().__init__(problem)
        self.after = after


@dataclass(frozen=True, slots=True)
class HttpFetch:
    """Fetches all pages of an API; the headers hold what is secret and are never written down."""

    api: Http
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_params: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def endpoint(self) -> str:
        """The address as it may be written down."""
        return redact_url(self.api.url)

    @property
    def params(self) -> dict[str, object]:
        """The parameters as they may be written down."""
        return redact_params(self.api.params)

    def __call__(self) -> Iterator[Page]:
        """The pages, one request after the other."""
        turn: Turn | None = Turn.first(self.api)
        while turn is not None:
            if turn.number > self.api.max_pages:
                raise FetchFailed(problem=f"there are more than {self.api.max_pages} pages")
            answer, page = self._read(turn)
            yield page
            turn = follow(turn, self.api, page=page, body=answer.body.decode(), link=answer.headers.get("Link"))

    def _shown(self, url: str) -> str:
        """An address as it may be written down: without a value that is only referred to, whatever its name is."""
        shown = redact_url(url)
        for value in (*self.secret_params.values(), *self.headers.values()):
            shown = shown.replace(quote(value, safe=""), HIDDEN) if value else shown
        return shown

    def _read(self, turn: Turn) -> tuple[Answer, Page]:
        """One page; an answer that is cut off or is no JSON is asked for again."""
        problem = ""
        for attempt in range(1, self.api.attempts + 1):
            try:
                answer = self._ask(_address(self.api, turn, self.secret_params), attempt)
                return answer, self._page(answer)
            except _TryAgain as trouble:
                problem = str(trouble)
                wait = trouble.after if trouble.after is not None else self.api.wait * 2 ** (attempt - 1) * (1 + clock.jitter())
                if wait > self.api.max_wait:
                    raise FetchFailed(problem=f"{problem}; it asks to wait {wait:.0f} seconds, longer than max_wait") from None
                if attempt < self.api.attempts:
                    clock.pause(wait)
        raise FetchFailed(problem=f"{problem}, {self.api.attempts} times")

    def _ask(self, url: str, attempt: int) -> Answer:
        given = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": f"muniment/{__version__}", **self.headers}
        request = urllib.request.Request(url, headers=given)
        opener = urllib.request.build_opener(_SameHost)
        try:
            with opener.open(request, timeout=self.api.timeout) as response:
                return Answer(url, self._body(response), response.headers, attempt)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in _AGAIN:
                raise _TryAgain(f"status {error.code}", _retry_after(error.headers)) from None
            raise FetchFailed(problem=f"status {error.code} from {self._shown(url)}") from None
        except TimeoutError:
            raise _TryAgain(f"no whole answer within {self.api.timeout:g} seconds") from None
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            raise _TryAgain(redact_text(str(getattr(error, "reason", None) or repr(error)))) from None

    def _body(self, response: Any) -> bytes:
        limit, started = int(self.api.max_mb * _MB), clock.stopwatch()
        announced = response.headers.get("Content-Length")
        if announced is not None and announced.isdecimal() and int(announced) > limit:
            raise FetchFailed(problem=f"the answer has {int(announced):,} bytes, more than max_mb allows ({self.api.max_mb:g} MB)")
        parts: list[bytes] = []
        size = 0
        while part := response.read1(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise FetchFailed(problem=f"the answer is larger than max_mb allows ({self.api.max_mb:g} MB)")
            if clock.stopwatch() - started > self.api.timeout:
                raise TimeoutError
        if announced is not None and announced.isdecimal() and size != int(announced):
            raise _TryAgain(f"the answer was cut off after {size:,} of {int(announced):,} bytes")
        return b"".join(parts)

    def _page(self, answer: Answer) -> Page:
        try:
            body = answer.body.decode()
            records = records_at(body, self.api.records)
            total, as_of = (value_at(body, path) if path else None for path in (self.api.total, self.api.as_of))
        except ValueError as error:
            raise _TryAgain(f"the answer cannot be read: {error}") from None
        note = {
            "url": self._shown(answer.url), "attempts": answer.attempts, "bytes": len(answer.body),
            "answer_sha256": hashlib.sha256(answer.body).hexdigest(), "fetched_at_us": clock.micros(clock.now()),
        }  # fmt: skip
        return Page(records, None if total is None else _count(total), None if as_of is None else _moment(as_of), note=note)


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Another host would be handed our headers, and could answer in the vendor's name."""

    def redirect_request(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str) -> Any:  # noqa: PLR0913, PLR0917
        if origin(newurl) != origin(req.full_url):
            raise FetchFailed(problem=f"the server sends us to another host, {origin(newurl)[1]}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port


def _address(api: Http, turn: Turn, secret: Mapping[str, str]) -> str:
    if turn.url is not None:
        if origin(turn.url) != origin(api.url):
            raise FetchFailed(problem=f"the next page is on another host, {origin(turn.url)[1]}")
        return turn.url
    parts = urlsplit(api.url)
    added = urlencode({**api.params, **secret, **turn.params})
    return urlunsplit(parts._replace(query="&".join(part for part in (parts.query, added) if part), fragment=""))


def _retry_after(headers: Message) -> float | None:
    """What the server asks us to wait: seconds, or a date."""
    said = headers.get("Retry-After")
    if said is None:
        return None
    if re.fullmatch(r"\d{1,9}", said.strip()):
        return float(said)
    try:
        return max((parsedate_to_datetime(said) - clock.now()).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _moment(said: object) -> datetime | str:
    """The vendor's time: text, or a number since 1970 in seconds, milli- or microseconds, by its size."""
    if isinstance(said, bool) or not isinstance(said, int | Decimal):
        return str(said)
    number = Decimal(said)
    size = abs(number)
    unit = 10**6 if size < 10**11 else 10**3 if size < 10**14 else 1
    try:
        return clock.from_micros(int(number * unit)) or str(said)
    except OverflowError:
        return str(said)


def _count(total: object) -> int:
    try:
        return int(str(total))
    except ValueError:
        raise FetchFailed(problem=f"the total is no number: {str(total)[:40]}") from None
