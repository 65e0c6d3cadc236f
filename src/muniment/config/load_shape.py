"""The shape of a load's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Discriminator, Field, Tag

from muniment.config.check_shape import CheckForm
from muniment.config.entity_shape import ColumnName, Duration, KeyPartForm, TypeName
from muniment.config.names import check_prefix
from muniment.config.shape import Name, Shape
from muniment.config.source_shape import ReadShape
from muniment.model.load import Drift, Operation, Strategy, Window
from muniment.model.source import Absence


class LoadColumnShape(Shape):
    """A column in its long form."""

    type: TypeName = Field(description="Its type", examples=["string"])
    source: str | None = Field(None, alias="from", min_length=1, description="Its name in the slice", examples=["Order No"])
    expression: str | None = Field(None, description="What it is calculated from, in Spark SQL", examples=["qty * price"])


def _long_or_short(value: Any) -> str:
    return "long form" if isinstance(value, Mapping) else "short form"


LoadColumnForm = Annotated[
    Annotated[TypeName, Tag("short form")] | Annotated[LoadColumnShape, Tag("long form")],
    Discriminator(_long_or_short),
]


class WatermarkShape(Shape):
    """A column that grows from slice to slice."""

    column: str = Field(min_length=1, description="The column", examples=["modified_at"])
    lag: Duration | None = Field(None, description="How far before the last value the source is read again", examples=["1 hour"])
    operation: Annotated[Operation, Field(strict=False)] = Field(Operation.AND, description="How it goes together with those before it")


class LoadShape(Shape):
    """A file that describes a load"""

    stand_ins: ClassVar[Mapping[str, object]] = {"load": "load", "strategy": "merge", "key": {}}

    load: Name = Field(description="The load's name; its table is silver.NAME", examples=["orders"])
    strategy: Annotated[Strategy, Field(strict=False)] = Field(description="How slices become a table", examples=["merge"])
    read: ReadShape | None = Field(
        None, description="Where slices are; left out: given with the call", examples=[{"format": "parquet", "path": "slices/orders"}]
    )
    key: dict[ColumnName, KeyPartForm] = Field(description="What identifies a row: column and type", examples=[{"order_id": "long"}])
    columns: dict[ColumnName, LoadColumnForm] = Field(
        {}, description="Types, other names, calculated columns; what is left out is taken as it comes", examples=[{"total": "double"}]
    )
    transform: dict[str, str] = Field({}, description="Columns of the slice, changed first", examples=[{"status": "upper(status)"}])
    deleted: str | None = Field(None, description="A condition: the row says that its key is gone", examples=["op = 'D'"])
    partition: list[str] = Field([], description="Columns that part the table", examples=[["year"]])
    watermark: list[WatermarkShape] = Field([], description="How far the source was read", examples=[[{"column": "modified_at"}]])
    absence: Annotated[Absence, Field(strict=False)] = Field(
        Absence.KEPT, description="What it means that a slice lacks a key inside the watermark's window"
    )
    window: Annotated[Window, Field(strict=False)] = Field(
        Window.OPEN_START, description="open_start: the source is read with 'greater than'; closed: with 'at least'"
    )
    max_deleted: float = Field(
        0.5, ge=0, le=1, allow_inf_nan=False, description="Largest share of the window that absence may delete", examples=[0.5]
    )
    drift: Annotated[Drift, Field(strict=False)] = Field(Drift.EVOLVE, description="What other columns than the table's do")
    checks: list[CheckForm] = Field([], description="Checks on rows before they enter", examples=[[{"not_null": "status"}]])
    prefix: Annotated[str, AfterValidator(check_prefix)] = Field("", description="Before the names of system columns", examples=["m_"])
