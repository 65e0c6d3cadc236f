"""What the names and checks of a series must agree on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from muniment.config.check_shape import AcceptedShape, FreshShape, NotNullShape, PatternShape, RangesShape, SqlShape, UniqueShape
from muniment.config.mistakes import Place
from muniment.config.series_shape import ChecksumShape, NullShareShape, SeriesCheckForm, SeriesShape
from muniment.config.subject import Findings, Subject, no_such
from muniment.expressions import check_predicate
from muniment.model.check import OnFail
from muniment.model.series import Role

SeriesSubject = Subject[SeriesShape]
OWN = ("partition_id", "is_deleted")  # columns of the table of deltas


def series_has_a_key(subject: SeriesSubject) -> Findings:
    if subject.document.names("key") == () and subject.sound("key"):
        yield ("key",), "a series without a key cannot take changes in; write, for example, key: {account: string}"


def series_columns_are_free(subject: SeriesSubject) -> Findings:
    seen: set[str] = set()
    for group in ("key", "columns"):
        for name in subject.document.names(group) or ():
            if name.casefold() in OWN:
                yield (group, name), f"'{name}' is a column that a series keeps itself; choose another name"
            elif name.casefold() in seen:
                yield (group, name), f"a series has one column '{name}', whatever the letter case; keep one"
            seen.add(name.casefold())


def order_names_columns(subject: SeriesSubject) -> Findings:
    yield from subject.unknown("column", subject.shape.order, known=_declared(subject), at=("order",))


def series_checks_name_columns(subject: SeriesSubject) -> Findings:
    known = _declared(subject)
    for at, check in _checks(subject):
        for place, name in _named(check):
            if known is not None and name not in known:
                yield (*at, *place), no_such("column", name, known)
        if isinstance(check, SqlShape):
            yield from _condition(check.sql, known, (*at, "sql"))


def series_checks_fit(subject: SeriesSubject) -> Findings:
    for at, check in _checks(subject):
        if check.on_fail is OnFail.QUARANTINE:
            yield (*at, "on_fail"), "a partition is taken as a whole, so no row of it waits; write mark, warn or stop"
        if isinstance(check, FreshShape) and check.fresh.source not in (Role.DUMP, Role.DELTA):
            yield (*at, "fresh", "source"), f"a series hears dumps and deltas, and '{check.fresh.source}' is neither; write dump or delta"
        if isinstance(check, ChecksumShape):
            yield from _reference(subject, check, (*at, "checksum"))


def _reference(subject: SeriesSubject, check: ChecksumShape, at: Place) -> Findings:
    given = check.checksum
    if (given.table is None) == (given.series is None):
        yield at, "a checksum is held against one thing; write {table: NAME} or {series: NAME}"
    known = subject.names.get("series", ()) if subject.names is not None else None
    if given.series is not None and known is not None and given.series not in known:
        yield (*at, "series"), no_such("series", given.series, known)


def _condition(text: str, known: tuple[str, ...] | None, at: Place) -> Findings:
    if known is None:
        yield at, "a condition needs to know the columns; declare them under 'columns'"
        return
    try:
        check_predicate(text, known)
    except ValueError as error:
        yield at, str(error)


def _named(check: SeriesCheckForm) -> Iterator[tuple[Place, str]]:
    """The columns that a check names, and where."""
    match check:
        case NotNullShape():
            yield ("not_null",), check.not_null
        case AcceptedShape():
            yield from ((("accepted", name), name) for name in check.accepted)
        case UniqueShape():
            yield from check.places()
        case RangesShape():
            yield from ((("range", name), name) for name in check.range)
        case PatternShape():
            yield from ((("pattern", name), name) for name in check.pattern)
        case NullShareShape():
            yield from ((("null_share", name), name) for name in check.null_share)
        case _:
            return


def _checks(subject: SeriesSubject) -> Iterator[tuple[Place, SeriesCheckForm]]:
    yield from ((("checks", number), check) for number, check in enumerate(subject.shape.checks))


def _declared(subject: SeriesSubject) -> tuple[str, ...] | None:
    """All columns; None where the first data decides."""
    key, columns = subject.document.names("key"), subject.document.names("columns")
    return (*key, *columns) if key is not None and columns else None


SERIES_RULES: tuple[Callable[[SeriesSubject], Findings], ...] = (
    series_has_a_key,
    series_columns_are_free,
    order_names_columns,
    series_checks_name_columns,
    series_checks_fit,
)
