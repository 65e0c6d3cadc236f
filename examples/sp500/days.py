"""The days on which the members of the S&P 500 were published: one complete list each, as it was."""

from __future__ import annotations

import csv
import io
import tarfile
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

ARCHIVE = Path(__file__).parent / "days.tar.xz"
_NAME = "%Y-%m-%dT%H%M%SZ.csv"


@dataclass(frozen=True)
class Day:
    """One list: when it was published, and its text."""

    published: datetime
    text: str

    @property
    def name(self) -> str:
        """What the server calls it."""
        return f"{self.published:%Y%m%dT%H%M%SZ}"

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The header, which changes over the years."""
        return tuple(next(csv.reader(io.StringIO(self.text))))

    @cached_property
    def records(self) -> list[dict[str, str]]:
        """The rows as objects; a row that is short lacks its last fields, one that is long has its rest under `rest`."""
        rows = csv.reader(io.StringIO(self.text))
        header = next(rows)
        return [dict(zip([*header, "rest"], row, strict=False)) for row in rows if row]


def published_days() -> list[Day]:
    """All days, oldest first."""
    with tarfile.open(ARCHIVE) as archive:
        found = [(member.name, archive.extractfile(member)) for member in archive.getmembers()]
        days = [Day(datetime.strptime(name, _NAME).replace(tzinfo=UTC), file.read().decode()) for name, file in found if file is not None]
    return sorted(days, key=lambda day: day.published)
