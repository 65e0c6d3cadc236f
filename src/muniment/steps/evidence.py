"""The evidence of an entity at one point: the log, the load headers, and what people accepted, filtered by what was known when (R29)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.columns import LOAD
from muniment.evidence.absence import gone
from muniment.evidence.events import facts
from muniment.evidence.fold import fold
from muniment.evidence.slots import assertion_columns, only
from muniment.evidence.statements import absent_sources
from muniment.lake.tables import Lake
from muniment.model.entity import Entity, Kind
from muniment.model.tables import load_name, log_name
from muniment.steps.position import Position


@dataclass(frozen=True, slots=True)
class Evidence:
    """What may be folded."""

    entity: Entity
    rows: DataFrame
    loads: DataFrame
    accepted: DataFrame
    at: Position

    def of_key(self, sk: str) -> Evidence:
        """Only the rows of one key; loads speak of all."""
        return replace(self, rows=self.rows.where(F.col("sk") == sk))

    def known_at(self, moment: datetime) -> Evidence:
        """Only what had been received by then (R29)."""
        heard, made = F.col("ingest_ts") <= F.lit(moment), F.col("made_at") <= F.lit(moment)
        return replace(self, rows=self.rows.where(heard), loads=self.loads.where(heard), accepted=self.accepted.where(made))

    def fold(self, *, few: bool = False, places: int | None = None) -> DataFrame:
        """The versions, or the facts, that all of it amounts to; `few` rows are folded in one place, many in so many places."""
        rows, entity = self.assertions(few=few), self.entity
        return facts(rows, entity=entity, few=few) if entity.kind is Kind.EVENT else fold(rows, entity=entity, few=few, places=places)

    def assertions(self, *, few: bool = False) -> DataFrame:
        """The rows, with the absences that loads amount to (R17)."""
        names = [column.name for column in assertion_columns(self.entity)]
        rows = only(self.rows, names)
        if self.entity.kind is Kind.EVENT or not absent_sources(self.entity):
            return rows
        return rows.unionByName(only(gone(rows, self.loads, self.accepted, entity=self.entity, few=few), names))


def evidence_at(lake: Lake, entity: Entity, position: Position) -> Evidence:
    """The evidence as of given versions of its tables."""
    log, loads = lake.table(log_name(entity)).read(position.log), _loads(lake, entity, position.load)
    accepted = accepted_at(lake, entity, position.decision)
    return Evidence(entity, counting(log, position), counting(loads, position), accepted, position)


def counting(rows: DataFrame, position: Position) -> DataFrame:
    """The rows of runs that count; what somebody marked stays in the log and is left out here."""
    return rows.where(~F.col("ingest_run_id").isin(position.excluded)) if position.excluded else rows


def _loads(lake: Lake, entity: Entity, version: int) -> DataFrame:
    if version < 0:
        return lake.spark.createDataFrame([], ", ".join(f"`{col.name}` {col.type}" for col in LOAD))
    headers = lake.table(load_name(entity)).read(version).coalesce(1)  # headers are few: together they need no shuffle
    lacking = {col.name: F.lit(None).cast(col.type) for col in LOAD if col.name not in headers.columns}
    return headers.withColumns(lacking) if lacking else headers


def accepted_at(lake: Lake, entity: Entity, version: int) -> DataFrame:
    """The loads that people had accepted at a version of the decisions."""
    if version < 0:
        return lake.spark.createDataFrame([], "load_id string, made_at timestamp")
    mine = (F.col("entity") == entity.name) & (F.col("kind") == "accept")
    return lake.table("ops.decision").read(version).where(mine).select(F.col("target").alias("load_id"), "made_at").coalesce(1)
