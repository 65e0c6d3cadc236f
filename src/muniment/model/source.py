"""A source: where its rows come from, what a row of it means, and what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from muniment.model.info import Info


class Format(StrEnum):
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    DELTA = "delta"
    DEBEZIUM = "debezium"


class LoadType(StrEnum):
    """What a row, and a load, of a source is (R14)."""

    FULL = "full"  # whole rows, complete set
    CHANGES = "changes"  # whole rows, only those that changed
    PARTIAL = "partial"  # rows leave attributes out


class Absence(StrEnum):
    KEPT = "kept"
    DELETES = "deletes"


class Undeclared(StrEnum):
    KEEP = "keep"
    IGNORE = "ignore"
    QUARANTINE = "quarantine"


class NullMeans(StrEnum):
    VALUE = "value"
    ABSENT = "absent"


class Truncate(StrEnum):
    QUARANTINE = "quarantine"
    APPLY = "apply"


class Unit(StrEnum):
    """What one load is."""

    FILE = "file"
    FOLDER = "folder"
    CALL = "call"


class OnShort(StrEnum):
    HOLD = "hold"
    COUNT = "count"


ENDS = ("earliest", "latest")  # of a topic


@dataclass(frozen=True, slots=True)
class Kafka:
    use: str  # the name of a connection
    topic: str
    start: str = ENDS[0]  # or a time, to begin there on purpose


class PagesBy(StrEnum):
    """How an API is asked for the rest of its answer."""

    NONE = "none"
    PAGE = "page"
    OFFSET = "offset"
    CURSOR = "cursor"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Pages:
    by: PagesBy = PagesBy.NONE
    parameter: str | None = None  # of the request; default: the name of the way
    start: int | None = None  # default: 1 for pages, 0 for offsets
    size: int | None = None
    size_parameter: str | None = None
    next: str | None = None  # where the answer has the next cursor


@dataclass(frozen=True, slots=True)
class Http:
    """A JSON API and how to read all of its answer; paths such as `data.items` lead to a part of the answer."""

    url: str
    use: str | None = None  # a connection, whose settings are headers
    params: Mapping[str, str] = field(default_factory=dict)
    records: str = ""
    total: str | None = None
    as_of: str | None = None
    pages: Pages = field(default_factory=Pages)
    timeout: float = 30.0  # seconds for one answer
    attempts: int = 5
    wait: float = 0.5  # seconds before the second attempt, doubled for each one after it
    max_wait: float = 120.0
    max_mb: float = 256.0
    max_pages: int = 10_000


@dataclass(frozen=True, slots=True)
class Read:
    """Where rows are: exactly one of path, table, kafka, capture."""

    format: Format
    path: str | None = None  # relative paths start at the project's folder
    table: str | None = None
    kafka: Kafka | None = None
    capture: str | None = None  # the folder of a source's captures
    http: Http | None = None  # where captures are fetched
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ColumnTime:
    """Event time from a column of the row; text without an offset is in `zone`."""

    column: str
    format: str | None = None
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class FileNameTime:
    """Event time from the file's (or the load folder's) name: strptime codes, `*` for anything; `time` when the name has only a day."""

    pattern: str
    time: str = "00:00"
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class GivenTime:
    """Event time is the `as_of` given with the call."""


@dataclass(frozen=True, slots=True)
class CaptureTime:
    """Event time is the instant that the capture speaks for: the vendor's, else that of the capture."""


EventTime = ColumnTime | FileNameTime | GivenTime | CaptureTime


@dataclass(frozen=True, slots=True)
class Ops:
    """Which codes in which column mean insert, update and delete."""

    column: str
    insert: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Complete:
    """What one load is, and when its absence counts (R17)."""

    unit: Unit = Unit.FILE
    marker: str | None = None
    min_fraction: float = 0.5
    allow_empty: bool = False
    absences: int = 1
    on_short: OnShort = OnShort.HOLD
    min_records: int = 0  # captures: a complete set has at least so many


@dataclass(frozen=True, slots=True)
class Source:
    """One system that speaks about an entity."""

    name: str
    read: Read | None = None
    event_time: EventTime | None = None  # None: platform time (R10)
    load: LoadType | None = None  # None: not declared, treated as partial (R14)
    carries: tuple[str, ...] | None = None
    absence: Absence = Absence.KEPT
    complete: Complete = field(default_factory=Complete)
    scope: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)  # name in the file → name here
    undeclared: Undeclared = Undeclared.KEEP
    sequence: tuple[str, ...] = ()
    op: Ops | None = None
    null_means: NullMeans | None = None
    truncate: Truncate = Truncate.QUARANTINE
    authority: tuple[str, ...] | None = None  # the scopes in which its absence counts; None: all
    exclude: str | None = None  # a predicate: rows that are left out on purpose
    until: str | None = None  # captures of a vendor's history or of delistings: the column with the time at which a record ends
    lacks_key: bool = False  # `stable_key: false`: it cannot name its entities stably (R18)
    info: Info = field(default_factory=Info)

    @property
    def is_debezium(self) -> bool:
        return self.read is not None and self.read.format is Format.DEBEZIUM

    @property
    def is_captured(self) -> bool:
        """Its rows come from captures."""
        return self.read is not None and self.read.capture is not None

    @property
    def is_whole(self) -> bool:
        """Its rows state everything they carry; an undeclared load type is treated as partial (R14)."""
        return self.load in (LoadType.FULL, LoadType.CHANGES)

    @property
    def is_complete_set(self) -> bool:
        """Its loads get a header (R17)."""
        return self.load is LoadType.FULL

    @property
    def truncates(self) -> bool:
        """A truncate of it says *gone* of every key it has named, as a complete load without a row would (R17)."""
        return self.is_debezium and self.truncate is Truncate.APPLY

    @property
    def says_deletes(self) -> bool:
        """One can tell a deletion from an omission (R18)."""
        return self.is_debezium or self.absence is Absence.DELETES or bool(self.op and self.op.delete)
