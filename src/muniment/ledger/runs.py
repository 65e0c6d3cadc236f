"""The record of every run: one row in `ops.run`, sealed by the digest in that row's own commit (R27)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from muniment import __version__, clock
from muniment.columns import OPS, RUN
from muniment.lake.commits import Commit
from muniment.lake.location import quote
from muniment.lake.tables import Lake, Table
from muniment.ledger.digest import digest_of

TABLE = "ops.run"
_SEALS = "seals"
_MOMENTS = {col.name for col in RUN if col.type == "timestamp"}
_SAID = ", ".join(f"{quote(col.name)} {'bigint' if col.name in _MOMENTS else col.type}" for col in RUN)
_COLUMNS = ", ".join(
    f"timestamp_micros(r.{quote(col.name)}) AS {quote(col.name)}" if col.name in _MOMENTS else f"r.{quote(col.name)}" for col in RUN
)
_LOOKED_FOR = 12  # of the columns, up to `content`: nobody looks for a run by what comes after, so no commit gathers statistics of it
_KEPT = {"delta.enableExpiredLogCleanup": "false"}
_INDEXED = {"delta.dataSkippingNumIndexedCols": str(_LOOKED_FOR)}


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file by its place and content."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Run:
    """What one step did; the columns of `ops.run`."""

    run_id: str
    step: str
    entity: str | None = None
    source: str | None = None
    status: str = "done"
    started_at: datetime | None = None
    finished_at: datetime | None = None
    seconds: float = 0.0
    received_at: datetime | None = None
    as_of: datetime | None = None
    batch_id: str | None = None
    content: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    files: Sequence[FileRecord] = ()
    headers: str | None = None
    reads: Mapping[str, int] = field(default_factory=dict)
    writes: Mapping[str, int] = field(default_factory=dict)
    data_files: Sequence[FileRecord] = ()
    digest: str | None = None
    link: str | None = None
    messages: Sequence[str] = ()
    software: str = __version__

    def seal(self) -> str:
        """A digest of the whole record."""
        return digest_of([json.dumps({name: plain(value) for name, value in asdict(self).items()}, sort_keys=True)])


def ensure(lake: Lake) -> None:
    """The tables that bookkeeping needs."""
    for name, columns in OPS.items():
        table = lake.table(f"ops.{name}")
        if not table.exists():
            table.create(columns, comment=f"Muniment: {name}", properties={**_KEPT, **(_INDEXED if table.name == TABLE else {})})


def record(lake: Lake, *runs: Run) -> None:
    """Append runs, in one commit where no other process can record one of them meanwhile; the same run again adds nothing."""
    for some in [runs] if lake.once(TABLE) is None else [(run,) for run in runs]:
        seals = {run.run_id: run.seal() for run in some}
        lake.table(TABLE).append(_rows(lake, some), txn=lake.once(f"run:{some[0].run_id}"), metadata={_SEALS: seals})


def seals_in(commit: Commit) -> Mapping[str, str]:
    """The runs that a commit of `ops.run` recorded, each with its seal."""
    said = commit.metadata or {}
    one = {str(said["run"]): str(said["seal"])} if "seal" in said else {}  # as it was written before a commit could record several
    return {**one, **said.get(_SEALS, {})}


def recorded(lake: Lake, condition: Column) -> list[Run]:
    """Runs as they stand in the table now."""
    table = lake.table(TABLE)
    return list(read(table, condition)) if table.exists() else []


def read(table: Table, condition: Column) -> Iterator[Run]:
    columns = [F.unix_micros(col.name).alias(col.name) if col.name in _MOMENTS else F.col(col.name) for col in RUN]
    for row in table.read().where(condition).select(*columns).collect():
        yield _run(row)


def plain(value: Any) -> Any:
    """A value as JSON has it; times as microseconds."""
    if isinstance(value, datetime):
        return clock.micros(value)
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _rows(lake: Lake, runs: Sequence[Run]) -> DataFrame:
    """Runs as rows that Spark has when it plans: what Python hands over otherwise takes a job with two tasks, longer than 2,000 rows take."""
    said = (json.dumps({name: plain(value) for name, value in asdict(run).items()}) for run in runs)
    texts = ", ".join(f"(CAST(X'{text.encode().hex()}' AS STRING))" for text in said)
    read = f"from_json(said, '{_SAID}', map('mode', 'FAILFAST'))"
    return lake.spark.sql(f"SELECT {_COLUMNS} FROM (SELECT {read} AS r FROM VALUES {texts} AS t(said))")  # noqa: S608 - hexadecimal digits


def _run(row: Row) -> Run:
    values = row.asDict()
    for name in _MOMENTS:
        values[name] = clock.from_micros(values[name])
    for name in ("files", "data_files"):
        values[name] = tuple(FileRecord(each["path"], each["size"], each["sha256"]) for each in values[name] or ())
    for name in ("counts", "reasons", "reads", "writes"):
        values[name] = values[name] or {}
    values["messages"] = tuple(values["messages"] or ())
    return Run(**values)
