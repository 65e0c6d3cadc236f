"""Shape → model, once nothing is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from muniment.config.capture_build import build_http
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
from muniment.config.entity_shape import AttributeShape, EntityShape, HistoryShape, KeyPartForm, KeyPartShape, RuleShape
from muniment.config.shape import EnvReference, FileReference, LakeShape, ProjectShape, Scalar, Settings, Shape
from muniment.config.source_shape import (
    ColumnTimeShape,
    CompleteShape,
    EventTimeForm,
    FileNameTimeShape,
    OpShape,
    ReadShape,
    SourceShape,
)
from muniment.config.times import parse_duration
from muniment.expressions import check_predicate
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.belief import Belief, BeliefRule
from muniment.model.check import Accepted, Check, Fresh, NotNull, Pattern, Range, Refers, SqlCheck, Unique
from muniment.model.debezium import ENVELOPE_OPS, ENVELOPE_TIME, SEQUENCE
from muniment.model.entity import Entity, HistorySettings
from muniment.model.info import Info
from muniment.model.project import Alert, Connection, LakeLocation, ProjectModel, Reference, Setting, Target
from muniment.model.source import (
    CaptureTime,
    ColumnTime,
    Complete,
    EventTime,
    FileNameTime,
    Format,
    GivenTime,
    Kafka,
    LoadType,
    Ops,
    Read,
    Source,
)


def build_entity(shape: EntityShape) -> Entity:
    """The entity that a shape without mistakes describes."""
    deletion = shape.belief.deletion
    return Entity(
        name=shape.entity,
        key=build_key(shape.key),
        attributes=tuple(build_attribute(name, form) for name, form in shape.attributes.items()),
        sources=tuple(_source(name, source, (*shape.key, *shape.attributes)) for name, source in shape.sources.items()),
        kind=shape.kind,
        precedence=tuple(shape.precedence),
        history=_history(shape.history),
        belief=Belief(tuple(map(_rule, shape.belief.rules)), tuple(deletion.sources) if deletion else ()),
        checks=build_checks(shape.checks, (*shape.key, *shape.attributes)),
        corrects=shape.corrects,
        info=build_info(shape),
    )


def build_project(shape: ProjectShape, *, root: Path, described: Mapping[str, tuple[Any, ...]], target: str | None) -> ProjectModel:
    """The project that shapes without mistakes describe; `lake` is the chosen target's."""
    targets = tuple(Target(name, _lake(found.lake)) for name, found in shape.targets.items())
    chosen = next((found.lake for found in targets if found.name == target), None)
    return ProjectModel(
        name=shape.name,
        root=root,
        lake=chosen or _lake(shape.lake or LakeShape()),
        entities=described["entity"],
        dimensions=described["dimension"],
        loads=described["load"],
        series=described["series"],
        targets=targets,
        connections=tuple(Connection(name, _settings(settings)) for name, settings in shape.connections.items()),
        alerts=tuple(Alert(way, _settings(settings)) for alert in shape.alerts for way, settings in alert.ways().items()),
        spark=build_texts(shape.spark),
        info=build_info(shape),
    )


def build_info(shape: Shape) -> Info:
    """The notes for people."""
    return Info(shape.description, shape.owner, tuple(shape.tags), dict(shape.meta))


def build_attribute(name: str, form: str | AttributeShape) -> Attribute:
    """One attribute, or one column."""
    if isinstance(form, str):
        return Attribute(name, form)
    return Attribute(name, form.type, scale=form.scale, trim=form.trim, track=form.track, sensitive=form.sensitive, info=build_info(form))


def _history(shape: HistoryShape) -> HistorySettings:
    return HistorySettings(
        completion=shape.completion,
        deletes=shape.deletes,
        late=shape.late,
        max_lateness=parse_duration(shape.max_lateness) if shape.max_lateness is not None else None,
        mixed_time=shape.mixed_time,
    )


def _rule(shape: RuleShape) -> BeliefRule:
    return BeliefRule(tuple(shape.attributes), shape.rule, tuple(shape.sources), together=shape.together, nulls=shape.nulls)


def build_key(key: Mapping[str, KeyPartForm]) -> tuple[KeyPart, ...]:
    """The parts of a key."""
    return tuple(KeyPart(name, form.type if isinstance(form, KeyPartShape) else form) for name, form in key.items())


def build_checks(forms: Sequence[CheckForm], names: tuple[str, ...]) -> tuple[Check, ...]:
    """The checks of a file over columns of these names; one form may hold several."""
    return tuple(check for form in forms for check in _checks(form, names))


