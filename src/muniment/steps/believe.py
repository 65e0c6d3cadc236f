"""Reading belief: all of it, one key, at a time, as known at a time under the rules of then (R22, R29)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.belief.resolution import resolve as believed
from muniment.lake.tables import Lake
from muniment.model.entity import Deletes, Entity
from muniment.model.tables import belief_columns, belief_name, log_name
from muniment.steps.evidence import Evidence, evidence_at
from muniment.steps.overrides import override_version, overrides_at
from muniment.steps.position import newest, reached
from muniment.steps.resolve import refuse_facts
from muniment.steps.ruling import ruled_at, under, with_speakers
from muniment.steps.timeline import Asked, holds_at, key_of


def belief_history(lake: Lake, asked: Asked) -> DataFrame:
    """The intervals of belief of all keys or one."""
    rows = intervals(lake, asked)
    return rows.where(~F.col("is_deleted")) if asked.entity.history.deletes is Deletes.CLOSE else rows  # R16


def belief(lake: Lake, asked: Asked, *, include_deleted: bool = False) -> DataFrame:
    """What is believed at one time, by default now: the end of each key's chain."""
    rows = intervals(lake, asked)
    rows = rows.where(F.col("effective_to").isNull() if asked.as_of is None else holds_at(F.lit(asked.as_of)))
    return rows if include_deleted else rows.where(~F.col("is_deleted"))


def intervals(lake: Lake, asked: Asked) -> DataFrame:
    """Belief over time; with `known_at`, and before the first resolve, computed from the evidence, which is exact by construction."""
    refuse_facts(asked.entity)
    sk = None if asked.key is None else key_of(lake, asked.entity, asked.key)
    table = lake.table(belief_name(asked.entity))
    if asked.known_at is None and table.exists():
        return table.read() if sk is None else table.read().where(F.col("sk") == sk)
    if not lake.table(log_name(asked.entity)).exists():
        return lake.spark.createDataFrame([], ", ".join(f"`{col.name}` {col.type}" for col in belief_columns(asked.entity)))
    evidence, version = evidence_asked(lake, asked, sk)
    overrides = overrides_at(lake, evidence.entity, override_version(lake), known_at=asked.known_at)
    few = sk is not None
    return believed(evidence.assertions(few=few), overrides, entity=evidence.entity, version=version, few=few)


def evidence_asked(lake: Lake, asked: Asked, sk: str | None) -> tuple[Evidence, int]:
    """What may be weighed: received by then, under the rules of then, and the version of those."""
    entity, version = _ruled(lake, asked)
    evidence = evidence_at(lake, with_speakers(lake, entity), newest(lake, entity, asked.known_at))
    evidence = evidence if sk is None else evidence.of_key(sk)
    return (evidence if asked.known_at is None else evidence.known_at(asked.known_at)), version


def _ruled(lake: Lake, asked: Asked) -> tuple[Entity, int]:
    """Now: the rules that belief was last resolved by, so that `why` says what `belief` shows."""
    if asked.known_at is not None:
        return ruled_at(lake, asked.entity, asked.known_at)
    held = reached(lake.table(belief_name(asked.entity)))
    return (under(asked.entity, held.settings), held.rules) if held.number else (asked.entity, 1)
