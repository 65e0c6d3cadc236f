"""What a check must agree on with the file it stands in; the same for every family."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from muniment.config.check_shape import (
    AcceptedShape,
    CheckForm,
    FreshShape,
    NotNullShape,
    PatternShape,
    RangesShape,
    ReferenceShape,
    SqlShape,
    UniqueShape,
)
from muniment.config.mistakes import Place
from muniment.config.subject import Findings, Subject, no_such
from muniment.expressions import check_predicate
from muniment.model.types import is_number


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks of a file may speak of; None: it cannot be told."""

    checks: Sequence[CheckForm]
    forms: Mapping[str, Any]  # columns in their short or long form
    columns: Collection[str] | None
    sources: Collection[str] | None

    def kind(self, name: str) -> str | None:
        """The type of a column."""
        form = self.forms.get(name)
        return form if isinstance(form, str) or form is None else str(form.type)


def judge_checks(subject: Subject[Any], checked: Checked) -> Findings:
    """What is wrong with the checks of a file."""
    for index, check in enumerate(checked.checks):
        at: Place = ("checks", index)
        match check:
            case NotNullShape():
                yield from _known(checked, check.not_null, (*at, "not_null"))
            case AcceptedShape():
                for name, values in check.accepted.items():
                    yield from _known(checked, name, (*at, "accepted", name))
                    yield from _accepted_values(checked, name, values, (*at, "accepted", name))
            case UniqueShape() | RangesShape() | PatternShape() | ReferenceShape():
                yield from _columns(checked, check, at)
            case FreshShape():
                if checked.sources is not None and check.fresh.source not in checked.sources:
                    yield (*at, "fresh", "source"), no_such("source", check.fresh.source, checked.sources)
            case SqlShape():
                yield from _predicate(checked, check.sql, (*at, "sql"))


def _columns(checked: Checked, check: UniqueShape | RangesShape | PatternShape | ReferenceShape, at: Place) -> Findings:
    match check:
        case UniqueShape():
            for place, name in check.places():
                yield from _known(checked, name, (*at, *place))
        case RangesShape():
            for name in check.range:
                yield from _known(checked, name, (*at, "range", name))
                yield from _numbers(checked, name, (*at, "range", name))
        case PatternShape():
            for name in check.pattern:
                yield from _known(checked, name, (*at, "pattern", name))
        case ReferenceShape():
            for name in check.reference:
                yield from _known(checked, name, (*at, "reference", name))


def _known(checked: Checked, name: str, at: Place) -> Findings:
    if checked.columns is not None and name not in checked.columns:
        yield at, no_such("attribute", name, checked.columns)


def _numbers(checked: Checked, name: str, at: Place) -> Findings:
    kind = checked.kind(name)
    if kind is not None and not is_number(kind):
        yield at, f"only numbers have bounds, and '{name}' is {kind}; write a check with sql instead"


def _accepted_values(checked: Checked, name: str, values: list[object], at: Place) -> Findings:
    kind = checked.kind(name)
    for index, value in enumerate(values):
        if isinstance(value, dict | list) or value is None:
            yield (*at, index), "a plain value is expected; nulls are the business of not_null"
        elif kind == "string" and not isinstance(value, str):
            shown = value.isoformat() if isinstance(value, date) else str(value).lower()
            yield (*at, index), f"'{name}' is a string and YAML reads this as {shown}; write the value in quotes"
        elif kind is not None and is_number(kind) and (isinstance(value, bool) or not isinstance(value, int | float)):
            yield (*at, index), f"'{name}' is {kind}, so a number is expected, not '{value}'"


def _predicate(checked: Checked, text: str, at: Place) -> Findings:
    try:
        check_predicate(text, tuple(checked.columns or ()))
    except ValueError as error:
        if checked.columns is not None:
            yield at, str(error)