def _checks(form: CheckForm, names: tuple[str, ...]) -> tuple[Check, ...]:
    match form:
        case NotNullShape():
            return (NotNull(form.not_null, form.on_fail),)
        case AcceptedShape():
            return tuple(Accepted(name, tuple(values), form.on_fail) for name, values in form.accepted.items())
        case RangesShape():
            return tuple(Range(name, bounds.min, bounds.max, form.on_fail) for name, bounds in form.range.items())
        case PatternShape():
            return tuple(Pattern(name, expression, form.on_fail) for name, expression in form.pattern.items())
        case UniqueShape():
            return (Unique(tuple(name for _, name in form.places()), form.on_fail),)
        case ReferenceShape():
            places = ((name, *place.rsplit(".", 1)) for name, place in form.reference.items())
            return tuple(Refers(name, table, column, form.on_fail) for name, table, column in places)
        case FreshShape():
            return (Fresh(form.fresh.source, parse_duration(form.fresh.within), form.on_fail),)
        case SqlShape():
            return (SqlCheck(check_predicate(form.sql, names), form.on_fail),)


def _source(name: str, shape: SourceShape, names: tuple[str, ...]) -> Source:
    read = read_of(shape.read) if shape.read else None
    debezium = read is not None and read.format is Format.DEBEZIUM
    return Source(
        name=name,
        read=read,
        event_time=_event_time(shape.event_time) or _own_time(read),
        load=shape.load or (LoadType.CHANGES if debezium else None),
        carries=tuple(shape.carries) if shape.carries is not None else None,
        absence=shape.absence,
        complete=replace(_complete(shape.complete), allow_empty=True)
        if debezium
        else _complete(shape.complete),  # a truncate leaves nothing
        scope=tuple(shape.scope),
        columns=dict(shape.columns),
        undeclared=shape.undeclared,
        sequence=tuple(shape.sequence) or (SEQUENCE if debezium else ()),
        op=build_ops(shape.op) or (ENVELOPE_OPS if debezium else None),
        null_means=shape.null_means,
        truncate=shape.truncate,
        authority=None if shape.authority is None else tuple(str(value) for value in shape.authority),
        exclude=None if shape.exclude is None else check_predicate(shape.exclude, names),
        until=shape.until,
        lacks_key=not shape.stable_key,
        info=build_info(shape),
    )


def read_of(shape: ReadShape) -> Read:
    """A place to read from."""
    kafka = Kafka(shape.kafka.use, shape.kafka.topic, shape.kafka.start) if shape.kafka else None
    http = build_http(shape.http) if shape.http else None
    return Read(
        shape.format, path=shape.path, table=shape.table, kafka=kafka, capture=shape.capture, http=http, options=build_texts(shape.options)
    )


def _own_time(read: Read | None) -> EventTime | None:
    """The time that a change stream or a capture brings with it."""
    if read is not None and read.format is Format.DEBEZIUM:
        return ENVELOPE_TIME
    return CaptureTime() if read is not None and read.capture is not None else None


def _event_time(form: EventTimeForm | None) -> EventTime | None:
    if form is None:
        return None
    if isinstance(form, str):
        return ColumnTime(form)
    if isinstance(form, ColumnTimeShape):
        return ColumnTime(form.column, form.format, form.zone)
    return FileNameTime(form.file_name, form.time, form.zone) if isinstance(form, FileNameTimeShape) else GivenTime()


def _complete(shape: CompleteShape) -> Complete:
    return Complete(
        unit=shape.unit,
        marker=shape.marker,
        min_fraction=shape.min_fraction,
        allow_empty=shape.allow_empty,
        absences=shape.absences,
        on_short=shape.on_short,
        min_records=shape.min_records,
    )


def build_ops(op: OpShape | None) -> Ops | None:
    """Which codes mean what, if any do."""
    return Ops(op.column, insert=tuple(op.insert), update=tuple(op.update), delete=tuple(op.delete)) if op else None


def _lake(shape: LakeShape) -> LakeLocation:
    schemas = shape.schemas
    named = {name: getattr(schemas, name) for name in ("bronze", "silver", "gold", "ops")} if schemas else {}
    return LakeLocation(shape.path, shape.catalog, {ours: theirs for ours, theirs in named.items() if theirs is not None}, shape.files)


def _settings(settings: Settings) -> dict[str, Setting]:
    return {name: _setting(value) for name, value in settings.items()}


def _setting(value: Scalar | EnvReference | FileReference) -> Setting:
    if isinstance(value, EnvReference):
        return Reference("env", value.env)
    return Reference("file", value.file) if isinstance(value, FileReference) else value


def build_texts(options: Mapping[str, Scalar]) -> dict[str, str]:
    """Spark takes its options as text, and writes true in small letters."""
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
