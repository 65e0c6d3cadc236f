"""No secret and no login is ever written: not into a manifest, not into a log, not into an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from muniment.config.secrets import is_secret

HIDDEN = "***"
_MORE = frozenset("auth authorization sig signature session code".split())  # what addresses call their secrets, beside our own words
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]+")


def redact_url(url: str) -> str:
    """An address without its login and without the values of parameters that hold secrets.

    >>> redact_url("https://h.example/a?page=2&api_key=abc#frag")
    'https://h.example/a?page=2&api_key=***'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    query = "&".join(
        f"{quote(name, safe='')}={HIDDEN if _hides(name) else quote(value, safe='')}"
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    return urlunsplit((parts.scheme, f"{HIDDEN}@{host}" if "@" in parts.netloc else host, parts.path, query, ""))


def redact_text(text: str) -> str:
    """A sentence with all addresses in it redacted."""
    return _URL.sub(lambda found: redact_url(found.group()), text)


def redact_params(params: Mapping[str, object]) -> dict[str, object]:
    """Parameters of a request as they may be written down."""
    return {name: HIDDEN if _hides(name) else redact_text(value) if isinstance(value, str) else value for name, value in params.items()}


def _hides(name: str) -> bool:
    words = {part.lower() for part in re.split(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])", name) if part}
    return is_secret(name) or bool(words & _MORE)
