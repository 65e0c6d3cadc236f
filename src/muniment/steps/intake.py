"""What a call of `land` brings: raw rows and the files they are in, less what was landed before."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from muniment.arrival.captured import read_captures
from muniment.arrival.debezium import events
from muniment.arrival.errors import BadRows, NoPlace, NotReadHere
from muniment.arrival.files import InputFile, find, inside
from muniment.arrival.given import from_dicts, from_frame, is_dicts, lines_of
from muniment.arrival.messages import MESSAGE, is_messages, records, values
from muniment.arrival.place import Place, objects
from muniment.arrival.read import read_files, read_lines
from muniment.gate.fields import Fields
from muniment.gate.rows import Rows
from muniment.lake.failed import FAILED
from muniment.lake.location import quote
from muniment.lake.tables import Lake
from muniment.lake.trouble import summary
from muniment.ledger import known
from muniment.model.source import Format, GivenTime, Read
from muniment.steps.request import Captures, Files, Request

_UNREADABLE: tuple[type[Exception], ...] = (*FAILED, ValueError, TypeError, OSError, EOFError, zlib.error, csv.Error)
SUFFIXES = {
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".json": Format.JSON,
    ".jsonl": Format.JSON,
    ".ndjson": Format.JSON,
    ".parquet": Format.PARQUET,
}


@dataclass(frozen=True, slots=True)
class Intake:
    """Raw rows in groups of one shape each, and what is to be said about their files."""

    rows: tuple[Rows, ...] = ()
    files: tuple[InputFile, ...] = ()
    refused: Mapping[InputFile, str] = field(default_factory=dict)
    skipped: int = 0
    messages: tuple[str, ...] = ()

    @property
    def is_nothing(self) -> bool:
        return not self.rows and not self.refused


def take_in(lake: Lake, request: Request) -> Intake:
    """Look at what was given, or at the source's place, and leave out what is known (R30)."""
    data = request.data
    if request.batch_id is not None and _known_batch(lake, request):
        return Intake(skipped=1, messages=(f"batch {request.batch_id} was landed before; nothing was added",))
    if isinstance(data, DataFrame):
        return Intake((_from_frame(data, request=request),))
    if isinstance(data, str | Path):
        return _from_files(lake, request, read=_read_of(request, Path(data)), places=[str(data)])
    if isinstance(data, Files):
        return _from_files(lake, request, read=_read_of(request, Path(data.paths[0])), places=data.paths)
    if isinstance(data, Captures):
        return _fresh_of(lake, request, data.files, read=_read_of(request, data.files[0].path))
    if data is not None and is_dicts(data):
        return Intake((_from_dicts(lake.spark, data, request=request),))  # type: ignore[arg-type]
    if data is not None:
        raise BadRows(
            entity=request.entity.name, source=request.source.name, problem=f"they are a {type(data).__name__}",
            advice="Give a DataFrame, a list of dicts, or the path of a file or folder.",
        )  # fmt: skip
    return _from_place(lake, request)


def _from_place(lake: Lake, request: Request) -> Intake:
    read = request.source.read
    if read is None:
        raise NoPlace(entity=request.entity.name, source=request.source.name)
    if read.format is Format.DELTA:
        return _from_delta(lake, request, read=read)
    if read.path is None:
        raise NotReadHere(entity=request.entity.name, source=request.source.name, place=read.kafka or read.capture or read.format.value)
    return _from_files(lake, request, read=read, places=[read.path])


def _from_files(lake: Lake, request: Request, *, read: Read, places: Sequence[str]) -> Intake:
    if read.format is Format.DELTA:
        return _from_delta(lake, request, read=replace(read, path=places[0], table=None))
    found = [find(place, source=request.source, root=request.root) for place in places]
    folders = dict.fromkeys(folder for each in found for folder in each.waiting)
    waiting = tuple(f"{folder} waits: its marker {request.source.complete.marker} is not there yet" for folder in folders)
    files = [_timed(file.with_digest(), request) for each in found for file in each.files]
    intake = _fresh_of(lake, request, files, read=read)
    return replace(intake, messages=(*waiting, *intake.messages))


def _fresh_of(lake: Lake, request: Request, files: Sequence[InputFile], *, read: Read) -> Intake:
    """Rows of the files that were not landed before (R30)."""
    before = _known(lake, request, [file.place for file in files])
    fresh = [file for file in files if file.sha256 not in before.get(file.place, ())]
    changed = tuple(f"{file.place} has changed since it was landed; it is taken as new evidence" for file in fresh if file.place in before)
    skipped = len(files) - len(fresh)
    said = (f"{skipped} file{'s' if skipped > 1 else ''} landed before, same place and content; nothing was added",) if skipped else ()
    return replace(_readable(lake.spark, fresh, read, request=request), skipped=skipped, messages=(*changed, *said))


def _timed(file: InputFile, request: Request) -> InputFile:
    """A file whose time is given with the call."""
    return replace(file, instant=request.as_of) if isinstance(request.source.event_time, GivenTime) else file


