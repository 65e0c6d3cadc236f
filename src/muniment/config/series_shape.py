"""The shape of a series' file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Discriminator, Field, Tag

from muniment.config.check_shape import (
    AcceptedShape,
    CheckShape,
    FreshShape,
    NotNullShape,
    PatternShape,
    RangesShape,
    SqlShape,
    UniqueShape,
)
from muniment.config.entity_shape import AttributeForm, ColumnName, KeyPartForm
from muniment.config.shape import Name, Scalar, Shape
from muniment.config.source_shape import OpShape
from muniment.model.series import Every
from muniment.model.source import Format


class Band(Shape):
    """How far the number of rows may be from what is usual."""

    within: Annotated[float, Field(strict=False)] = Field(ge=0, description="A share of the median", examples=[0.5])
    last: int = Field(7, ge=1, description="Of so many good partitions before it")


class RowsShape(CheckShape):
    """The number of rows is near that of the last good partitions."""

    rows: Band = Field(description="The moving band", examples=[{"within": 0.5, "last": 7}])


class NullShareShape(CheckShape):
    """At most a share of the rows has no value."""

    null_share: dict[str, Annotated[float, Field(strict=False, ge=0, le=1)]] = Field(
        min_length=1, description="Column and the largest share of nulls", examples=[{"balance": 0.05}]
    )


class ReferenceShape(Shape):
    """What a checksum is held against: one of both."""

    table: str | None = Field(None, description="A table by the name a person sees", examples=["silver.ledger_copy"])
    series: str | None = Field(None, description="The same partition of another series", examples=["ledger_shadow"])


class ChecksumShape(CheckShape):
    """The rows are those of a reference."""

    checksum: ReferenceShape = Field(description="The reference", examples=[{"series": "ledger_shadow"}])


SERIES_CHECKS = ("not_null", "accepted", "range", "pattern", "unique", "fresh", "sql", "rows", "null_share", "checksum")


def _kind_of_check(value: Any) -> str | None:
    return next((f"check {name}" for name in SERIES_CHECKS if name in value), None) if isinstance(value, Mapping) else None


SeriesCheckForm = Annotated[
    Annotated[NotNullShape, Tag("check not_null")]
    | Annotated[AcceptedShape, Tag("check accepted")]
    | Annotated[RangesShape, Tag("check range")]
    | Annotated[PatternShape, Tag("check pattern")]
    | Annotated[UniqueShape, Tag("check unique")]
    | Annotated[FreshShape, Tag("check fresh")]
    | Annotated[SqlShape, Tag("check sql")]
    | Annotated[RowsShape, Tag("check rows")]
    | Annotated[NullShareShape, Tag("check null_share")]
    | Annotated[ChecksumShape, Tag("check checksum")],
    Discriminator(
        _kind_of_check,
        custom_error_type="no_check_of_series",
        custom_error_message=f"this is no check of a series; write one of {', '.join(SERIES_CHECKS)}",
    ),
]


class SeriesReadShape(Shape):
    """How files of a series are read."""

    format: Annotated[Format, Field(strict=False)] = Field(description="What the files are", examples=["parquet"])
    options: dict[str, Scalar] = Field({}, description="Options of Spark's reader", examples=[{"header": True}])


class SeriesShape(Shape):
    """A file that describes a series"""

    stand_ins: ClassVar[Mapping[str, object]] = {"series": "series", "key": {}}

    series: Name = Field(description="The series' name; its tables are called after it", examples=["ledger"])
    key: dict[ColumnName, KeyPartForm] = Field(description="What identifies a row: column and type", examples=[{"account": "string"}])
    every: Annotated[Every, Field(strict=False)] = Field(Every.DAY, description="How long a partition is")
    order: list[str] = Field([], description="Columns that order the rows of one key inside a delta", examples=[["changed_at", "seq"]])
    columns: dict[ColumnName, AttributeForm] = Field(
        {}, description="The other columns and their types; left out: those of the first data", examples=[{"balance": "decimal(18,2)"}]
    )
    op: OpShape | None = Field(
        None, description="Which codes in which column of a delta mean a delete", examples=[{"column": "op", "delete": ["d"]}]
    )
    read: SeriesReadShape | None = Field(None, description="How files are read; left out: by their names", examples=[{"format": "csv"}])
    checks: list[SeriesCheckForm] = Field([], description="Checks on partitions", examples=[[{"rows": {"within": 0.5}, "on_fail": "mark"}]])
