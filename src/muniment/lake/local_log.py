"""A table's log on a local disk, read without Spark: looking at a table is on the path of every landing and must cost milliseconds."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from muniment.lake.commits import Commit, DataFile, commit, instant
from muniment.lake.errors import TableMissing, TableUnreadable, VersionGone

_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\..*parquet|(\d{20})\.checkpoint\..*json")


class LocalLog:
    """The `_delta_log` of one table in a local folder."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name = name
        self._folder = folder
        self._log = folder / "_delta_log"

    def exists(self) -> bool:
        """Is there a table? A place that is empty has none; anything there that is no readable log is an error (R26)."""
        return self._newest() is not None

    def version(self) -> int:
        """The newest version."""
        newest = self._newest()
        if newest is None:
            raise TableMissing(table=self._name)
        return newest

    def commits(self, since: int = -1) -> Iterator[Commit]:
        """Commits after a version, oldest first; those whose entry is gone are simply not there."""
        return (self._commit(version) for version in self._versions() if version > since)

    def newest_first(self) -> Iterator[Commit]:
        """All commits, newest first, read one by one."""
        return (self._commit(version) for version in reversed(self._versions()))

    def added(self, version: int) -> list[DataFile]:
        """The data files that a commit added; a file that only got a deletion vector is none of them."""
        actions = list(self._actions(version))
        gone = {action["remove"]["path"] for action in actions if "remove" in action}
        adds = [action["add"] for action in actions if "add" in action]
        return [DataFile(unquote(add["path"]), add["size"]) for add in adds if add["path"] not in gone]

    def appended(self, since: int, until: int) -> list[Path] | None:
        """The files in which the rows lie that commits after one version up to another added; None if that is not all these commits did."""
        found: list[Path] = []
        for version in range(since + 1, until + 1):
            changes = [action for action in self._actions(version) if _changes_rows(action)]
            if any("add" not in action or action["add"].get("deletionVector") for action in changes):
                return None
            found.extend(self._folder / unquote(action["add"]["path"]) for action in changes)
        return found if all(file.is_file() for file in found) else None

    def sized(self, paths: Iterable[str]) -> list[DataFile]:
        """Files with the size they have on the disk."""
        return [DataFile(path, _size(self._folder / path)) for path in sorted(paths)]

    def digests(self, paths: Sequence[str]) -> dict[str, str]:
        """SHA-256 of files, by path."""
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as workers:
            return dict(zip(paths, workers.map(self._digest, paths), strict=True))

    def forget_beginning(self) -> None:
        """Remove what is left where a process began to make the table and died; a folder with anything in it stays."""
        with suppress(OSError):
            self._log.rmdir()

    def _newest(self) -> int | None:
        """The newest version of a log that is whole, or None where nothing is."""
        if not self._present(self._folder):
            return None
        entries = self._entries() if self._present(self._log) else []
        versions = _versions(entries)
        if not versions:
            self._refuse_leftovers(entries)
            return None
        self._check_whole(versions, entries)
        return versions[-1]

    def _digest(self, path: str) -> str:
        try:
            with (self._folder / path).open("rb") as content:
                return hashlib.file_digest(content, "sha256").hexdigest()
        except OSError as error:
            raise self._trouble(f"{path}: {error.strerror}") from error

    def _present(self, folder: Path) -> bool:
        try:
            return folder.stat() is not None
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._trouble(f"{folder}: {error.strerror}") from error

    def _entries(self) -> list[str]:
        try:
            return os.listdir(self._log)
        except OSError as error:
            raise self._trouble(f"{self._log}: {error.strerror}") from error

    def _versions(self) -> list[int]:
        if not self._present(self._folder):
            raise TableMissing(table=self._name)
        return _versions(self._entries())

    def _refuse_leftovers(self, entries: list[str]) -> None:
        """No commit: fine for a place that is empty or just being made, not for one that holds something."""
        try:
            others = [name for name in os.listdir(self._folder) if name != "_delta_log"]
        except OSError as error:
            raise self._trouble(f"{self._folder}: {error.strerror}") from error
        if others:
            raise self._trouble(f"it holds {others[0]!r} but no Delta log")
        if any(_CHECKPOINT.fullmatch(name) or name == "_last_checkpoint" for name in entries):
            raise self._trouble("its log has a checkpoint but no commits")

    def _check_whole(self, versions: list[int], entries: list[str]) -> None:
        """Every version after the newest checkpoint must be there, and the newest must be readable."""
        matches = (_CHECKPOINT.fullmatch(name) for name in entries)
        checkpoint = max((int(m.group(1) or m.group(2)) for m in matches if m), default=-1)
        needed = range(checkpoint + 1, versions[-1] + 1)
        missing = sorted(set(needed) - set(versions))
        if missing:
            raise self._trouble(f"its log lacks version {missing[0]}")
        self._commit(versions[-1])

    def _commit(self, version: int) -> Commit:
        info: dict[str, Any] = next((action["commitInfo"] for action in self._actions(version) if "commitInfo" in action), {})
        at = instant(info.get("inCommitTimestamp") or info.get("timestamp") or 0)
        return commit(version, at=at, operation=info.get("operation", ""), metadata=info.get("userMetadata"))

    def _actions(self, version: int) -> Iterator[dict[str, Any]]:
        entry = self._log / f"{version:020}.json"
        try:
            with entry.open(encoding="utf-8") as lines:
                for line in lines:
                    yield _action(line)
        except FileNotFoundError:
            raise VersionGone(table=self._name, version=version, known=_span(_versions(self._entries()))) from None
        except (OSError, ValueError) as error:
            raise self._trouble(f"{entry.name}: {error}") from error

    def _trouble(self, problem: str) -> TableUnreadable:
        return TableUnreadable(table=self._name, problem=problem, place=self._folder)


def _action(line: str) -> dict[str, Any]:
    action = json.loads(line)
    if not isinstance(action, dict):
        raise ValueError("a line that is no action")
    return action


def _changes_rows(action: dict[str, Any]) -> bool:
    """Rows come or go; compaction only moves them."""
    return any(action.get(kind, {}).get("dataChange", False) for kind in ("add", "remove"))


def _versions(entries: Iterable[str]) -> list[int]:
    return sorted(int(match.group(1)) for match in map(_COMMIT.fullmatch, entries) if match)


def _span(versions: Sequence[int]) -> str:
    return f"{versions[0]} to {versions[-1]}" if versions else "none"


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
