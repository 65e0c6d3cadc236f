"""Capture: fetch all pages of a source, keep them as they came, and note whether that was all. Nothing is decided about entities here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from muniment import clock, faults
from muniment.arrival.files import inside
from muniment.arrival.place import Place
from muniment.captures.content import EXAMPLES, VERSION
from muniment.captures.errors import CaptureTaken, NoCapturePlace, NoFetch
from muniment.captures.folder import finish, half_written, is_safe, records_of, safe_name
from muniment.captures.found import Found, captures_below
from muniment.captures.gather import Gathered, Reading, gather
from muniment.captures.http import HttpFetch
from muniment.captures.manifest import JSONL, PARQUET, Manifest
from muniment.captures.modes import source_of
from muniment.captures.pages import Fetch, Mode
from muniment.captures.redact import redact_params, redact_text
from muniment.errors import BadArgument
from muniment.gate.fields import Fields
from muniment.lake.tables import Lake
from muniment.ledger.captures import CaptureRow
from muniment.model.entity import Entity
from muniment.model.names import find
from muniment.model.project import ProjectModel
from muniment.model.settings import setting_text
from muniment.model.source import Source
from muniment.steps.headers import given_scope
from muniment.steps.parquet import Pack, pack_of
from muniment.steps.register import place_of, register

_PARAM = "param."


@dataclass(frozen=True, slots=True)
class Shot:
    """One capture that somebody wants."""

    fetch: Fetch
    mode: Mode = Mode.FULL_SNAPSHOT
    captured_at: datetime | None = None
    scope: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What one capture left."""

    path: str
    complete: bool
    duplicate_of: str | None
    records: int
    status: str
    reason: str | None
    effective_ts: datetime
    content_sha256: str
    repeated_keys: Mapping[str, int] = field(default_factory=dict)
    record_format: str = JSONL
    format_note: str | None = None


def capture(lake: Lake, fields: Fields, root: Path, shots: Sequence[Shot]) -> list[Captured]:
    """Fetch and keep each; all are noted in one commit. Network and files are the driver's work: no row is judged."""
    folder = capture_folder(fields, root)
    for shot in shots:
        source_of(fields.source, shot.mode)  # what its mode needs is known before anything is fetched
    saved = [save(fields, folder, shot, pack=pack_of(lake.spark, fields.source)) for shot in shots]
    rows = {row.path: row for row in register(lake, fields, root, saved)}
    faults.point("capture:after-register")
    return [_captured(found, rows[place_of(found, root)]) for found in saved]


def capture_folder(fields: Fields, root: Path) -> Path:
    """The folder of a source's captures."""
    read = fields.source.read
    if read is None or read.capture is None:
        raise NoCapturePlace(entity=fields.entity.name, source=fields.source.name)
    return inside(read.capture, root)


def save(fields: Fields, folder: Path, shot: Shot, *, pack: Pack | None = None) -> Found:
    """Fetch all pages into a folder of their own, which appears when it is whole; as lines, or as `pack` makes them."""
    reading = reading_of(fields, shot)
    safe_name(fields.entity.name, "dataset")
    safe_name(fields.source.name, "vendor")
    started = clock.now()
    with half_written(folder) as half:
        with half.writing() as write:
            gathered = gather(shot.fetch, write, reading=reading)
        problem = pack(half, gathered.content) if pack is not None else None
        kept = replace(_manifest(fields, shot, gathered, started=started), format_note=problem)
        manifest = replace(kept, record_format=PARQUET) if half.parquet.exists() else kept
        try:
            place, whole = finish(half, manifest, root=folder)
        except CaptureTaken as taken:
            return _same(Path(str(taken.facts["path"])), manifest, taken)
    return Found(place, records_of(place, whole), whole)


def reading_of(fields: Fields, shot: Shot) -> Reading:
    """How records of a source are understood, and what was asked for."""
    source = fields.source
    if shot.scope is not None:
        _check_scope(source, shot.scope)
    return Reading(
        Place(fields.entity.name, source.name),
        key=tuple(fields.names(part.name) for part in fields.entity.key),
        scope=tuple(fields.names(name) for name in source.scope),
        scope_given=given_scope(source, shot.scope),
        min_records=source.complete.min_records if shot.mode is Mode.FULL_SNAPSHOT else 0,
        is_set=shot.mode is Mode.FULL_SNAPSHOT,
    )


