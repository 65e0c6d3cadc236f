"""Landing captures: those that wait, in the order of the instants they speak for, through the ordinary `land` into the ordinary log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from muniment import clock, faults
from muniment.arrival.captured import DELISTING_OPS
from muniment.arrival.errors import PathLeavesProject
from muniment.arrival.files import InputFile, inside
from muniment.captures.errors import Backdated, CaptureDamaged, CaptureIncomplete
from muniment.captures.found import Found, Looked, captures_below
from muniment.captures.modes import OWN_DATES, source_of
from muniment.captures.pages import Mode
from muniment.gate.fields import Fields
from muniment.lake.tables import Lake
from muniment.ledger import captures as ledger
from muniment.ledger.captures import CaptureRow, CaptureStatus
from muniment.model.entity import Entity, Late
from muniment.steps.capture import capture_folder
from muniment.steps.land import land as land_rows
from muniment.steps.register import register
from muniment.steps.request import Captures, Request
from muniment.steps.results import Landed
from muniment.steps.settle import SNAPSHOT_COUNTS, settle

_EXAMPLES = 3


def land(lake: Lake, request: Request) -> Landed:
    """Take one delivery into the log: from captures, or from anywhere else."""
    if request.source.is_captured and (request.data is None or isinstance(request.data, str | Path)):
        return _land_captures(lake, request)
    return land_rows(lake, request)


def _land_captures(lake: Lake, request: Request) -> Landed:
    fields = Fields(request.entity, request.source)
    folder = capture_folder(fields, request.root) if request.data is None else inside(str(request.data), request.root)
    if not folder.is_relative_to(request.root):
        raise PathLeavesProject(path=str(request.data), root=str(request.root))
    looked = captures_below(folder)
    rows = register(lake, fields, request.root, looked.captures, dry_run=request.dry_run)
    if request.data is not None:
        _refuse_unusable(looked, rows, path=str(request.data))
    found = {row.path: each for row, each in zip(rows, looked.captures, strict=True)}
    pending = sorted((row for row in rows if row.is_accepted and row.ingest_run_id is None), key=ledger.in_time)
    _refuse_backdated(lake, request, pending)
    parts = list(_parts(request, pending, found))
    landed = [land_rows(lake, part) for part in parts]
    faults.point("captures:after-land")
    said = [*_passed_over(rows), *(f"{path}: {why}" for path, why in looked.damaged.items()), *_unheeded(parts, landed)]
    if not request.dry_run:
        settled = settle(lake, fields, request.root)
        said += [f"{row.path}: {row.reason}" for row in settled if row.reason and row.reason.endswith(SNAPSHOT_COUNTS)]
    return _total(request, landed, said=tuple(said))


def _refuse_unusable(looked: Looked, rows: Sequence[CaptureRow], *, path: str) -> None:
    """A capture that somebody names must be one that can be used."""
    for damaged, problem in looked.damaged.items():
        raise CaptureDamaged(path=damaged, problem=problem)
    if not rows:
        raise CaptureDamaged(path=path, problem="there is none")
    for row in rows:
        if row.status == CaptureStatus.INCOMPLETE:
            raise CaptureIncomplete(path=row.path, reason=row.reason)
        if row.status == CaptureStatus.FAILED:
            raise CaptureDamaged(path=row.path, problem=row.reason)


def _refuse_backdated(lake: Lake, request: Request, pending: Sequence[CaptureRow]) -> None:
    """With `late: forward_only`, a capture at or before the newest of its source and scope is set aside and refuses the call (R9)."""
    if not pending or request.entity.history.late is not Late.FORWARD_ONLY:
        return
    noted = ledger.rows_of(lake, request.entity.name, request.source.name)
    landed = [row for row in noted if row.ingest_run_id is not None and row.capture_mode not in OWN_DATES]
    dated = [row for row in pending if row.capture_mode not in OWN_DATES]
    late = [(row, held) for row in dated if (held := _newest(row, landed)) is not None and row.effective_ts <= held.effective_ts]
    if not late:
        return
    told = [f"the capture {row.path} is for {_shown(row)}, and one for {_shown(held)} is held" for row, held in late]
    if not request.dry_run:
        now = clock.now()
        late_rows = [
            replace(row, status=CaptureStatus.QUARANTINED, reason=why, settled_at=now) for (row, _), why in zip(late, told, strict=True)
        ]
        with lake.lock(request.name):
            ledger.settle(lake, late_rows)
    raise Backdated(entity=request.entity.name, source=request.source.name, examples="; ".join(told[:_EXAMPLES]))


def _newest(row: CaptureRow, landed: Sequence[CaptureRow]) -> CaptureRow | None:
    return max((each for each in landed if set(each.scope) & set(row.scope)), key=ledger.in_time, default=None)


def _shown(row: CaptureRow) -> str:
    return row.effective_ts.isoformat()


def _parts(request: Request, pending: Sequence[CaptureRow], found: dict[str, Found]) -> Iterator[Request]:
    """One landing for each run of captures of one mode, in order."""
    for mode, group in groupby(pending, key=lambda row: row.capture_mode):
        files = tuple(_file(found[row.path], row, request) for row in group)
        entity = _patient(request.entity) if Mode(mode) is Mode.DELISTINGS else request.entity
        yield replace(request, entity=entity, source=source_of(request.source, Mode(mode)), data=Captures(files))


def _patient(entity: Entity) -> Entity:
    """Where only what goes forward may land, a delisting that does not waits for a person: it must not keep other captures out (R9)."""
    late = Late.QUARANTINE if entity.history.late is Late.FORWARD_ONLY else entity.history.late
    return replace(entity, history=replace(entity.history, late=late))


def _file(found: Found, row: CaptureRow, request: Request) -> InputFile:
    manifest = found.manifest
    file = InputFile(
        found.records, row.records_path, found.records.stat().st_size, row.path, manifest.effective,
        scope=manifest.scope_given, doubt=manifest.reason if found.is_v1 else None,
        heard=None if request.receipt_given else manifest.captured_at, wrapped=found.is_v1,
    )  # fmt: skip
    known = file.with_digest()
    if not found.is_v1 and known.sha256 != manifest.records_file_sha256:
        raise CaptureDamaged(path=row.path, problem="its records have changed since it was captured")
    return known


def _passed_over(rows: Sequence[CaptureRow]) -> Iterator[str]:
    told = {
        CaptureStatus.INCOMPLETE: "not complete, kept and not used",
        CaptureStatus.FAILED: "cannot be used",
        CaptureStatus.QUARANTINED: "set aside",
    }
    for status, words in told.items():
        count = sum(1 for row in rows if row.status == status and row.ingest_run_id is None)
        if count:
            yield f"{count} capture{'s' if count > 1 else ''} {words}; 'muniment captures' says why"


def _unheeded(parts: Sequence[Request], landed: Sequence[Landed]) -> Iterator[str]:
    count = sum(each.ignored for part, each in zip(parts, landed, strict=True) if part.source.op == DELISTING_OPS)
    if count:
        yield f"{count} delistings are of scopes that this source has no authority over, or left out by 'exclude'; they are kept in the capture"


def _total(request: Request, landed: Sequence[Landed], *, said: tuple[str, ...]) -> Landed:
    """All landings of one call as one."""
    reasons: dict[str, int] = {}
    for each in landed:
        for reason, count in each.reasons.items():
            reasons[reason] = reasons.get(reason, 0) + count
    return Landed(
        run_id=landed[-1].run_id if landed else clock.new_id(),
        entity=request.entity.name,
        source=request.source.name,
        **{name: sum(getattr(each, name) for each in landed) for name in ("received", "landed", "quarantined", "ignored", "skipped")},
        held=any(each.held for each in landed),
        reasons=reasons,
        messages=(*(message for each in landed for message in each.messages), *said),
        dry_run=request.dry_run,
        marked=tuple(check for each in landed for check in each.marked),
    )
