"""The keys that a resolve has to look at again: named by new rows, reached by new loads, or set by hand (R8, R17)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.evidence.loads import overturned, verdicts
from muniment.evidence.statements import absent_sources
from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.model.tables import history_name, load_name, log_name
from muniment.steps.evidence import Evidence, accepted_at
from muniment.steps.kept import Kept
from muniment.steps.keys import Keys, keys_of
from muniment.steps.overrides import overridden_between
from muniment.steps.position import Position, runs_between


@dataclass(frozen=True, slots=True)
class Since:
    """From one position of belief to another."""

    was: Position
    now: Position

    @property
    def has_news(self) -> bool:
        was, now = self.was, self.now
        return (was.log, was.load, was.decision, was.override) != (now.log, now.load, now.decision, now.override)


def concerned(lake: Lake, evidence: Evidence, since: Since, *, kept: Kept) -> Keys:
    """Every key whose belief may differ; the history must have been derived up to here."""
    entity, was, now = evidence.entity, since.was, since.now
    runs = runs_between(lake, log_name(entity), since=was.log, until=now.log)
    found = evidence.rows.where(F.col("ingest_run_id").isin(runs)).select("sk")
    if absent_sources(entity) and (was.load, was.decision) != (now.load, now.decision):
        found = found.unionByName(_looked_at(lake, evidence, since))
    if was.override != now.override:
        found = found.unionByName(overridden_between(lake, entity, since=was.override, until=now.override))
    return keys_of(kept.now(found.distinct()))


def _looked_at(lake: Lake, evidence: Evidence, since: Since) -> DataFrame:
    """Keys with a statement at or after the oldest new load, and all keys of sources whose past reads otherwise now."""
    entity = evidence.entity
    runs = runs_between(lake, load_name(entity), since=since.was.load, until=since.now.load)
    is_new = F.col("ingest_run_id").isin(runs)
    oldest = evidence.loads.where(is_new).agg(F.min("load_ts").alias("oldest"))
    heads = lake.table(history_name(entity)).read().where(F.col("is_head") & F.col("source_system").isin(*absent_sources(entity)))
    reached = heads.join(F.broadcast(oldest), F.col("last_order.statement_ts") >= F.col("oldest")).select("sk")
    old = replace(evidence, loads=evidence.loads.where(~is_new), accepted=accepted_at(lake, entity, since.was.decision))
    return reached.unionByName(heads.where(F.col("source_system").isin(_overturned(old, evidence, entity))).select("sk"))


def _overturned(old: Evidence, new: Evidence, entity: Entity) -> list[str]:
    """The sources whose past reads otherwise by the new loads and decisions (R17)."""
    before = verdicts(old.loads, old.accepted, entity=entity)
    after = verdicts(new.loads, new.accepted, entity=entity)
    found = {row["source_system"] for row in overturned(before, after).select("source_system").distinct().collect()}
    return sorted(found | {name for name in absent_sources(entity) if entity.source(name).complete.absences > 1})
