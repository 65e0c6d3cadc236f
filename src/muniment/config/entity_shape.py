"""The shape of an entity's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Discriminator, Field, Tag

from muniment.config.check_shape import CheckForm
from muniment.config.names import check_column_name
from muniment.config.shape import Name, Shape
from muniment.config.source_shape import SourceShape
from muniment.config.times import check_duration
from muniment.model.belief import Nulls, RuleName
from muniment.model.entity import Completion, Deletes, Kind, Late
from muniment.model.types import canonical, key_type

ColumnName = Annotated[str, AfterValidator(check_column_name)]
KeyType = Annotated[str, AfterValidator(key_type)]
TypeName = Annotated[str, AfterValidator(canonical)]
Duration = Annotated[str, AfterValidator(check_duration)]


class KeyPartShape(Shape):
    """A key part in its long form."""

    type: KeyType = Field(description="Its type", examples=["string"])


class AttributeShape(Shape):
    """An attribute in its long form."""

    type: TypeName = Field(description="Its type", examples=["string"])
    scale: int | None = Field(None, ge=0, le=38, description="Compared after rounding to so many places, stored as it came")
    trim: bool = Field(False, description="Compared without white space at the ends, stored as it came")
    track: bool = Field(True, description="false: kept as evidence, never makes a version")
    sensitive: bool = Field(False, description="Masked wherever people look")


def _long_or_short(value: Any) -> str:
    return "long form" if isinstance(value, Mapping) else "short form"


KeyPartForm = Annotated[
    Annotated[KeyType, Tag("short form")] | Annotated[KeyPartShape, Tag("long form")],
    Discriminator(_long_or_short),
]
AttributeForm = Annotated[
    Annotated[TypeName, Tag("short form")] | Annotated[AttributeShape, Tag("long form")],
    Discriminator(_long_or_short),
]


class HistoryShape(Shape):
    """How history is kept."""

    completion: Annotated[Completion, Field(strict=False)] = Field(
        Completion.SOURCE_TIME, description="Where a partial row takes from what it does not state"
    )
    deletes: Annotated[Deletes, Field(strict=False)] = Field(Deletes.VERSION, description="What a delete leaves in the history")
    late: Annotated[Late, Field(strict=False)] = Field(Late.REPAIR, description="What happens to a row that comes late")
    max_lateness: Duration | None = Field(None, description="What is later than that waits in quarantine", examples=["30 days"])
    mixed_time: bool = Field(False, description="Sources with and without a time of their own may share this entity")


class RuleShape(Shape):
    """How one group of attributes is decided."""

    attributes: list[str] = Field(min_length=1, description="The attributes it decides", examples=[["status"]])
    rule: Annotated[RuleName, Field(strict=False)] = Field(description="How it decides", examples=["most_recent"])
    sources: list[str] = Field([], description="Who may speak; for precedence the strongest first", examples=[["core", "crm"]])
    together: bool = Field(False, description="All attributes from one statement")
    nulls: Annotated[Nulls, Field(strict=False)] = Field(Nulls.SILENT, description="Whether a null is a candidate")


class DeletionShape(Shape):
    """Who may say that an entity is gone."""

    sources: list[str] = Field(min_length=1, description="Sources whose deletes are believed", examples=[["core"]])


class BeliefShape(Shape):
    """How belief follows from evidence."""

    rules: list[RuleShape] = Field(
        [], description="One rule per group of attributes", examples=[[{"attributes": ["name"], "rule": "longest"}]]
    )
    deletion: DeletionShape | None = Field(None, description="Whose deletes are believed", examples=[{"sources": ["core"]}])


class EntityShape(Shape):
    """A file that describes an entity"""

    stand_ins: ClassVar[Mapping[str, object]] = {"entity": "entity", "key": {}}

    entity: Name = Field(description="The entity's name; its tables are called after it", examples=["customer"])
    kind: Annotated[Kind, Field(strict=False)] = Field(Kind.STATE, description="state: has a history; event: immutable facts")
    key: dict[ColumnName, KeyPartForm] = Field(description="What identifies one: column and type", examples=[{"customer_id": "string"}])
    attributes: dict[ColumnName, AttributeForm] = Field(
        {}, description="What is said about one: column and type", examples=[{"name": "string"}]
    )
    precedence: list[str] = Field([], description="Sources, strongest first", examples=[["core", "crm"]])
    history: HistoryShape = Field(HistoryShape(), description="How history is kept", examples=[{"deletes": "version"}])
    sources: dict[Name, SourceShape] = Field({}, description="Who speaks about it", examples=[{"crm": {"load": "full"}}])
    belief: BeliefShape = Field(
        BeliefShape(), description="How belief follows from evidence", examples=[{"deletion": {"sources": ["core"]}}]
    )
    checks: list[CheckForm] = Field([], description="Checks on rows", examples=[[{"not_null": "name"}]])
    corrects: str | None = Field(
        None, description="kind event: the attribute that names the fact this one corrects", examples=["corrects_id"]
    )
