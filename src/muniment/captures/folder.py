"""A capture on disk: `_manifest.json` and its records, in a folder that is there whole or not at all."""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from muniment import clock, faults
from muniment.captures.errors import CaptureTaken, HostileName
from muniment.captures.manifest import FILE, JSONL, Manifest

RECORDS, TABLE = "records.jsonl.gz", "records.parquet"
_HALF = ".capture-"  # a folder that is being written; whatever begins with a dot is no capture
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")
_COMPRESSION = 6


def safe_name(name: str, what_name: str) -> str:
    """A name that may become a folder; anything that could lead elsewhere is refused.

    >>> safe_name("SZSE", "exchange")
    'SZSE'
    """
    if not _NAME.fullmatch(name) or ".." in name:
        raise HostileName(what_name=what_name, name=ascii(name)[:120])
    return name


def is_safe(name: str) -> bool:
    """Whether a name may become a folder."""
    return _NAME.fullmatch(name) is not None and ".." not in name


@dataclass(frozen=True, slots=True)
class Half:
    """A capture that is being written."""

    folder: Path

    @property
    def records(self) -> Path:
        return self.folder / RECORDS

    @property
    def parquet(self) -> Path:
        """Where the records are instead, once they are a table."""
        return self.folder / TABLE

    @contextmanager
    def writing(self) -> Iterator[Callable[[str], None]]:
        """Takes lines, and has them on disk when it ends."""
        with self.records.open("wb") as file:
            with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0, compresslevel=_COMPRESSION) as packed:
                yield lambda line: _write(packed, line)
            to_disk(file.fileno())
        faults.point("capture:after-records")


@contextmanager
def half_written(root: Path) -> Iterator[Half]:
    """A hidden folder to write a capture into; what dead captures left of theirs is taken away."""
    root.mkdir(parents=True, exist_ok=True)
    folder = root / f"{_HALF}{clock.new_id()}"
    with _held(root):
        for old in root.glob(f"{_HALF}*"):
            _sweep(old)
        folder.mkdir()
        hold = _hold(folder)
    try:
        faults.point("capture:after-folder")
        yield Half(folder)
    finally:
        os.close(hold)
        shutil.rmtree(folder, ignore_errors=True)


def finish(half: Half, manifest: Manifest, *, root: Path) -> tuple[Path, Manifest]:
    """Write the manifest last, then let the whole folder appear at its place in one step."""
    whole = replace(manifest, records_file_sha256=file_sha256(records_of(half.folder, manifest)))
    with (half.folder / FILE).open("w", encoding="utf-8") as file:
        file.write(whole.text())
        to_disk(file.fileno(), flush=file.flush)
    faults.point("capture:after-manifest")
    place = root / place_of(whole.data_type, whole.partitions, whole.captured_at)
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.parent.resolve().is_relative_to(root.resolve()):
        raise HostileName(what_name="the folder", name=ascii(str(place.parent))[:120])
    _appear(half.folder, place, whole)
    faults.point("capture:after-rename")
    return place, whole


def place_of(data_type: str, partitions: Mapping[str, str], captured_at: datetime) -> Path:
    """Where a capture belongs below its source's folder."""
    parts = [f"type={safe_name(data_type, 'dataset')}"]
    parts += [f"{safe_name(name, 'partition')}={safe_name(value, name)}" for name, value in partitions.items() if name != "date"]
    return Path(*parts, f"date={captured_at:%Y-%m-%d}", f"captured_ts={clock.micros(captured_at)}")


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def records_of(folder: Path, manifest: Manifest) -> Path:
    """The file with a capture's records."""
    return folder / (RECORDS if manifest.record_format == JSONL else f"records.{manifest.record_format}")


def _appear(half: Path, place: Path, manifest: Manifest) -> None:
    try:
        half.rename(place)
    except OSError:
        if not place.is_dir():
            raise
        raise CaptureTaken(captured_at=manifest.captured_at.isoformat(), path=str(place)) from None
    folder = os.open(place.parent, os.O_RDONLY)
    try:
        to_disk(folder)
    finally:
        os.close(folder)


def _sweep(old: Path) -> None:
    """Take away a half-written capture, unless somebody is still at it."""
    try:
        hold = _hold(old, flags=fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return  # somebody is, or has just finished it
    shutil.rmtree(old, ignore_errors=True)
    os.close(hold)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    hold = _hold(folder)
    try:
        yield
    finally:
        os.close(hold)


def _hold(folder: Path, *, flags: int = fcntl.LOCK_EX) -> int:
    """The folder, locked until it is closed; the kernel frees it when its holder dies."""
    hold = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(hold, flags)
    except OSError:
        os.close(hold)
        raise
    return hold


def _write(packed: gzip.GzipFile, line: str) -> None:
    packed.write(line.encode(errors="surrogatepass") + b"\n")


def to_disk(file: int, *, flush: Callable[[], object] = lambda: None) -> None:
    """Wait until what was written is safe from a loss of power."""
    flush()
    os.fsync(file)
