"""The shape of a dimension's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Discriminator, Field, Tag

from muniment.config.check_shape import CheckForm
from muniment.config.entity_shape import ColumnName, KeyPartForm, TypeName
from muniment.config.shape import Name, Shape
from muniment.config.source_shape import ColumnTimeShape, OpShape
from muniment.model.dimension import TYPES, OnChange, OpenEnd, Unmatched
from muniment.model.source import Absence


def check_scd(number: int) -> int:
    """One of the types that there are."""
    if number not in TYPES:
        raise ValueError(f"there is no type {number}; write 0, 1, 2, 3, 4 or 6")
    return number


class ScdColumnShape(Shape):
    """A column in its long form."""

    type: TypeName = Field(description="Its type", examples=["string"])
    scd: Annotated[int, AfterValidator(check_scd), Field(json_schema_extra={"enum": list(TYPES)})] = Field(
        2, description="How it ages: 0 never, 1 overwritten, 2 versions, 3 keeps the value before, 4 past values apart, 6 all of 1, 2 and 3"
    )
    on_change: Annotated[OnChange, Field(strict=False)] = Field(
        OnChange.KEEP, description="scd 0: what happens to a row that would change it"
    )


def _long_or_short(value: Any) -> str:
    return "long form" if isinstance(value, Mapping) else "short form"


ScdColumnForm = Annotated[
    Annotated[TypeName, Tag("short form")] | Annotated[ScdColumnShape, Tag("long form")],
    Discriminator(_long_or_short),
]
TimeForm = Annotated[
    Annotated[str, Tag("short form")] | Annotated[ColumnTimeShape, Tag("long form")],
    Discriminator(_long_or_short),
]


class DimensionShape(Shape):
    """A file that describes a dimension"""

    stand_ins: ClassVar[Mapping[str, object]] = {"dimension": "dimension", "key": {}}

    dimension: Name = Field(description="The dimension's name; its tables are called after it", examples=["dim_player"])
    believes: str | None = Field(None, alias="from", description="The entity whose belief it shows; left out: rows are given to apply")
    key: dict[ColumnName, KeyPartForm] = Field(description="What identifies a member: column and type", examples=[{"player_id": "string"}])
    surrogate: ColumnName | None = Field(None, description="The column of surrogate keys; left out: NAME_key", examples=["player_key"])
    event_time: TimeForm | None = Field(
        None, description="The time from which a row holds; left out: the time of the apply", examples=["changed_at"]
    )
    op: OpShape | None = Field(None, description="Which codes mean insert, update, delete", examples=[{"column": "op", "delete": ["d"]}])
    columns: dict[ColumnName, ScdColumnForm] = Field(
        {}, description="What is said of a member: column, type and how it ages", examples=[{"tier": {"type": "string", "scd": 2}}]
    )
    absence: Annotated[Absence, Field(strict=False)] = Field(Absence.KEPT, description="What it means that the rows given lack a key")
    open_end: Annotated[OpenEnd, Field(strict=False)] = Field(
        OpenEnd.SENTINEL, description="The end of an open version: 9999-12-31 23:59:59, or none"
    )
    unmatched: Annotated[Unmatched, Field(strict=False)] = Field(
        Unmatched.UNKNOWN, description="What a fact gets whose key is not known: -1, or a member that is completed later"
    )
    checks: list[CheckForm] = Field([], description="Checks on rows", examples=[[{"not_null": "tier"}]])
