"""What the names of a dimension must agree on; each rule is a small function, and the tuple at the end is the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from muniment.columns import RESERVED
from muniment.config.check_rules import Checked, judge_checks
from muniment.config.dimension_shape import DimensionShape, ScdColumnShape
from muniment.config.mistakes import Place
from muniment.config.subject import Findings, Subject, no_such
from muniment.model.check import OnFail
from muniment.model.dimension import OnChange, ScdColumn, Unmatched
from muniment.model.dimension_tables import REMOVED, VERSION, shown_columns
from muniment.model.source import Absence

DimensionSubject = Subject[DimensionShape]

OWN = RESERVED | {col.name for col in (*VERSION, *REMOVED)}


def key_is_there(subject: DimensionSubject) -> Findings:
    if subject.document.names("key") == () and subject.sound("key"):
        yield ("key",), "a dimension without a key is refused (R1); write, for example, key: {player_id: string}"


def from_names_an_entity(subject: DimensionSubject) -> Findings:
    believes, known = subject.shape.believes, (subject.names or {}).get("entity", ())
    if believes is not None and subject.names is not None and believes not in known:
        yield ("from",), no_such("entity", believes, known)


def from_brings_its_own_rows(subject: DimensionSubject) -> Findings:
    """Belief has its own times, deletes and keys."""
    shape = subject.shape
    given = {"event_time": shape.event_time, "op": shape.op}
    for name in (name for name, value in given.items() if value is not None and shape.believes is not None):
        yield (name,), f"belief brings its own times and deletes; leave '{name}' out, or take 'from' out"
    if shape.believes is not None and shape.absence is Absence.DELETES:
        yield ("absence",), "belief says itself who is gone; leave 'absence' out, or take 'from' out"
    if shape.believes is not None and shape.unmatched is Unmatched.INFER:
        yield ("unmatched",), "a member that is inferred cannot come from belief; write 'unmatched: unknown', or take 'from' out"


def names_are_free(subject: DimensionSubject) -> Findings:
    for place, name in _named(subject):
        if name.casefold() in OWN:
            yield place, f"'{name}' is a column that Muniment keeps in a dimension itself; choose another name"


def names_differ(subject: DimensionSubject) -> Findings:
    seen: dict[str, str] = {}
    for place, name in _named(subject):
        owner = ".".join(map(str, place))
        first = seen.setdefault(name.casefold(), owner)
        if first != owner:
            yield place, f"the column '{name}' is there already, from {first}; rename one"


def _named(subject: DimensionSubject) -> Iterator[tuple[Place, str]]:
    """Every column that the table gets, and where it comes from."""
    yield from ((("key", name), name) for name in subject.shape.key)
    if subject.shape.surrogate is not None:
        yield ("surrogate",), subject.shape.surrogate
    for name, form in subject.shape.columns.items():
        column = ScdColumn(name, "string", form.scd if isinstance(form, ScdColumnShape) else 2)
        yield from ((("columns", name), shown.name) for shown in shown_columns(column))


def refusal_is_for_type_0(subject: DimensionSubject) -> Findings:
    for name, form in subject.shape.columns.items():
        if not isinstance(form, ScdColumnShape) or form.on_change is not OnChange.FAIL:
            continue
        if form.scd:
            yield ("columns", name, "on_change"), f"only type 0 refuses a change, and '{name}' is type {form.scd}; leave it out"
        elif subject.shape.believes is not None:
            yield (
                ("columns", name, "on_change"),
                "belief cannot be refused; leave 'on_change' out: the first value stays, and attempts are recorded",
            )


def values_can_be_compared(subject: DimensionSubject) -> Findings:
    for name, form in subject.shape.columns.items():
        if "map<" in (form if isinstance(form, str) else form.type):
            yield ("columns", name), f"maps cannot be compared, so nobody could tell when '{name}' changes; write struct<…> or string"


def checks_can_be_made(subject: DimensionSubject) -> Findings:
    key, columns = subject.document.names("key"), subject.document.names("columns")
    known = None if key is None or columns is None else (*key, *columns)
    yield from judge_checks(subject, Checked(subject.shape.checks, {**subject.shape.key, **subject.shape.columns}, known, sources=()))
    for index, check in enumerate(subject.shape.checks):
        if check.on_fail is OnFail.MARK:
            yield ("checks", index, "on_fail"), "a dimension holds none of its runs; write quarantine, warn or stop"


DIMENSION_RULES: tuple[Callable[[DimensionSubject], Findings], ...] = (
    key_is_there,
    from_names_an_entity,
    from_brings_its_own_rows,
    names_are_free,
    names_differ,
    refusal_is_for_type_0,
    values_can_be_compared,
    checks_can_be_made,
)
