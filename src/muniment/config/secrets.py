"""What must never be written down in the configuration."""

from __future__ import annotations

import re

SECRET_WORDS = frozenset(
    "password passwd passphrase pwd secret token credential credentials key apikey accesskey secretkey sasl jaas".split()
)
STRONG_WORDS = SECRET_WORDS - {"key", "sasl"}  # where most settings are harmless, only these are taken for secrets
HARMLESS_ENDS = frozenset("mechanism mechanisms protocol serializer deserializer type location".split())


def is_secret(name: str, *, words: frozenset[str] = SECRET_WORDS) -> bool:
    """Whether a setting of this name holds a secret.

    >>> is_secret("sasl.jaas.config"), is_secret("sslKeyPassword"), is_secret("servers"), is_secret("sasl.mechanism")
    (True, True, False, False)
    """
    parts = [part.lower() for part in re.split(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])", name) if part]
    return bool(words.intersection(parts)) and not HARMLESS_ENDS.intersection(parts[-1:])


def holds_login(value: object) -> bool:
    """Whether an address has a user and a password inside."""
    return isinstance(value, str) and re.search(r"://[^/@\s:]+:[^/@\s]+@", value) is not None
