"""Maintenance: fewer files, better order, no leftovers; no row changes, and the new files are sealed like the old ones (R27)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from muniment import clock
from muniment.lake.maintenance import LEAST_RETENTION, MANY, compact, vacuum
from muniment.lake.tables import Lake, Table
from muniment.ledger.runs import FileRecord, Run, ensure, record
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import audit_name, dimension_name, past_name, removed_name
from muniment.model.entity import Entity
from muniment.model.load import Load
from muniment.model.tables import belief_name, history_name, load_name, log_name
from muniment.steps.results import Maintained


@dataclass(frozen=True, slots=True)
class _Tended:
    """What is looked after: its name, its tables, and the one whose files are part of the hash chain."""

    name: str
    tables: tuple[str, ...]
    log: str | None = None


def maintain(
    lake: Lake, entity: Entity, *, many: int = MANY, clean: bool = False, retention: timedelta = LEAST_RETENTION
) -> list[Maintained]:
    """Look after the tables of one entity."""
    names = (log_name(entity), load_name(entity), history_name(entity), belief_name(entity))
    return _look_after(lake, _Tended(entity.name, names, log_name(entity)), many=many, clean=retention if clean else None)


def maintain_load(
    lake: Lake, load: Load, *, many: int = MANY, clean: bool = False, retention: timedelta = LEAST_RETENTION
) -> list[Maintained]:
    """Look after the table of one load; while it lasts, no other process loads."""
    return _look_after(lake, _Tended(load.name, (load.table,)), many=many, clean=retention if clean else None)


def maintain_dimension(
    lake: Lake, dimension: Dimension, *, many: int = MANY, clean: bool = False, retention: timedelta = LEAST_RETENTION
) -> list[Maintained]:
    """Look after the tables of one dimension; while it lasts, nothing is applied."""
    entity = dimension.spoken_of
    gold = (each(dimension) for each in (dimension_name, past_name, audit_name, removed_name))
    tended = _Tended(entity.name, (log_name(entity), load_name(entity), *gold), log_name(entity))
    return _look_after(lake, tended, many=many, clean=retention if clean else None)


def _look_after(lake: Lake, tended: _Tended, *, many: int, clean: timedelta | None) -> list[Maintained]:
    with lake.lock(f"maintain {tended.name}"):
        ensure(lake)
        tables = [lake.table(name) for name in tended.tables]
        return [_maintain(lake, tended, table, many=many, clean=clean) for table in tables if table.exists()]


def _maintain(lake: Lake, tended: _Tended, table: Table, *, many: int, clean: timedelta | None) -> Maintained:
    started = clock.now()
    before = table.files()
    done = compact(table, many=many, order="sk" if table.name.startswith("gold.") else None)
    after = table.files()
    if not done.skipped:
        _seal(lake, tended, table, started=started, fresh=[file.path for file in after if file not in before])
    removed = vacuum(table, retention=clean, dry_run=False).files if clean is not None else 0
    note = f"{done.small_files} small files, fewer than {many}: left as they are" if done.skipped else ""
    return Maintained(table.name, len(before), len(after), removed, note)


def _seal(lake: Lake, tended: _Tended, table: Table, *, started: datetime, fresh: list[str]) -> None:
    """Keep the digests of the files that took the place of others; only the log's are part of the chain."""
    if table.name != tended.log:
        return
    sizes = {file.path: file.size or 0 for file in table.files()}
    files = tuple(FileRecord(path, sizes[path], digest) for path, digest in table.digests(fresh).items())
    finished = clock.now()
    seconds = (finished - started).total_seconds()
    counts = {"files_written": len(files)}
    run = Run(
        clock.new_id(), "maintain", tended.name, started_at=started, finished_at=finished, seconds=seconds, counts=counts, data_files=files
    )
    record(lake, run)
