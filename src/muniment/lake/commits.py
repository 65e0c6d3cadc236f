"""One commit of a table, and what Muniment writes beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any


@dataclass(frozen=True, slots=True)
class Commit:
    """One version of a table; `metadata` is what its writer said of it, `repeated` that an earlier call had made it already."""

    version: int
    timestamp: datetime
    operation: str
    metadata: Mapping[str, Any] | None = None
    txn: str | None = None
    txn_version: int | None = None
    attempt: str | None = None
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file, its path relative to its table; without a size it is not there."""

    path: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Mark:
    """What tells a write from every other: the transaction makes it once, the attempt says who made it."""

    txn: str | None
    txn_version: int
    attempt: str


def user_metadata(mark: Mark, metadata: Mapping[str, object] | None) -> str:
    """The commit's metadata as compact JSON."""
    content = {"muniment": dict(metadata or {}), "txn": mark.txn, "txn_version": mark.txn_version, "attempt": mark.attempt}
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


def commit(version: int, *, at: datetime, operation: str, metadata: str | None) -> Commit:
    """A commit from the log's words; metadata that others wrote counts as none."""
    said = _parsed(metadata)
    if said is None:
        return Commit(version, at, operation)
    return Commit(version, at, operation, said["muniment"], said.get("txn"), said.get("txn_version"), said.get("attempt"))


def instant(milliseconds: int) -> datetime:
    """The log's milliseconds as a time."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)


def _parsed(metadata: str | None) -> dict[str, Any] | None:
    try:
        said = json.loads(metadata or "null")
    except ValueError:
        return None
    return said if isinstance(said, dict) and isinstance(said.get("muniment"), dict) else None
