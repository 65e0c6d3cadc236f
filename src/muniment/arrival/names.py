"""The moment a file's name speaks for."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from muniment.model.source import FileNameTime

_CODES = {
    "Y": r"\d{4}", "m": r"\d{2}", "d": r"\d{2}", "H": r"\d{2}", "M": r"\d{2}", "S": r"\d{2}", "f": r"\d{1,6}",
    "y": r"\d{2}", "j": r"\d{3}", "b": r"[A-Za-z]{3}", "z": r"[+-]\d{4}|Z", "I": r"\d{2}", "p": r"[AaPp][Mm]", "B": r"[A-Za-z]+",
}  # fmt: skip


def moment_in(name: str, spec: FileNameTime) -> datetime | None:
    """The instant in a name, UTC; none where the name does not fit the pattern.

    >>> moment_in("crm_20260304_full.csv", FileNameTime("crm_%Y%m%d*", time="18:00", zone="Europe/London")).isoformat()
    '2026-03-04T18:00:00+00:00'
    """
    found = re.fullmatch(_expression(spec.pattern), name)
    if found is None:
        return None
    codes = [part for part in re.findall(r"%(.)", spec.pattern) if part in _CODES]
    try:
        moment = datetime.strptime("\0".join(found.groups()), "\0".join(f"%{code}" for code in codes))  # noqa: DTZ007 - the zone follows below
    except ValueError:
        return None
    if not {"H", "I", "M", "S"} & set(codes):
        moment = datetime.combine(moment.date(), time.fromisoformat(spec.time))
    return (moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(spec.zone))).astimezone(UTC)


def _expression(pattern: str) -> str:
    parts = re.split(r"(%.|\*)", pattern)
    return "".join(_piece(part) for part in parts)


def _piece(part: str) -> str:
    if part == "*":
        return ".*"
    code = part[1:] if part.startswith("%") else ""
    return f"({_CODES[code]})" if code in _CODES else re.escape(code if part.startswith("%") else part)
