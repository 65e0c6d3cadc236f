"""Override: a person sets values for a time, and may withdraw that again; both are recorded decisions (R20)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from pyspark.sql import functions as F

from muniment import clock
from muniment.belief.overrides import typed
from muniment.decisions.overrides import Override, override_row, record_override
from muniment.errors import BadArgument
from muniment.evidence.slots import Slot, slots_of
from muniment.lake.tables import Lake
from muniment.ledger.runs import ensure
from muniment.model.entity import Entity
from muniment.model.names import find
from muniment.model.tables import log_name
from muniment.steps.errors import NothingKnown, NothingToDecide
from muniment.steps.release import Verdict
from muniment.steps.timeline import Key, key_of


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to be believed of a key, from a start to an end."""

    key: Key
    given: Mapping[str, object]
    start: datetime | None = None
    end: datetime | None = None


def override(lake: Lake, entity: Entity, wish: Wish, *, verdict: Verdict) -> str:
    """Record that these attributes have these values, whatever the sources say, and return the override's id."""
    key, given, start, end = wish.key, wish.given, wish.start, wish.end
    if not given:
        raise BadArgument(argument="values", problem="nothing is set", advice='Name attributes and values, such as {"status": "Active"}.')
    if start is not None and end is not None and start >= end:
        raise BadArgument(
            argument="end", problem="it ends before it begins", advice="Give an end after the start; the end itself is outside."
        )
    sk = key_of(lake, entity, key)
    with lake.lock(f"override {entity.name}"):
        ensure(lake)
        _refuse_unknown_key(lake, entity, key, sk)
        texts = _texts(lake, entity, given)
        written = json.dumps(dict(key) if isinstance(key, Mapping) else {entity.key[0].name: key}, default=str)
        made = Override(entity.name, sk, written, verdict.by, verdict.reason, texts, start, end)
        return record_override(lake, made)


def withdraw(lake: Lake, override_id: str, *, verdict: Verdict) -> str:
    """Record that an override no longer holds, and return its entity."""
    with lake.lock("withdraw"):
        found = override_row(lake, override_id)
        if found is None:
            raise NothingToDecide(
                entity="withdraw", problem=f"there is no override {override_id}", advice="'SELECT * FROM ops.override' lists them."
            )
        if found["withdrawal"] is None:
            ended = Override(found["entity"], found["sk"], found["key"], verdict.by, verdict.reason, withdraws=override_id)
            record_override(lake, ended)
    return str(found["entity"])


def _refuse_unknown_key(lake: Lake, entity: Entity, key: Key, sk: str) -> None:
    log = lake.table(log_name(entity))
    if not log.exists() or not log.has("sk", sk):
        raise NothingKnown(entity=entity.name, key=key)


def _texts(lake: Lake, entity: Entity, given: Mapping[str, object]) -> dict[str, str | None]:
    """Each value as text, which must go into its attribute's type."""
    slots = {slot.name: slot for slot in slots_of(entity)}
    wanted = [(find("attribute", name, slots), _text(value)) for name, value in given.items()]
    tried = [typed(F.lit(text).cast("string"), slot).isNull().alias(f"s{slot.place}") for slot, text in wanted]
    row = lake.spark.range(1).select(*tried).first()
    for slot, text in wanted:
        if text is not None and row is not None and row[f"s{slot.place}"]:
            raise BadArgument(argument=slot.name, problem=f"{text!r} is not of type {_kind(slot)}", advice="Give a value of its type.")
    return {slot.name: text for slot, text in wanted}


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return clock.utc(value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value, default=str) if isinstance(value, Mapping | list | tuple) else str(value)


def _kind(slot: Slot) -> str:
    return "boolean" if slot.attribute is None else slot.attribute.type
