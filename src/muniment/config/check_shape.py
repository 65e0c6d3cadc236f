"""The shapes of checks on rows; they are the same in every family's file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag

from muniment.config.mistakes import Place
from muniment.config.shape import Shape
from muniment.config.times import check_duration
from muniment.model.check import OnFail

Duration = Annotated[str, AfterValidator(check_duration)]


def check_pattern(text: str) -> str:
    """A regular expression that can be read."""
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"'{text}' is not a regular expression: {error}") from None
    return text


def check_reference(text: str) -> str:
    """A column of a table by its whole name."""
    if not re.fullmatch(r"\w+\.\w+\.\w+", text):
        raise ValueError(f"'{text}' is not a column of a table; write schema.table.column, such as gold.dim_property.property_id")
    return text


class CheckShape(Shape):
    """A check on rows."""

    on_fail: Annotated[OnFail, Field(strict=False)] = Field(OnFail.WARN, description="What happens to a row that fails")


class NotNullShape(CheckShape):
    """The attribute has a value."""

    not_null: str = Field(description="The attribute", examples=["name"])


class AcceptedShape(CheckShape):
    """The attribute has one of these values."""

    accepted: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        min_length=1, description="Attribute and its values", examples=[{"status": ["Active", "Closed"]}]
    )


class FreshWithin(Shape):
    """How new a source has to be."""

    source: str = Field(description="The source", examples=["core"])
    within: Duration = Field(description="The longest silence", examples=["26 hours"])


class FreshShape(CheckShape):
    """The newest row of a source is not older than that."""

    fresh: FreshWithin = Field(description="Source and duration", examples=[{"source": "core", "within": "26 hours"}])


class SqlShape(CheckShape):
    """A predicate over key and attributes; null counts as passed."""

    sql: str = Field(description="A condition in Spark SQL", examples=["balance >= 0"])


class RangeShape(Shape):
    """The least and the greatest value, both allowed."""

    min: int | float | None = Field(None, description="The least value", examples=[0])
    max: int | float | None = Field(None, description="The greatest value", examples=[100])


class RangesShape(CheckShape):
    """The attribute lies between bounds."""

    range: dict[str, RangeShape] = Field(min_length=1, description="Attribute and its bounds", examples=[{"score": {"min": 0, "max": 100}}])


class PatternShape(CheckShape):
    """The attribute's text matches a regular expression from end to end."""

    pattern: dict[str, Annotated[str, AfterValidator(check_pattern)]] = Field(
        min_length=1, description="Attribute and regular expression", examples=[{"email": "[^@]+@[^@]+"}]
    )


class UniqueShape(CheckShape):
    """No other row of the same delivery, or partition, has this value, or all of these."""

    unique: str | Annotated[list[str], Field(min_length=1)] = Field(
        description="The attribute, or those that are unique together", examples=["email"]
    )

    def places(self) -> tuple[tuple[Place, str], ...]:
        """Each column, and where it stands."""
        return (
            ((("unique",), self.unique),)
            if isinstance(self.unique, str)
            else tuple((("unique", n), name) for n, name in enumerate(self.unique))
        )


class ReferenceShape(CheckShape):
    """The value is there in a column of another table."""

    reference: dict[str, Annotated[str, AfterValidator(check_reference)]] = Field(
        min_length=1, description="Attribute and schema.table.column", examples=[{"home": "gold.dim_property.property_id"}]
    )


CHECKS = ("not_null", "accepted", "range", "pattern", "unique", "reference", "fresh", "sql")


def _kind_of_check(value: Any) -> str | None:
    return next((f"check {name}" for name in CHECKS if name in value), None) if isinstance(value, Mapping) else None


CheckForm = Annotated[
    Annotated[NotNullShape, Tag("check not_null")]
    | Annotated[AcceptedShape, Tag("check accepted")]
    | Annotated[RangesShape, Tag("check range")]
    | Annotated[PatternShape, Tag("check pattern")]
    | Annotated[UniqueShape, Tag("check unique")]
    | Annotated[ReferenceShape, Tag("check reference")]
    | Annotated[FreshShape, Tag("check fresh")]
    | Annotated[SqlShape, Tag("check sql")],
    Discriminator(_kind_of_check),
]
