"""Accept: a person lets the absence of a held load count; a recorded decision (R17)."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import functions as F

from muniment import clock
from muniment.decisions.records import Decision, decide
from muniment.lake.tables import Lake
from muniment.ledger.runs import ensure
from muniment.model.entity import Entity
from muniment.model.tables import load_name
from muniment.steps.errors import NothingToDecide
from muniment.steps.release import Verdict


def accept(lake: Lake, entities: Sequence[Entity], load_id: str, *, verdict: Verdict) -> str:
    """Record the decision and return its id."""
    with lake.lock("accept"):
        ensure(lake)
        entity = next((each for each in entities if _has(lake, each, load_id)), None)
        if entity is None:
            raise NothingToDecide(
                entity="accept", problem=f"there is no load {load_id}", advice="'SELECT * FROM bronze.<entity>_load' lists them."
            )
        made = Decision(clock.new_id(), "accept", entity.name, load_id, verdict.by, verdict.reason, clock.micros(clock.now()) or 0)
        decide(lake, [made], run_id=clock.new_id())
    return made.decision_id


def _has(lake: Lake, entity: Entity, load_id: str) -> bool:
    table = lake.table(load_name(entity))
    return table.exists() and not table.read().where(F.col("load_id") == load_id).isEmpty()
