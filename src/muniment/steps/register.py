"""Noting captures in `ops.capture`: what each is when it is first seen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from muniment import clock
from muniment.captures.folder import file_sha256
from muniment.captures.found import Found, in_time, is_intact
from muniment.captures.manifest import FILE, JSONL, PARQUET
from muniment.captures.pages import Mode
from muniment.gate.fields import Fields
from muniment.lake.tables import Lake
from muniment.ledger import captures as ledger
from muniment.ledger.captures import CaptureRow, CaptureStatus
from muniment.ledger.digest import digest_of


def register(lake: Lake, fields: Fields, root: Path, found: Sequence[Found], *, dry_run: bool = False) -> list[CaptureRow]:
    """The rows of these captures; those that nobody has noted yet are judged in their own order and noted."""
    with lake.lock(f"capture {fields.entity.name} {fields.source.name}"):
        if not dry_run:
            ledger.ensure(lake)
        known = {row.path: row for row in ledger.rows_of(lake, fields.entity.name, fields.source.name)}
        fresh: list[CaptureRow] = []
        for each in sorted(found, key=in_time):
            path = place_of(each, root)
            if path not in known:
                known[path] = _judged(_row(each, fields, root), each, list(known.values()))
                fresh.append(known[path])
        ledger.note(lake, () if dry_run else fresh)
    return [known[place_of(each, root)] for each in found]


def place_of(found: Found, root: Path) -> str:
    """What a capture is known by: its folder; an envelope of the first format shares one with others, and goes by its file."""
    return (found.records if found.is_v1 else found.folder).relative_to(root).as_posix()


def _row(found: Found, fields: Fields, root: Path) -> CaptureRow:
    manifest, path = found.manifest, place_of(found, root)
    proof = found.folder / FILE
    return CaptureRow(
        capture_id=digest_of([fields.entity.name, fields.source.name, path]),
        entity=fields.entity.name,
        source=fields.source.name,
        path=path,
        records_path=found.records.relative_to(root).as_posix(),
        status=CaptureStatus.PENDING,
        reason=manifest.reason,
        capture_mode=manifest.mode.value,
        complete=manifest.complete,
        captured_at=manifest.captured_at,
        effective_ts=manifest.effective,
        scope=tuple(manifest.scope) or (() if fields.source.scope else ("[]",)),
        record_count=manifest.record_count,
        expected_record_count=manifest.expected_record_count,
        content_sha256=manifest.records_content_sha256 or None,
        file_sha256=manifest.records_file_sha256 or (file_sha256(found.records) if found.is_v1 else None),
        manifest_sha256=hashlib.sha256(proof.read_bytes()).hexdigest() if proof.is_file() else None,
        registered_at=clock.now(),
        settled_at=clock.now(),
    )


def _judged(row: CaptureRow, found: Found, known: Sequence[CaptureRow]) -> CaptureRow:
    """Whether it can be used at all, and whether it says what the accepted capture before it said."""
    problem = _problem(found)
    if problem is not None:
        return replace(row, status=CaptureStatus.FAILED, reason=problem)
    if not row.complete:
        return replace(row, status=CaptureStatus.INCOMPLETE)
    before = previous_of(row, known)
    if (
        before is not None
        and row.content_sha256 is not None
        and (before.content_sha256, before.capture_mode) == (row.content_sha256, row.capture_mode)
    ):
        said = f"the same content as {before.path}; it was seen again, and changes nothing"
        return replace(row, status=CaptureStatus.DUPLICATE, duplicate_of=before.path, reason=said)
    return row


def _problem(found: Found) -> str | None:
    if found.problem is None and found.manifest.record_format not in (JSONL, PARQUET):
        return f"its records are {found.manifest.record_format}, which nobody can read"
    if found.problem is None and not is_intact(found):
        return "its records are not those that its manifest speaks of"
    return found.problem


def previous_of(row: CaptureRow, known: Sequence[CaptureRow]) -> CaptureRow | None:
    """The accepted capture before one, of its source and scope, whatever its mode: only then is the same content the same state.

    Lists of delistings stand beside the others: each has the list before it.
    """
    lists = row.capture_mode == Mode.DELISTINGS
    alike = [each for each in known if each.is_accepted and (each.capture_mode == Mode.DELISTINGS) is lists]
    shared = [each for each in alike if set(each.scope) & set(row.scope) and ledger.in_time(each) < ledger.in_time(row)]
    newest = max(shared, key=ledger.in_time, default=None)
    return newest if newest is not None and set(newest.scope) == set(row.scope) else None
