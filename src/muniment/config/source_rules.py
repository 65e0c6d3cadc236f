"""What a source's declaration must agree with: itself, its entity, and the project around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from muniment.config import read_rules
from muniment.config.mistakes import Place
from muniment.config.source_shape import ColumnTimeShape, SourceShape
from muniment.config.subject import EntitySubject, Findings, no_such
from muniment.model.debezium import OPTIONS
from muniment.model.source import Absence, Format, LoadType

INSTANT = "{file_name: …}, {given: as_of}, or leave it out"


def place_is_one(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        yield from read_rules.one_place(subject, source.read, ("sources", name, "read"))


def paths_stay_inside(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        yield from read_rules.inside(subject, source.read, ("sources", name, "read"))


def marker_is_a_name(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        marker = source.complete.marker
        if marker is not None and ("/" in marker or not marker.isprintable() or marker in {".", ".."}):
            yield ("sources", name, "complete", "marker"), "a marker is the plain name of a file in the load's folder, such as _SUCCESS"


def options_hold_no_secret(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        yield from read_rules.no_secret(source.read, ("sources", name, "read"))


def connection_exists(subject: EntitySubject) -> Findings:
    known = subject.connections
    for name, source in subject.shape.sources.items():
        kafka = source.read.kafka if source.read else None
        if kafka is not None and known is not None and kafka.use not in known:
            yield ("sources", name, "read", "kafka", "use"), no_such("connection", kafka.use, known)


def absence_needs_a_full_load(subject: EntitySubject) -> Findings:
    for name, source in _deleting(subject):
        if source.load is not LoadType.FULL and not _is_debezium(source) and subject.sound("sources", name, "load"):
            yield ("sources", name, "absence"), "only a complete set can lack a key (R17); write 'load: full' or 'absence: kept'"


def absence_needs_one_instant(subject: EntitySubject) -> Findings:
    for name, source in _deleting(subject):
        if isinstance(source.event_time, str | ColumnTimeShape):
            yield (
                ("sources", name, "absence"),
                f"a load whose absence deletes speaks for one instant, and a column gives each row its own (R17); for event_time write {INSTANT}",
            )


def absence_is_not_for_debezium(subject: EntitySubject) -> Findings:
    for name, source in _deleting(subject):
        if _is_debezium(source):
            yield (
                ("sources", name, "absence"),
                "Debezium sends changes, each at its own time, so a row that is not sent is not gone (R17); leave absence out, deletes come as events",
            )


def debezium_sends_changes(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        if _is_debezium(source) and source.load is LoadType.FULL:
            yield ("sources", name, "load"), "Debezium sends changes, never a complete set; leave 'load' out"


def debezium_has_no_scope(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        if _is_debezium(source) and source.scope:
            yield (
                ("sources", name, "scope"),
                "a truncate empties the whole table, and nothing else of Debezium speaks of absence (R17); leave scope out",
            )


def debezium_options_are_the_connectors(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        for option, value in source.read.options.items() if source.read and _is_debezium(source) else ():
            at: Place = ("sources", name, "read", "options", option)
            allowed = OPTIONS.get(option)
            if allowed is None:
                yield at, no_such("option", option, tuple(OPTIONS))
            elif allowed and str(value).lower() not in allowed:
                yield at, no_such("value", str(value), allowed)


def times_do_not_mix(subject: EntitySubject) -> Findings:
    if subject.shape.history.mixed_time or not subject.sound("sources") or not subject.sound("history"):
        return
    timed = [name for name, source in subject.shape.sources.items() if _has_time(source)]
    for name in subject.shape.sources:
        if timed and name not in timed:
            yield (
                ("sources", name),
                f"'{name}' has no event_time and '{timed[0]}' has, so their rows cannot share one timeline (R10); "
                "give it an event_time, or write 'history: {mixed_time: true}'",
            )


def carried_attributes_exist(subject: EntitySubject) -> Findings:
    key, known = subject.document.names("key") or (), subject.document.names("attributes")
    for source, place, name in _listed(subject, "carries"):
        if name in key:
            yield place, f"'{name}' is a key part, which every row of '{source}' carries; leave it out"
        elif known is not None and name not in known:
            yield place, no_such("attribute", name, known)


def scope_columns_exist(subject: EntitySubject) -> Findings:
    known = subject.columns()
    for _, place, name in _listed(subject, "scope"):
        if known is not None and name not in known:
            yield place, no_such("attribute", name, known)


def columns_map_onto_known(subject: EntitySubject) -> Findings:
    known = subject.columns()
    for source, shape in subject.shape.sources.items():
        for column, name in shape.columns.items():
            if known is not None and name not in known:
                yield ("sources", source, "columns", column), no_such("attribute", name, known)


def codes_mean_one_thing(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        seen: dict[str, str] = {}
        for meaning in ("insert", "update", "delete") if source.op else ():
            for index, code in enumerate(getattr(source.op, meaning)):
                if seen.setdefault(code, meaning) != meaning:
                    yield ("sources", name, "op", meaning, index), f"'{code}' already means {seen[code]}; a code has one meaning"


def _listed(subject: EntitySubject, field: str) -> Iterator[tuple[str, Place, str]]:
    for source, shape in subject.shape.sources.items():
        at: Place = ("sources", source, field)
        for index, name in enumerate(getattr(shape, field) or ()):
            yield source, (*at, index), name


def _deleting(subject: EntitySubject) -> Iterator[tuple[str, SourceShape]]:
    return ((name, source) for name, source in subject.shape.sources.items() if source.absence is Absence.DELETES)


def _is_debezium(source: SourceShape) -> bool:
    return source.read is not None and source.read.format is Format.DEBEZIUM


def _has_time(source: SourceShape) -> bool:
    """The envelope of Debezium and the manifest of a capture bring their own."""
    return source.event_time is not None or _is_debezium(source) or (source.read is not None and source.read.capture is not None)


SOURCE_RULES: tuple[Callable[[EntitySubject], Findings], ...] = (
    place_is_one,
    paths_stay_inside,
    marker_is_a_name,
    options_hold_no_secret,
    connection_exists,
    absence_needs_a_full_load,
    absence_needs_one_instant,
    absence_is_not_for_debezium,
    debezium_sends_changes,
    debezium_has_no_scope,
    debezium_options_are_the_connectors,
    times_do_not_mix,
    carried_attributes_exist,
    scope_columns_exist,
    columns_map_onto_known,
    codes_mean_one_thing,
)
