"""Lists of delistings beside snapshots: each against the newest snapshot at or before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.arrival.captured import read_captures
from muniment.arrival.files import InputFile
from muniment.captures.delistings import LIST, delistings_of
from muniment.captures.modes import source_of
from muniment.captures.pages import Mode
from muniment.gate.examine import Receipt, examine
from muniment.gate.fields import Fields
from muniment.gate.verdict import REASON, judge
from muniment.lake.tables import Lake
from muniment.ledger import captures as ledger
from muniment.ledger.captures import CaptureRow
from muniment.model.source import Read
from muniment.model.tables import log_name


@dataclass(frozen=True, slots=True)
class Known:
    """The captures of a source that are noted, and the project they are in."""

    root: Path
    rows: Sequence[CaptureRow]


def shown_by_lists(lake: Lake, fields: Fields, lists: Sequence[CaptureRow], around: Known) -> list[DataFrame]:
    """What lists of delistings show, in one frame; none where there is no list."""
    read = fields.source.read
    if not lists or not isinstance(read, Read):
        return []
    source = source_of(fields.source, Mode.DELISTINGS)
    files = [
        InputFile(around.root / row.records_path, row.records_path, 0, row.path, row.effective_ts, heard=row.captured_at) for row in lists
    ]
    groups = read_captures(lake.spark, files, read, fields=Fields(fields.entity, source))
    receipt = Receipt("", clock.now())
    judged = (
        judge(examine(rows, entity=fields.entity, source=source, receipt=receipt), entity=fields.entity, source=source) for rows in groups
    )
    good = reduce(DataFrame.unionByName, judged).where(F.col(REASON).isNull())
    beside = [(row, _beside(row, around.rows)) for row in lists]
    named = [(row.records_path, row.capture_id, row.path, near and near.path, near and near.records_path) for row, near in beside]
    log = lake.table(log_name(fields.entity)).read().where(F.col("source_system") == fields.source.name)
    mine = log.join(good.select("sk").distinct(), "sk", "left_semi")
    return [delistings_of(good, mine, lake.spark.createDataFrame(named, LIST), entity=fields.entity)]


def _beside(row: CaptureRow, snapshots: Sequence[CaptureRow]) -> CaptureRow | None:
    """The newest accepted snapshot of its scope at or before a list."""
    near = [each for each in snapshots if each.is_accepted and set(each.scope) & set(row.scope) and each.effective_ts <= row.effective_ts]
    return max((each for each in near if each.ingest_run_id is not None), key=ledger.in_time, default=None)
