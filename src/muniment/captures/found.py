"""Captures as they lie below a source's folder: with a manifest, or as envelopes of the first format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from muniment.captures.errors import CaptureDamaged
from muniment.captures.folder import file_sha256, records_of
from muniment.captures.manifest import FILE, JSONL, Manifest, read_manifest
from muniment.captures.pages import Mode

V1_DOUBT = "an envelope of the first format does not say whether it is complete"


@dataclass(frozen=True, slots=True)
class Found:
    """One capture: its folder, its file of records, and its manifest."""

    folder: Path
    records: Path
    manifest: Manifest
    problem: str | None = None  # why it cannot be used

    @property
    def is_v1(self) -> bool:
        return self.manifest.schema_version == 1


@dataclass(frozen=True, slots=True)
class Looked:
    """What lies below a folder: captures, and folders that only look like one."""

    captures: tuple[Found, ...] = ()
    damaged: Mapping[str, str] = field(default_factory=dict)


def captures_below(root: Path) -> Looked:
    """All captures below a folder, or the one that the folder is, by the instant they speak for."""
    found: list[Found] = []
    damaged: dict[str, str] = {}
    for folder in _folders(root):
        try:
            found += _in(folder)
        except CaptureDamaged as error:
            damaged[str(folder)] = str(error.facts["problem"])
    return Looked(tuple(sorted(found, key=in_time)), damaged)


def in_time(found: Found) -> tuple[datetime, int, str]:
    """The order in which captures speak."""
    return found.manifest.effective, found.manifest.captured_at_us, str(found.records)


def is_intact(found: Found) -> bool:
    """Whether the records are those that the manifest speaks of, byte for byte."""
    return found.is_v1 or file_sha256(found.records) == found.manifest.records_file_sha256


def _folders(root: Path) -> Iterator[Path]:
    """Folders with captures; links and what is being written are not looked into."""
    if not root.is_dir() or root.is_symlink():
        return
    yield root
    for below in sorted(root.iterdir()):
        if not below.name.startswith((".", "_")):
            yield from _folders(below)


def _in(folder: Path) -> Iterator[Found]:
    if (folder / FILE).is_file():
        manifest = read_manifest((folder / FILE).read_text(encoding="utf-8"), path=str(folder))
        records = records_of(folder, manifest)
        yield Found(folder, records, manifest, None if records.is_file() else "its records are not there")
        return
    for file in sorted(folder.glob("*.jsonl.gz")):
        yield Found(folder, file, _envelope(file))


def _envelope(file: Path) -> Manifest:
    """The manifest that the envelopes of a file amount to; its instant is that of the capture, for the other may be the start of a day."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            first = json.loads(next(lines))
            count = 1 + sum(1 for line in lines if line.strip())
        return Manifest(
            vendor=str(first["vendor"]), dataset=str(first["dataset"]), data_type=str(first["dataset"]), capture_mode=Mode.FULL_SNAPSHOT,
            record_format=JSONL, captured_at_us=int(first["captured_at_us"]), request_params=first.get("request") or {}, record_count=count,
            partitions=first.get("partitions") or {}, complete=True, reason=V1_DOUBT, schema_version=1,
        )  # fmt: skip
    except (OSError, EOFError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise CaptureDamaged(path=str(file), problem=f"it is no envelope of the first format ({type(error).__name__})") from None
