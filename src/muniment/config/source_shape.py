"""The shape of a source inside an entity's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from muniment.config.capture_shape import HttpShape
from muniment.config.shape import Scalar, Shape
from muniment.config.times import check_file_pattern, check_start, check_time_of_day, check_zone
from muniment.model.source import Absence, Format, LoadType, NullMeans, OnShort, Truncate, Undeclared, Unit

Zone = Annotated[str, AfterValidator(check_zone)]
TimeOfDay = Annotated[str, AfterValidator(check_time_of_day)]
Column = Annotated[str, Field(min_length=1)]


class KafkaShape(Shape):
    """A topic of a connection."""

    use: str = Field(description="A connection of muniment.yml", examples=["core_kafka"])
    topic: str = Field(min_length=1, description="The topic", examples=["bank.public.customer"])
    start: Annotated[str, AfterValidator(check_start)] = Field(
        "earliest",
        description="Where the first run begins: earliest, latest, or a time; another time begins anew from there",
        examples=["latest"],
    )


class ReadShape(Shape):
    """Where rows are: exactly one of path, table, kafka, capture."""

    format: Annotated[Format, Field(strict=False)] = Field(description="How they are written", examples=["csv"])
    path: str | None = Field(None, description="A folder or file, from the project's folder", examples=["landing/crm"])
    table: str | None = Field(None, min_length=1, description="A table", examples=["raw.customer"])
    kafka: KafkaShape | None = Field(None, description="A topic", examples=[{"use": "core_kafka", "topic": "bank.public.customer"}])
    capture: str | None = Field(None, description="A folder of captures", examples=["captures/vendor_x"])
    http: HttpShape | None = Field(None, description="Where captures are fetched", examples=[{"url": "https://api.example.org/symbols"}])
    options: dict[str, Scalar] = Field({}, description="Options of Spark's reader", examples=[{"header": True}])

    def places(self) -> tuple[str, ...]:
        """The kinds of place that are written down."""
        return tuple(name for name in ("path", "table", "kafka", "capture") if getattr(self, name) is not None)


class ColumnTimeShape(Shape):
    """Event time from a column."""

    column: Column = Field(description="The column", examples=["updated_at"])
    format: str | None = Field(None, description="Spark's date pattern, for text", examples=["dd/MM/yyyy HH:mm"])
    zone: Zone = Field("UTC", description="The zone of times without an offset", examples=["Europe/London"])


class FileNameTimeShape(Shape):
    """Event time from the file's or folder's name."""

    file_name: Annotated[str, AfterValidator(check_file_pattern)] = Field(
        description="strptime codes, * for anything", examples=["crm_%Y%m%d*"]
    )
    time: TimeOfDay = Field("00:00", description="The time of day, when the name has only a day", examples=["18:00"])
    zone: Zone = Field("UTC", description="The zone of that time", examples=["Europe/London"])


class GivenTimeShape(Shape):
    """Event time is given with the call."""

    given: Literal["as_of"] = Field(description="The argument that gives it", examples=["as_of"])


def _form_of_time(value: Any) -> str:
    if isinstance(value, str):
        return "column name"
    if isinstance(value, Mapping) and "file_name" in value:
        return "by file name"
    return "as given" if isinstance(value, Mapping) and "given" in value else "by column"


EventTimeForm = Annotated[
    Annotated[Column, Tag("column name")]
    | Annotated[ColumnTimeShape, Tag("by column")]
    | Annotated[FileNameTimeShape, Tag("by file name")]
    | Annotated[GivenTimeShape, Tag("as given")],
    Discriminator(_form_of_time),
]


class OpShape(Shape):
    """Which codes in which column mean insert, update and delete."""

    column: Column = Field(description="The column", examples=["op"])
    insert: list[str] = Field([], description="Codes of an insert", examples=[["c", "r"]])
    update: list[str] = Field([], description="Codes of an update", examples=[["u"]])
    delete: list[str] = Field([], description="Codes of a delete", examples=[["d"]])


class CompleteShape(Shape):
    """What one load is, and when its absence counts."""

    unit: Annotated[Unit, Field(strict=False)] = Field(Unit.FILE, description="What one load is")
    marker: str | None = Field(None, min_length=1, description="A file that says the folder is complete", examples=["_SUCCESS"])
    min_fraction: float = Field(0.5, ge=0, le=1, allow_inf_nan=False, description="Smallest share of the last load's keys", examples=[0.5])
    allow_empty: bool = Field(False, description="An empty load counts")
    absences: int = Field(1, ge=1, description="How many loads in a row must lack a key", examples=[1])
    on_short: Annotated[OnShort, Field(strict=False)] = Field(OnShort.HOLD, description="What happens to the absence of a short load")
    min_records: int = Field(0, ge=0, description="Captures: a complete set has at least so many records", examples=[100])


class SourceShape(Shape):
    """One system that speaks about the entity."""

    read: ReadShape | None = Field(
        None, description="Where its rows are; left out: given with the call", examples=[{"format": "csv", "path": "landing/crm"}]
    )
    event_time: EventTimeForm | None = Field(
        None, description="The time a row speaks for; left out: time of receipt", examples=["updated_at"]
    )
    load: Annotated[LoadType, Field(strict=False)] | None = Field(
        None, description="full: whole rows, complete set; changes: whole rows that changed; partial: rows leave attributes out"
    )
    carries: list[str] | None = Field(
        None, description="What a whole row states; left out: what its file has", examples=[["name", "status"]]
    )
    absence: Annotated[Absence, Field(strict=False)] = Field(Absence.KEPT, description="What it means that a complete load lacks a key")
    complete: CompleteShape = Field(
        CompleteShape(), description="What one load is, and when its absence counts", examples=[{"unit": "folder", "marker": "_SUCCESS"}]
    )
    scope: list[str] = Field([], description="Absence counts only inside the values the load carries", examples=[["region"]])
    columns: dict[str, str] = Field({}, description="Name in the file: name here", examples=[{"cust_no": "customer_id"}])
    undeclared: Annotated[Undeclared, Field(strict=False)] = Field(Undeclared.KEEP, description="What happens to fields nobody declared")
    sequence: list[Column] = Field([], description="Columns that order rows inside one instant", examples=[["lsn"]])
    op: OpShape | None = Field(None, description="Which codes mean insert, update, delete", examples=[{"column": "op", "delete": ["d"]}])
    null_means: Annotated[NullMeans, Field(strict=False)] | None = Field(None, description="What a null in a row means")
    authority: list[Scalar] | None = Field(
        None, description="The values of its scope in which its absence counts; left out: all", examples=[["SZSE", "SSE"]]
    )
    exclude: str | None = Field(
        None, min_length=1, description="Rows that are left out on purpose, and counted as ignored", examples=["symbol LIKE 'TEST%'"]
    )
    until: Column | None = Field(
        None,
        description="Captures of a vendor's history or of delistings: the column with the time at which a record ends",
        examples=["delisted_at"],
    )
    stable_key: bool = Field(True, description="False: it cannot name its entities stably, so its rows are set aside (R18)")
    truncate: Annotated[Truncate, Field(strict=False)] = Field(Truncate.QUARANTINE, description="Debezium: what a truncate does")
