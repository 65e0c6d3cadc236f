"""Maintenance: fewer files, better order, no leftovers; no row changes, and the new files are sealed like the old ones (R27)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from muniment import clock
from muniment.lake.maintenance import LEAST_RETENTION, compact, vacuum
from muniment.lake.tables import Lake, Table
from muniment.ledger.runs import FileRecord, Run, ensure, record
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import audit_name, dimension_name, past_name, removed_name
from muniment.model.entity import Entity
from muniment.model.tables import belief_name, history_name, load_name, log_name
from muniment.steps.results import Maintained


def maintain(
    lake: Lake, entity: Entity, *, many: int = 200, clean: bool = False, retention: timedelta = LEAST_RETENTION
) -> list[Maintained]:
    """Look after the tables of one entity."""
    names = (log_name(entity), load_name(entity), history_name(entity), belief_name(entity))
    return _look_after(lake, entity, names, many=many, clean=retention if clean else None)


def maintain_dimension(
    lake: Lake, dimension: Dimension, *, many: int = 200, clean: bool = False, retention: timedelta = LEAST_RETENTION
) -> list[Maintained]:
    """Look after the tables of one dimension; while it lasts, nothing is applied."""
    entity = dimension.spoken_of
    gold = (each(dimension) for each in (dimension_name, past_name, audit_name, removed_name))
    return _look_after(lake, entity, (log_name(entity), load_name(entity), *gold), many=many, clean=retention if clean else None)


def _look_after(lake: Lake, entity: Entity, names: Sequence[str], *, many: int, clean: timedelta | None) -> list[Maintained]:
    with lake.lock(f"maintain {entity.name}"):
        ensure(lake)
        tables = [lake.table(name) for name in names]
        return [_maintain(lake, entity, table, many=many, clean=clean) for table in tables if table.exists()]


def _maintain(lake: Lake, entity: Entity, table: Table, *, many: int, clean: timedelta | None) -> Maintained:
    started = clock.now()
    before = table.files()
    done = compact(table, many=many, order="sk" if table.name.startswith("gold.") else None)
    after = table.files()
    if not done.skipped:
        _seal(lake, entity, table, started=started, fresh=[file.path for file in after if file not in before])
    removed = vacuum(table, retention=clean, dry_run=False).files if clean is not None else 0
    note = f"{done.small_files} small files, fewer than {many}: left as they are" if done.skipped else ""
    return Maintained(table.name, len(before), len(after), removed, note)


def _seal(lake: Lake, entity: Entity, table: Table, *, started: datetime, fresh: list[str]) -> None:
    """Keep the digests of the files that took the place of others; only the log's are part of the chain."""
    if table.name != log_name(entity):
        return
    sizes = {file.path: file.size or 0 for file in table.files()}
    files = tuple(FileRecord(path, sizes[path], digest) for path, digest in table.digests(fresh).items())
    finished = clock.now()
    seconds = (finished - started).total_seconds()
    counts = {"files_written": len(files)}
    run = Run(
        clock.new_id(), "maintain", entity.name, started_at=started, finished_at=finished, seconds=seconds, counts=counts, data_files=files
    )
    record(lake, run)
