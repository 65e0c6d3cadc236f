"""Durations, times of day, zones and the dates in file names, as people write them."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo, available_timezones

from muniment.model.names import hint
from muniment.model.source import ENDS

UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
FILE_CODES = frozenset("YymdHIMSfjbBpzZ%")
DAY_CODES = frozenset("Yymdj")


def parse_duration(text: str) -> timedelta:
    """A number and a unit.

    >>> parse_duration("26 hours")
    datetime.timedelta(days=1, seconds=7200)
    """
    match = re.fullmatch(r"(\d{1,9})\s+([a-z]+?)s?", text.strip().lower(), re.ASCII)
    if match is None or match[2] not in UNITS:
        guess = hint(match[2] + "s", [f"{unit}s" for unit in UNITS]) if match else ""
        raise ValueError(f"'{text}' is not a duration{guess}; write a whole number and a unit: 15 minutes, 26 hours, 30 days")
    if not int(match[1]):
        raise ValueError("a duration must be longer than nothing; write, for example, 15 minutes")
    try:
        return timedelta(seconds=int(match[1]) * UNITS[match[2]])
    except OverflowError:
        raise ValueError(f"'{text}' is longer than time itself allows; write less") from None


def check_duration(text: str) -> str:
    """The text, if it is a duration."""
    parse_duration(text)
    return text


def check_time_of_day(text: str) -> str:
    """The text, if it is a time of day such as 18:00 or 18:00:30."""
    try:
        if re.fullmatch(r"\d\d:\d\d(:\d\d)?", text, re.ASCII):
            time.fromisoformat(text)
            return text
    except ValueError:
        pass
    raise ValueError(f'\'{text}\' is not a time of day; write hours and minutes in quotes, from "00:00" to "23:59"')


def check_zone(text: str) -> str:
    """The text, if it names a time zone."""
    try:
        ZoneInfo(text)
    except (ValueError, OSError, LookupError):
        guess = hint(text, sorted(available_timezones()))
        raise ValueError(f"there is no time zone '{text}'{guess or '; write a name such as Europe/London or UTC'}") from None
    return text


def check_start(text: str) -> str:
    """The text, if a topic can be read from there on."""
    try:
        if text not in ENDS:
            datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"'{text}' is no place to begin; write earliest, latest, or a time in quotes: \"2026-03-01T09:00:00Z\"") from None
    return text


def check_file_pattern(text: str) -> str:
    """The text, if it says where in a file's name the date stands."""
    codes = re.findall(r"%(.?)", text)
    strange = [code for code in codes if code not in FILE_CODES]
    if strange:
        raise ValueError(f"'%{strange[0]}' is no code for a part of a time; use %Y %m %d %H %M %S and * for anything")
    if not DAY_CODES.intersection(codes):
        raise ValueError(f"'{text}' says nothing of a date; mark it with codes: %Y%m%d finds 20260301, * stands for anything")
    return text