def _readable(spark: SparkSession, files: Sequence[InputFile], read: Read, *, request: Request) -> Intake:
    """Rows of the files that can be opened; the others are refused as a whole."""
    try:
        rows = _rows_of(spark, files, read, request=request) if files else ()
        return Intake(rows, tuple(files))
    except _UNREADABLE as error:
        if len(files) == 1:
            return Intake(refused={files[0]: _brief(error)}, files=())
    good: list[InputFile] = []
    refused: dict[InputFile, str] = {}
    for file in files:
        alone = _readable(spark, [file], read, request=request)
        good.extend(alone.files)
        refused.update(alone.refused)
    return Intake(_rows_of(spark, good, read, request=request) if good else (), tuple(good), refused)


def _rows_of(spark: SparkSession, files: Sequence[InputFile], read: Read, *, request: Request) -> tuple[Rows, ...]:
    if read.format is Format.DEBEZIUM:
        return (events(read_lines(spark, files, read.options), fields=Fields(request.entity, request.source)),)
    if isinstance(request.data, Captures):
        return tuple(read_captures(spark, files, read, fields=Fields(request.entity, request.source)))
    return tuple(read_files(spark, files, read))


def _from_frame(frame: DataFrame, *, request: Request) -> Rows:
    """A table, or messages as Kafka hands them out."""
    fields = Fields(request.entity, request.source)
    if request.source.is_debezium and not is_messages(frame):
        problem = f"they have the columns {', '.join(frame.columns)}"
        advice = f"Give messages with the columns {', '.join(MESSAGE)}, a list of dicts, or a path."
        raise BadRows(entity=request.entity.name, source=request.source.name, problem=problem, advice=advice)
    if request.source.is_debezium:
        return events(records(frame, place=_place(request)), fields=fields)
    if request.source.read is not None and request.source.read.kafka is not None and is_messages(frame):
        return objects(values(frame, place=_place(request)), Format.JSON.value)
    return from_frame(frame, place=_place(request))


def _from_dicts(spark: SparkSession, data: Iterable[Mapping[str, object]], *, request: Request) -> Rows:
    if request.source.is_debezium:
        return events(lines_of(spark, data, place=_place(request)), fields=Fields(request.entity, request.source))
    return from_dicts(spark, data, place=_place(request))


def without_broken(spark: SparkSession, intake: Intake, request: Request) -> Intake:
    """The same without the files that break while they are read through; none broken: the trouble is elsewhere."""
    read = _read_of(request, intake.files[0].path)
    refused = {file: problem for file in intake.files if (problem := _trouble(spark, file, read, request=request)) is not None}
    good = [file for file in intake.files if file not in refused]
    return replace(
        intake,
        rows=_rows_of(spark, good, read, request=request) if good else (),
        files=tuple(good),
        refused={**intake.refused, **refused},
    )


def _trouble(spark: SparkSession, file: InputFile, read: Read, *, request: Request) -> str | None:
    try:
        for rows in _rows_of(spark, [file], read, request=request):
            rows.frame.write.format("noop").mode("overwrite").save()
    except _UNREADABLE as error:
        return _brief(error)
    return None


def _from_delta(lake: Lake, request: Request, *, read: Read) -> Intake:
    """A Delta table as it is now; its version is what it is known by."""
    named = f"delta.{quote(inside(read.path, request.root).as_posix())}" if read.path else str(read.table)
    spark = lake.spark
    newest = spark.sql(f"DESCRIBE HISTORY {named} LIMIT 1").select("version").first()
    version = str(newest["version"]) if newest else "0"
    place = read.path or str(read.table)
    before = _known(lake, request, [place])
    if version in before.get(place, ()):
        return Intake(skipped=1, messages=(f"{place} version {version} was landed before; nothing was added",))
    frame = spark.read.option("versionAsOf", version).table(named)
    rows = from_frame(frame, place=replace(_place(request), path=place))
    table = InputFile(Path(place), place, 0, "", request.as_of, version)
    return Intake((replace(rows, source_type=Format.DELTA.value),), (table,))


def _read_of(request: Request, path: Path) -> Read:
    declared = request.source.read
    suffix = next((SUFFIXES[s] for s in reversed(path.suffixes) if s in SUFFIXES), None)
    if declared is None:
        return Read(format=suffix or Format.JSON)
    return declared


def _place(request: Request) -> Place:
    return Place(request.entity.name, request.source.name, instant=request.as_of)


def _known(lake: Lake, request: Request, places: Sequence[str]) -> dict[str, set[str]]:
    if not places or not lake.table("ops.run").exists():
        return {}
    return known.digests_at(lake, request.entity.name, request.source.name, places=places)


def _known_batch(lake: Lake, request: Request) -> bool:
    runs = lake.table("ops.run")
    return runs.exists() and known.batch(lake, request.entity.name, request.source.name, batch_id=str(request.batch_id)) is not None


def _brief(error: BaseException) -> str:
    return summary(error)[:300]
