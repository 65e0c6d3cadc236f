"""Trying again after another writer came first, and only then (R24)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from muniment import clock
from muniment.errors import MunimentError
from muniment.lake.errors import Outrun, WriteConflict
from muniment.lake.trouble import condition, summary

T = TypeVar("T")

_HALF_MADE = "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION"  # another writer is making the table at this moment
_CONDITIONS = ("DELTA_CONCURRENT_", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED", _HALF_MADE)
_CLASSES = re.compile(
    r"\bdelta\.(connect\.)?exceptions\.(\w+\.)?(Concurrent\w+|MetadataChanged|ProtocolChanged|DeltaConcurrentModification)Exception"
    r"|java\.util\.ConcurrentModificationException"
)
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0


def with_retry(attempt: Callable[[], T], *, attempts: int = 5, pause: Callable[[float], None] = clock.pause) -> T:
    """What `attempt` returns, tried again after a conflict; it must read afresh each time. Other errors pass at once."""
    for number in range(1, attempts):
        try:
            return attempt()
        except Exception as error:
            if not is_conflict(error):
                raise
            pause(pause_before(number))
    return _last(attempt, attempts)


def is_conflict(error: BaseException) -> bool:
    """Did another writer come first? Known by Delta's error condition, or by the exception's class in its text."""
    if isinstance(error, MunimentError):
        return isinstance(error, Outrun)
    return condition(error).startswith(_CONDITIONS) or bool(_CLASSES.search(_head(error)))


def pause_before(number: int) -> float:
    """Twice as long each time, with a random share, so that two writers do not meet again."""
    longest: float = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**number)
    return longest * (0.5 + clock.jitter() / 2)


def _last(attempt: Callable[[], T], attempts: int) -> T:
    try:
        return attempt()
    except Exception as error:
        if not is_conflict(error):
            raise
        raise WriteConflict(attempts=attempts, conflict=summary(error)) from error


def _head(error: BaseException) -> str:
    """The error's own words, without a stack that may name others."""
    return f"{type(error).__module__}.{type(error).__name__}: {error}".split("\n\tat ")[0]
