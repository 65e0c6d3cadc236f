"""Files as they lie: which are there, what each is known by, and which load each belongs to (R30)."""

from __future__ import annotations

import glob
import hashlib
import os
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from muniment.arrival.errors import PathLeavesProject, PlaceMissing
from muniment.arrival.names import moment_in
from muniment.model.source import FileNameTime, Source, Unit

_UNFINISHED = (".tmp", ".part", ".partial", ".crdownload", ".inprogress", ".crc")


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file: its place, what it holds, the load it belongs to, and the moment its name speaks for."""

    path: Path
    place: str
    size: int
    unit: str
    instant: datetime | None = None
    sha256: str = ""
    # of captures: the scope given with it, why its absence says nothing, when it was captured, whether it is an envelope
    scope: str | None = None
    doubt: str | None = None
    heard: datetime | None = None
    wrapped: bool = False

    @property
    def name(self) -> str:
        """The file's name as text."""
        return _text(self.path.name)

    def with_digest(self) -> InputFile:
        """The same with the hash of its content."""
        with self.path.open("rb") as stream:
            return replace(self, sha256=hashlib.file_digest(stream, "sha256").hexdigest())


@dataclass(frozen=True, slots=True)
class Found:
    """What lies at a place: files that may be read, and folders that are not finished yet."""

    files: tuple[InputFile, ...]
    waiting: tuple[str, ...] = ()


def find(place: str | Path, *, source: Source, root: Path) -> Found:
    """The files of a place: a file, a folder with all below it, or a glob."""
    listed = [path for path in _listed(place, root) if not _hidden(path, root / place)]
    for path in listed:
        _refuse_escape(path, place=Path(place), root=root)
    paths = [path for path in listed if path.is_file()]
    folders = {path.parent for path in paths}
    unfinished = {folder for folder in folders if _waits(folder, source)}
    files = [
        _input(path, source=source, root=root) for path in sorted(paths) if path.parent not in unfinished and not _is_marker(path, source)
    ]
    return Found(tuple(files), tuple(sorted(_place(folder, root) for folder in unfinished)))


def inside(place: str | Path, root: Path) -> Path:
    """A place below the project, or one that is written out; a way out by `..` or a link is refused."""
    whole = root / place
    if not Path(place).is_absolute() and ".." in Path(place).parts:
        raise PathLeavesProject(path=str(place), root=str(root))
    _refuse_escape(whole, place=Path(place), root=root)
    return whole


def _listed(place: str | Path, root: Path) -> list[Path]:
    whole = inside(place, root)
    if whole.exists():
        return _below(whole)
    if not glob.has_magic(str(place)):
        raise PlaceMissing(path=str(place), looked=str(whole))
    pattern = str(place) if Path(place).is_absolute() else f"{glob.escape(str(root))}/{place}"  # the project's own folder is no pattern
    matches = sorted(Path(match) for match in glob.glob(pattern, recursive=True))
    return list(dict.fromkeys(path for match in matches for path in _below(match)))


def _below(place: Path) -> list[Path]:
    """A file, or all below a folder; a linked folder is looked at, not into."""
    return [path for path in place.rglob("*") if path.is_file() or path.is_symlink()] if place.is_dir() else [place]


def _refuse_escape(path: Path, *, place: Path, root: Path) -> None:
    """A link must not lead out of the project, or, for a place given outside it, out of that place."""
    home = (
        root.resolve()
        if not place.is_absolute() or path.is_relative_to(root)
        else place.resolve()
        if place.is_dir()
        else place.parent.resolve()
    )
    if not path.resolve().is_relative_to(home):
        raise PathLeavesProject(path=str(path), root=str(home))


def _hidden(path: Path, below: Path) -> bool:
    """What a writer has not finished, or keeps for itself, in a hidden folder too."""
    names = path.relative_to(below).parts if path.is_relative_to(below) else ()
    folders = any(name.startswith((".", "_")) for name in names[:-1])
    return (
        folders or path.name.startswith(".") or path.name.endswith(_UNFINISHED) or (path.name.startswith("_") and path.name != "_SUCCESS")
    )


def _waits(folder: Path, source: Source) -> bool:
    marker = source.complete.marker
    return source.complete.unit is Unit.FOLDER and marker is not None and not (folder / marker).exists()


def _is_marker(path: Path, source: Source) -> bool:
    return path.name in ("_SUCCESS", source.complete.marker)


def _input(path: Path, *, source: Source, root: Path) -> InputFile:
    place = _place(path, root)
    unit = {Unit.FILE: place, Unit.FOLDER: _place(path.parent, root), Unit.CALL: ""}[source.complete.unit]
    return InputFile(path, place, path.stat().st_size, unit, _instant(path, source))


def _instant(path: Path, source: Source) -> datetime | None:
    spec = source.event_time
    if not isinstance(spec, FileNameTime):
        return None
    names = [path.parent.name, path.name] if source.complete.unit is Unit.FOLDER else [path.name]
    return next((moment for name in names if (moment := moment_in(name, spec))), None)


def _place(path: Path, root: Path) -> str:
    """Relative to the project where it lies in it, so that a project can move."""
    return _text(path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path))


def _text(name: str) -> str:
    """A name as text, even where its bytes are none."""
    return os.fsencode(name).decode(errors="backslashreplace")
