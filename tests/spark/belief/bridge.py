"""The oracle's rules, overrides and intervals in Spark's words, and rows of silver as the oracle has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pyspark.sql import DataFrame, Row, SparkSession

from muniment.belief.overrides import by_key, in_force
from muniment.columns import OVERRIDE
from muniment.model.belief import Belief, BeliefRule, Nulls, RuleName
from muniment.model.entity import Entity
from muniment.model.source import Source

from tests.properties.belief_oracle import Interval, Origin, Override, Rules
from tests.properties.generate import LOAD_TYPE
from tests.properties.oracle import Settings
from tests.spark.evidence.bridge import entity_of, id_text, micros, moment, table_of

Beliefs = set[tuple[object, ...]]


def ruled(settings: Settings, rules: Rules) -> Entity:
    """The entity of these settings, with all sources declared and these rules."""
    entity = entity_of(settings)
    known = {source.name for source in entity.sources}
    others = tuple(Source(name) for name in LOAD_TYPE if name not in known)
    return replace(entity, sources=(*entity.sources, *others), belief=belief_of(rules))


def belief_of(rules: Rules) -> Belief:
    """The oracle's rules as the configuration has them."""
    made = (BeliefRule(r.attributes, RuleName(r.rule), r.sources, r.together, Nulls(r.nulls)) for r in rules.rules)
    return Belief(tuple(made), rules.deletion)


def override_rows(overrides: Iterable[Override]) -> list[dict[str, object]]:
    """Overrides and their withdrawals as rows of `ops.override`."""
    rows: list[dict[str, object]] = []
    for one in overrides:
        moments = {name: None if at is None else moment(at) for name, at in (("start_ts", one.start), ("end_ts", one.end))}
        given = {name: _text(value) for name, value in one.given.items()}
        rows.append({"override_id": one.id, "entity": "case", "sk": one.key, "given": given, "made_at": moment(one.made), **moments})
        if one.withdrawn is not None:
            ended = {"override_id": f"{one.id} ended", "withdraws": one.id, "made_at": moment(one.withdrawn)}
            rows.append({"entity": "case", "sk": one.key, **ended})
    return rows


def _text(value: object) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def overrides_of(spark: SparkSession, overrides: Iterable[Override], *, entity: Entity, known_at: int | None = None) -> DataFrame:
    """Overrides as `resolve` takes them."""
    records = table_of(spark, override_rows(overrides), OVERRIDE)
    then = None if known_at is None else moment(known_at)
    return by_key(in_force(records, entity=entity, known_at=then), entity=entity)


def told(interval: Interval) -> tuple[object, ...]:
    """An interval of the oracle as `read` gives one of Spark."""
    state = interval.state
    names = sorted(state.values)
    values = tuple(state.values[name] for name in names)
    origins = tuple(_told_origin(state.origin[name]) for name in names)
    return (interval.key, interval.start, interval.end, interval.is_current, state.deleted, values, origins, state.contested)


def _told_origin(origin: Origin | None) -> object:
    if origin is None:
        return None
    source, at, said, rule = origin
    return (source, at, said if isinstance(said, str) else id_text(said), rule)


def read(row: Row, *, entity: Entity) -> tuple[object, ...]:
    """A row of silver in the shape of `told`."""
    names = sorted(attribute.name for attribute in entity.attributes)
    start, end = micros(row["effective_from"]), None if row["effective_to"] is None else micros(row["effective_to"])
    values, origins = tuple(row[name] for name in names), tuple(_read_origin(row["origin"][name]) for name in names)
    return (row["sk"], start, end, row["is_current"], row["is_deleted"], values, origins, tuple(row["contested"]))


def _read_origin(origin: Row | None) -> object:
    if origin is None:
        return None
    at = None if origin["event_ts"] is None else micros(origin["event_ts"])
    return (origin["source"], at, origin["assertion_id"], origin["rule"])