def declared_fetch(model: ProjectModel, entity: Entity, source: Source) -> HttpFetch:
    """The fetch that the configuration describes; what is secret is looked up now and written nowhere."""
    http = source.read.http if source.read is not None else None
    if http is None:
        raise NoFetch(entity=entity.name, source=source.name)
    connections = {connection.name: connection for connection in model.connections}
    settings = find("connection", http.use, connections).settings if http.use is not None else {}
    texts = {name: setting_text(name, value) for name, value in settings.items()}
    secret = {name.removeprefix(_PARAM): text for name, text in texts.items() if name.startswith(_PARAM)}
    return HttpFetch(http, {name: text for name, text in texts.items() if not name.startswith(_PARAM)}, secret)


def _check_scope(source: Source, scope: Mapping[str, object]) -> None:
    if set(scope) != set(source.scope):
        wanted = ", ".join(source.scope) or "nothing"
        raise BadArgument(argument="scope", problem=f"{source.name} is scoped by {wanted}", advice="Give a value for each of these.")
    for name, value in scope.items():
        safe_name(str(value), name)


def _manifest(fields: Fields, shot: Shot, gathered: Gathered, *, started: datetime) -> Manifest:
    captured_at = shot.captured_at or clock.now()
    partitions = _partitions(fields, shot, gathered)
    scopes = sorted(gathered.scopes | ({given} if (given := given_scope(fields.source, shot.scope)) else set())) or (
        [] if fields.source.scope else ["[]"]
    )
    repeated = gathered.content.repeated()
    return Manifest(
        vendor=fields.source.name,
        dataset=fields.entity.name,
        data_type=fields.entity.name,
        capture_mode=shot.mode.value,
        record_format=JSONL,
        captured_at_us=clock.micros(captured_at) or 0,
        vendor_effective_ts_us=clock.micros(gathered.as_of),
        api_endpoint=redact_text(str(getattr(shot.fetch, "endpoint", None) or getattr(shot.fetch, "__name__", type(shot.fetch).__name__))),
        request_params=redact_params(dict(getattr(shot.fetch, "params", None) or {})),
        record_count=gathered.count,
        expected_record_count=gathered.total,
        records_content_sha256=gathered.content.sha256(),
        partitions={**partitions, "date": f"{captured_at:%Y-%m-%d}"},
        scope=scopes,
        scope_given=given_scope(fields.source, shot.scope),
        natural_key=[part.name for part in fields.entity.key],
        repeated_keys=dict(sorted(repeated.items())[:EXAMPLES]),
        repeated_count=len(repeated),
        content_version=VERSION,
        pages=gathered.pages,
        started_at_us=clock.micros(started),
        reason=gathered.reason,
        complete=gathered.reason is None,  # the last thing that is said
    )


def _partitions(fields: Fields, shot: Shot, gathered: Gathered) -> dict[str, str]:
    """The folders below the data type: the scope, where it is one; a value that could lead elsewhere speaks against the capture."""
    if shot.scope is not None:
        return {name: str(shot.scope[name]) for name in fields.source.scope}
    if len(gathered.scopes) != 1:
        return {}
    values = json.loads(next(iter(gathered.scopes)))
    named = dict(zip(fields.source.scope, values, strict=True))
    strange = [name for name, value in named.items() if value is None or not is_safe(value)]
    if strange:
        gathered.reasons.append(f"{strange[0]} {ascii(named[strange[0]])[:60]} cannot be the name of a scope")
    return {} if strange else named


def _same(place: Path, manifest: Manifest, taken: CaptureTaken) -> Found:
    """The capture that stands there already, where it is this very one."""
    found = next(iter(captures_below(place).captures), None)
    if (
        found is None
        or found.manifest.records_content_sha256 != manifest.records_content_sha256
        or found.manifest.complete != manifest.complete
    ):
        raise taken
    return found


def _captured(found: Found, row: CaptureRow) -> Captured:
    manifest = found.manifest
    return Captured(
        path=row.path, complete=manifest.complete, duplicate_of=row.duplicate_of, records=manifest.record_count, status=row.status,
        reason=row.reason, effective_ts=manifest.effective, content_sha256=manifest.records_content_sha256, repeated_keys=manifest.repeated_keys,
        record_format=manifest.record_format, format_note=manifest.format_note,
    )  # fmt: skip
