"""Decisions by people, kept apart from evidence: who, when, why, on what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import DECISION
from muniment.lake.tables import Lake

TABLE = "ops.decision"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in DECISION)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision; `made_at` in microseconds, so that it can stand in a commit."""

    decision_id: str
    kind: str
    entity: str
    target: str
    made_by: str
    reason: str
    made_at: int


def decide(lake: Lake, decisions: Sequence[Decision], *, run_id: str) -> None:
    """Record the decisions of a run."""
    if not decisions:
        return
    rows = [(d.decision_id, d.kind, d.entity, d.target, d.made_by, d.reason, clock.from_micros(d.made_at), run_id) for d in decisions]
    lake.table(TABLE).append(lake.spark.createDataFrame(rows, _SCHEMA), txn=lake.once(f"run:{run_id}"), metadata={"run": run_id})


def decided(lake: Lake, entity: str, *kinds: str) -> DataFrame:
    """The decisions of some kinds about an entity."""
    return lake.table(TABLE).read().where((F.col("entity") == entity) & F.col("kind").isin(*kinds))
