"""What a call of `load` brings: slices, each of which goes into the table whole, less those that were loaded before (R30)."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path

from pyspark.sql import DataFrame

from muniment import clock
from muniment.arrival.errors import BadRows, NoPlace
from muniment.arrival.files import InputFile, find, inside
from muniment.arrival.given import is_dicts
from muniment.arrival.place import Place
from muniment.arrival.slices import slice_of_dicts, slice_of_files, slice_of_frame
from muniment.lake.failed import FAILED
from muniment.lake.location import quote
from muniment.lake.tables import Lake
from muniment.lake.trouble import summary
from muniment.ledger import known
from muniment.ledger.runs import TABLE as RUNS
from muniment.loads import marks
from muniment.loads.errors import SliceRefused
from muniment.loads.watermarks import Reach
from muniment.model.load import Load
from muniment.model.source import Format, Read, Source
from muniment.steps.intake import SUFFIXES

_UNREADABLE: tuple[type[Exception], ...] = (*FAILED, ValueError, TypeError, OSError, EOFError, zlib.error, csv.Error)


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """One call of `load`, with its names looked up and its time read."""

    load: Load
    root: Path
    data: object = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """Raw rows that go into the table together, and the files they are in."""

    name: str
    files: tuple[InputFile, ...] = ()
    rows: DataFrame | None = None  # None: in the files
    read: Read | None = None
    token: str = field(default_factory=clock.new_id)  # what it is known by without files, however often it is tried


@dataclass(frozen=True, slots=True)
class Slices:
    """What is to be loaded, in order, and how much of it was loaded before."""

    new: tuple[Slice, ...] = ()
    skipped: int = 0


def find_slices(lake: Lake, request: LoadRequest) -> Slices:
    """A DataFrame, dicts, the path of one slice, or all that is new at the load's place."""
    data, load = request.data, request.load
    place = Place(load.name, "slice")
    if isinstance(data, DataFrame):
        return Slices((Slice("given", rows=slice_of_frame(data, place=place)),))
    if isinstance(data, str | Path):
        return _given_path(lake, request, str(data))
    if data is not None and is_dicts(data):
        return Slices((Slice("given", rows=slice_of_dicts(lake.spark, data, place=place)),))  # type: ignore[arg-type]
    if data is not None:
        problem = f"they are a {type(data).__name__}"
        raise BadRows(entity=load.name, source="slice", problem=problem, advice="Give a DataFrame, a list of dicts, or a path.")
    return _at_place(lake, request)


def rows_of(lake: Lake, load: Load, one: Slice) -> DataFrame:
    """The raw rows of a slice."""
    try:
        return one.rows if one.rows is not None else slice_of_files(lake.spark, one.files, one.read or Read(Format.PARQUET))
    except _UNREADABLE as error:
        raise SliceRefused(
            load=load.name, done="read", problem=f"{one.name}: {summary(error)[:300]}", advice="Mend the file or the read options."
        ) from error


def _given_path(lake: Lake, request: LoadRequest, path: str) -> Slices:
    """One slice: a file, or a folder with all its files."""
    read = _read_of(request.load, Path(path))
    if read.format is Format.DELTA:
        return _from_delta(lake, request, replace(read, path=path, table=None))
    return _fresh(lake, request.load, [Slice(path, _found(path, read, request.root), read=read)])


def _at_place(lake: Lake, request: LoadRequest) -> Slices:
    """Each file, or folder, that lies directly at the place is a slice; in the order of their names."""
    read = request.load.read
    if read is None:
        raise NoPlace(entity=request.load.name, source="slice")
    if read.format is Format.DELTA:
        return _from_delta(lake, request, read)
    top = request.root / str(read.path)
    groups = groupby(_found(str(read.path), read, request.root), key=lambda file: _child(file.path, top))
    return _fresh(lake, request.load, [Slice(name, tuple(files), read=read) for name, files in groups])


def _child(path: Path, top: Path) -> str:
    return path.relative_to(top).parts[0] if path.is_relative_to(top) and path != top else path.name


def _found(path: str, read: Read, root: Path) -> tuple[InputFile, ...]:
    files = find(path, source=Source("slice", read=read), root=root).files
    return tuple(file.with_digest() for file in sorted(files, key=lambda file: file.path.parts))


def _fresh(lake: Lake, load: Load, slices: Sequence[Slice]) -> Slices:
    before = _known(lake, load, [file.place for one in slices for file in one.files])
    fresh = [one for one in slices if any(file.sha256 not in before.get(file.place, ()) for file in one.files)]
    return Slices(tuple(fresh), len(slices) - len(fresh))


def _known(lake: Lake, load: Load, places: Iterable[str]) -> dict[str, set[str]]:
    wanted = list(places)
    return known.digests_loaded(lake, load.name, places=wanted) if wanted and lake.table(RUNS).exists() else {}


def _from_delta(lake: Lake, request: LoadRequest, read: Read) -> Slices:
    """A Delta table as it is now, from the watermarks on; its version is what it is known by."""
    load, spark = request.load, lake.spark
    named = f"delta.{quote(inside(read.path, request.root).as_posix())}" if read.path else str(read.table)
    place = read.path or str(read.table)
    try:
        newest = spark.sql(f"DESCRIBE HISTORY {named} LIMIT 1").select("version").first()
        version = str(newest["version"]) if newest else "0"
        frame = spark.read.option("versionAsOf", version).table(named)
    except FAILED as error:
        raise SliceRefused(load=load.name, done="read", problem=f"{place}: {summary(error)[:300]}", advice="Look at 'read'.") from error
    table = InputFile(Path(place), place, 0, "", None, version)
    if version in _known(lake, load, [place]).get(place, ()):
        return Slices(skipped=1)
    beyond = Reach(load, marks.current(lake, load), {field.name: field.dataType for field in frame.schema}).unread()
    rows = slice_of_frame(frame if beyond is None else frame.where(beyond), place=Place(load.name, "slice", path=place))
    return Slices((Slice(place, (table,), rows),))


def _read_of(load: Load, path: Path) -> Read:
    if load.read is not None:
        return load.read
    suffix = next((SUFFIXES[each] for each in reversed(path.suffixes) if each in SUFFIXES), None)
    return Read(format=suffix or Format.JSON)
