"""The declared checks as predicates over admitted rows; a null is no failure, except where null is what is checked."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.canon.hashes import listed, quoted
from muniment.expressions import check_predicate
from muniment.gate.around import SETS
from muniment.model.check import Accepted, Check, Fresh, NotNull, Pattern, Range, Refers, SqlCheck, Unique
from muniment.model.entity import Entity


def label(check: Check) -> str:
    """What a person calls the check."""
    match check:
        case NotNull(attribute=name):
            return f"not_null {name}"
        case Accepted(attribute=name):
            return f"accepted {name}"
        case SqlCheck(predicate=text):
            return f"sql {text}"
        case Refers(attribute=name):
            return f"reference {name}"
        case Unique(columns=names):
            return f"unique {', '.join(names)}"
        case Fresh(source=source):
            return f"fresh {source}"
        case _:
            return f"{type(check).__name__.lower()} {check.attribute}"


def row_checks(entity: Entity) -> tuple[Check, ...]:
    """The checks that look at one row; freshness looks at a source and runs elsewhere."""
    return tuple(check for check in entity.checks if not isinstance(check, Fresh))


def fails(check: Check, *, entity: Entity) -> Column:
    """Whether the row fails it; what the row does not state cannot fail."""
    match check:
        case NotNull() | Accepted() | Range() | Pattern():
            return _stated(check.attribute, entity) & breaks(check)
        case Unique() | Refers():
            return F.array_contains(SETS, label(check))
        case SqlCheck(predicate=text):
            return F.coalesce(~F.expr(check_predicate(text, _names(entity))), F.lit(False))
        case _:
            return F.lit(False)


def breaks(check: NotNull | Accepted | Range | Pattern) -> Column:
    """Whether the value breaks it, stated or not."""
    value = quoted(check.attribute)
    match check:
        case NotNull():
            return value.isNull()
        case Accepted(values=values):
            return F.coalesce(~value.isin(*values), F.lit(False))
        case Range(least=least, greatest=greatest):
            return _outside(check.attribute, least, greatest)
        case Pattern(expression=expression):
            return F.coalesce(~value.cast("string").rlike(f"^(?:{expression})$"), F.lit(False))


def holds(predicate: str, *, entity: Entity) -> Column:
    """Whether a predicate over key and attributes is true of the row."""
    return F.coalesce(F.expr(check_predicate(predicate, _names(entity))), F.lit(False))


def _outside(name: str, least: float | None, greatest: float | None) -> Column:
    below = F.lit(False) if least is None else quoted(name) < F.lit(least)
    above = F.lit(False) if greatest is None else quoted(name) > F.lit(greatest)
    return F.coalesce(below | above, F.lit(False))


def _names(entity: Entity) -> list[str]:
    return [*(part.name for part in entity.key), *(a.name for a in entity.attributes)]


def _stated(name: str, entity: Entity) -> Column:
    return F.lit(True) if any(part.name == name for part in entity.key) else F.array_contains("asserted", name)


def failed_labels(checks: Iterable[Check], *, entity: Entity) -> Column:
    """The names of the checks that the row fails."""
    return listed((fails(check, entity=entity), label(check)) for check in checks)
