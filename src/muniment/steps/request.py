"""What a caller of `land` asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pyspark.sql import DataFrame

from muniment.arrival.files import InputFile
from muniment.gate.examine import Receipt
from muniment.ledger.runs import Run
from muniment.model.entity import Entity
from muniment.model.project import Alert
from muniment.model.source import Source

Scope = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Files:
    """Some of the files at a source's place, by name."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Captures:
    """Files of captures, with all that their manifests say."""

    files: tuple[InputFile, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """One call of `land`, with all names looked up and all times read."""

    entity: Entity
    source: Source
    root: Path
    received_at: datetime
    data: object = None
    as_of: datetime | None = None
    batch_id: str | None = None
    scope: Scope | None = None
    complete: bool | None = None
    dry_run: bool = False
    receipt_given: bool = False  # by the caller; else captures are known from the moment they were captured (R29)
    alerts: Sequence[Alert] = ()  # whom to tell when a check holds the run
    sift: Callable[[DataFrame, Receipt], DataFrame] | None = None  # takes judged rows away, or adds some, before they are counted
    is_news: Callable[[DataFrame], bool] | None = None  # whether judged rows are such that sifting would leave them as they are
    record: Callable[[Run], None] | None = None  # who records the run, where it is not recorded at once

    @property
    def name(self) -> str:
        return f"land {self.entity.name} {self.source.name}"
