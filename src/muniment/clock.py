"""The only place that reads the time or makes an id."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def now() -> datetime:
    """This moment, UTC, microseconds."""
    return datetime.now(UTC)


def stopwatch() -> float:
    """Seconds that only ever grow, for durations."""
    return time.monotonic()


def pause(seconds: float) -> None:
    """Wait; the only sleep there is."""
    time.sleep(seconds)


def new_id() -> str:
    """A ULID: 26 characters that sort by the millisecond they were made in."""
    value = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10))
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))


def nonce() -> str:
    """32 random bytes as text, for salts that nobody can guess (R27)."""
    return os.urandom(32).hex()


def jitter() -> float:
    """A random share between 0 and 1, to keep writers that met once from meeting again."""
    return int.from_bytes(os.urandom(4)) / 2**32


def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970, UTC: a time that JSON can hold."""
    return None if moment is None else (moment - _EPOCH) // timedelta(microseconds=1)


def from_micros(number: int | None) -> datetime | None:
    """The time that so many microseconds since 1970 mean."""
    return None if number is None else _EPOCH + timedelta(microseconds=number)


def utc(moment: datetime | str, argument: str = "time") -> datetime:
    """A moment as people write it → aware UTC; without an offset it means UTC.

    >>> utc("2026-03-01T09:00").isoformat()
    '2026-03-01T09:00:00+00:00'
    >>> utc("2026-03-01 10:00+01:00").isoformat()
    '2026-03-01T09:00:00+00:00'
    """
    from muniment.errors import BadArgument

    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment.strip())
        except ValueError:
            raise BadArgument(
                argument=argument,
                problem=f"'{moment}' is not a time",
                advice="Write it as ISO-8601, such as 2026-03-01T09:00:00+00:00; without an offset it means UTC.",
            ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
