"""The contract of each source as it was assessed, kept when it changes (R18)."""

from __future__ import annotations

import json
from dataclasses import asdict

from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import CONTRACT
from muniment.gate.contract import Assessment, assess
from muniment.lake.tables import Lake
from muniment.ledger.digest import digest_of
from muniment.model.entity import Entity
from muniment.model.source import Source

TABLE = "ops.contract"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in CONTRACT)
_seen: dict[tuple[str, str, str], str] = {}  # the terms that this process has found recorded


def record_contract(lake: Lake, entity: Entity, source: Source) -> Assessment:
    """Assess a source and keep the assessment where it is not the one that holds already."""
    assessment = assess(entity, source)
    terms = json.dumps(asdict(source), sort_keys=True, default=str)
    table = lake.table(TABLE)
    place = (table.identifier, entity.name, source.name)
    if _seen.get(place) != terms and _held(lake, assessment) != (assessment.status.value, terms):
        run_id = clock.new_id()
        row = (entity.name, source.name, assessment.status.value, list(assessment.reasons), terms, clock.now(), run_id)
        table.append(lake.spark.createDataFrame([row], _SCHEMA), metadata={"terms": digest_of([terms])})
    _seen[place] = terms
    return assessment


def _held(lake: Lake, assessment: Assessment) -> tuple[str, str] | None:
    mine = (F.col("entity") == assessment.entity) & (F.col("source") == assessment.source)
    row = lake.table(TABLE).read().where(mine).orderBy(F.desc("assessed_at")).select("status", "terms").first()
    return (row["status"], row["terms"]) if row else None
