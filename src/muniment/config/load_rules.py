"""What a load's declaration must agree on; each rule is a small function, and the tuple at the end is the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from muniment.config import read_rules
from muniment.config.check_rules import Checked, judge_checks
from muniment.config.entity_shape import KeyPartShape
from muniment.config.load_shape import LoadColumnShape, LoadShape
from muniment.config.mistakes import Place
from muniment.config.subject import Findings, Subject, no_such
from muniment.expressions import check_predicate, check_value
from muniment.model.load import SYSTEM, Strategy
from muniment.model.source import Absence, Format
from muniment.model.types import NESTED

LoadSubject = Subject[LoadShape]
TIMES = ("date", "timestamp", "timestamp_ntz")
UNORDERED = ("boolean", "binary", *NESTED)
NOT_READ = {"kafka", "capture"}


def key_is_there(subject: LoadSubject) -> Findings:
    if subject.document.names("key") == () and subject.sound("key"):
        yield (
            ("key",),
            "a load without a key is refused, because rows could not be told apart (R1); write, for example, key: {order_id: long}",
        )


def columns_are_free(subject: LoadSubject) -> Findings:
    taken = {f"{subject.shape.prefix}{name}".casefold() for name in SYSTEM}
    for group in ("key", "columns", "transform"):
        for name in subject.document.names(group) or ():
            if name.casefold() in taken:
                yield (group, name), f"'{name}' is a column that Muniment keeps itself; set 'prefix' or choose another name"


def columns_differ(subject: LoadSubject) -> Findings:
    seen: dict[str, str] = {}
    for group in ("key", "columns"):
        for name in subject.document.names(group) or ():
            first = seen.setdefault(name.casefold(), name)
            if first != name:
                yield (group, name), f"'{name}' and '{first}' are one name to SQL, which sees no letter case; rename one"


def key_has_one_type(subject: LoadSubject) -> Findings:
    types = declared(subject.shape)
    for name, form in subject.shape.key.items():
        kind = form.type if isinstance(form, KeyPartShape) else form
        if name in subject.shape.columns and types[name] != kind:
            yield ("columns", name), f"'{name}' is a key part of type {kind} above and {types[name]} here; keep one type"


def columns_have_one_origin(subject: LoadSubject) -> Findings:
    for name, form in subject.shape.columns.items():
        if isinstance(form, LoadColumnShape) and form.source is not None and form.expression is not None:
            yield ("columns", name), f"'{name}' is either taken from a column or calculated; keep 'from' or 'expression'"


def expressions_are_safe(subject: LoadSubject) -> Findings:
    for at, text in _expressions(subject.shape):
        try:
            check_value(text)
        except ValueError as error:
            yield at, str(error)
    if subject.shape.deleted is not None:
        try:
            check_predicate(subject.shape.deleted, None)
        except ValueError as error:
            yield ("deleted",), str(error)


def partitions_are_declared(subject: LoadSubject) -> Findings:
    types = declared(subject.shape)
    for index, name in enumerate(subject.shape.partition):
        if name not in types:
            yield ("partition", index), no_such("column", name, tuple(types))
        elif types[name].startswith((*NESTED, "binary")):
            yield ("partition", index), f"'{name}' is {types[name]}, which cannot part a table; choose a plain column"
        if name in subject.shape.partition[:index]:
            yield ("partition", index), f"the table is parted by '{name}' already; name it once"


def watermarks_can_be_compared(subject: LoadSubject) -> Findings:
    types = declared(subject.shape)
    for index, watermark in enumerate(subject.shape.watermark):
        at: Place = ("watermark", index)
        kind = types.get(watermark.column)  # one that is not declared has the type of its slice
        if watermark.column in [other.column for other in subject.shape.watermark[:index]]:
            yield (*at, "column"), f"'{watermark.column}' is a watermark already; name it once"
        if kind is not None and kind.startswith(UNORDERED):
            yield (*at, "column"), f"'{watermark.column}' is {kind}, which has no order; a watermark is a time, a number or a text"
        elif kind is not None and watermark.lag is not None and kind not in TIMES:
            yield (*at, "lag"), f"'{watermark.column}' is {kind}, and only times have a lag; leave it out"


def absence_needs_a_window(subject: LoadSubject) -> Findings:
    if subject.shape.absence is not Absence.DELETES:
        return
    if subject.shape.strategy is Strategy.FULL and subject.sound("strategy"):
        yield ("absence",), "a full load replaces what it covers, so nothing is left to be missed; leave absence out"
    elif not subject.shape.watermark and subject.sound("watermark"):
        yield ("absence",), "what a slice lacks is gone only inside a watermark's window; add 'watermark', or write 'absence: kept'"


def checks_can_be_made(subject: LoadSubject) -> Findings:
    """Only of columns that are declared can it be said what is wrong with them."""
    key, columns = subject.document.names("key"), subject.document.names("columns")
    known = None if key is None or (columns is None and subject.shape.columns) else (*key, *(columns or ()))
    yield from judge_checks(subject, Checked(subject.shape.checks, {**subject.shape.key, **subject.shape.columns}, known, sources=()))


def slices_can_be_read(subject: LoadSubject) -> Findings:
    read = subject.shape.read
    yield from read_rules.one_place(subject, read, ("read",))
    yield from read_rules.inside(subject, read, ("read",))
    yield from read_rules.no_secret(read, ("read",))
    if read is not None and (read.format is Format.DEBEZIUM or NOT_READ & set(read.places())):
        yield (
            ("read",),
            "a load reads slices of csv, json or parquet from a path, or a delta table; streams and captures are sources of an entity",
        )
    elif read is not None and read.table is not None and read.format is not Format.DELTA:
        yield ("read", "table"), f"a table is read with format delta, not {read.format.value}; write 'format: delta', or a path"


def declared(shape: LoadShape) -> dict[str, str]:
    """The type of every column that is declared, key parts included."""
    key = {name: form.type if isinstance(form, KeyPartShape) else form for name, form in shape.key.items()}
    return key | {name: form.type if isinstance(form, LoadColumnShape) else form for name, form in shape.columns.items()}


def _expressions(shape: LoadShape) -> Iterator[tuple[Place, str]]:
    for name, text in shape.transform.items():
        yield ("transform", name), text
    for name, form in shape.columns.items():
        if isinstance(form, LoadColumnShape) and form.expression is not None:
            yield ("columns", name, "expression"), form.expression


LOAD_RULES: tuple[Callable[[LoadSubject], Findings], ...] = (
    key_is_there,
    columns_are_free,
    columns_differ,
    key_has_one_type,
    columns_have_one_origin,
    expressions_are_safe,
    partitions_are_declared,
    watermarks_can_be_compared,
    absence_needs_a_window,
    checks_can_be_made,
    slices_can_be_read,
)
