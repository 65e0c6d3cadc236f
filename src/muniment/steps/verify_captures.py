"""Captures as they lie on disk against what was noted of them: nothing changed, nothing missing (R27)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from muniment.captures.folder import file_sha256
from muniment.captures.manifest import FILE
from muniment.lake.tables import Lake
from muniment.ledger import captures as ledger
from muniment.ledger import known
from muniment.ledger.captures import CaptureRow, CaptureStatus
from muniment.ledger.runs import TABLE as RUNS
from muniment.model.entity import Entity
from muniment.quality.problems import Problem

CHECK = "captures"


def verify_captures(lake: Lake, entity: Entity, root: Path) -> Iterator[Problem]:
    """Every capture of an entity that is not whole any more; one that never was is noted as failed, and is no news."""
    for source in (each for each in entity.sources if each.is_captured):
        rows = [row for row in ledger.rows_of(lake, entity.name, source.name) if row.status != CaptureStatus.FAILED]
        places = [row.records_path for row in rows]
        landed = known.digests_at(lake, entity.name, source.name, places=places) if places and lake.table(RUNS).exists() else {}
        for row in rows:
            yield from (Problem(CHECK, row.path, detail) for detail in _details(row, root, landed.get(row.records_path, set())))


def _details(row: CaptureRow, root: Path, landed: set[str]) -> Iterator[str]:
    """What is wrong with one; the record of runs is sealed, so its digest of what was landed goes before that of the note."""
    if not (root / row.path).exists():
        yield "it is not there any more"
        return
    records, manifest = root / row.records_path, root / row.path / FILE
    if not records.is_file():
        yield f"its records {records.name} are not there any more"
    elif file_sha256(records) not in (landed or {str(row.file_sha256)}):
        yield f"its records {records.name} are not those that were captured"
    if row.manifest_sha256 is not None and not manifest.is_file():
        yield f"its {FILE} is not there any more"
    elif row.manifest_sha256 is not None and file_sha256(manifest) != row.manifest_sha256:
        yield f"its {FILE} was changed"
