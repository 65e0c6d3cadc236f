"""The keys that a mark on a landed run touches, when it is made and when it ends."""

from __future__ import annotations

from pyspark.sql import functions as F

from muniment.evidence.statements import absent_sources
from muniment.lake.tables import Lake
from muniment.model.tables import load_name, log_name
from muniment.steps.evidence import Evidence
from muniment.steps.kept import Kept
from muniment.steps.keys import Keys, keys_of
from muniment.steps.news import new_rows
from muniment.steps.position import Position


def refolded(lake: Lake, evidence: Evidence, *, was: Position, kept: Kept) -> Keys | None:
    """The keys of runs that count now and did not, or did and do not, and of what is new beside; None where that may be any key."""
    now, entity = evidence.at, evidence.entity
    runs = sorted(set(was.excluded) ^ set(now.excluded))
    if absent_sources(entity) and _speaks_of_absence(lake, evidence, was, runs):
        return None
    log = lake.table(log_name(entity)).read(now.log)
    told = log.where(F.col("ingest_run_id").isin(runs)).select("sk")
    keys = keys_of(kept.keep(told.unionByName(new_rows(lake, evidence, was=was, kept=kept).select("sk")).distinct()))
    return keys if keys.are_short else None


def _speaks_of_absence(lake: Lake, evidence: Evidence, was: Position, runs: list[str]) -> bool:
    """A complete load says something of keys that it does not carry (R17)."""
    now = evidence.at
    if (was.load, was.decision) != (now.load, now.decision):
        return True
    return now.load >= 0 and any(lake.table(load_name(evidence.entity)).has("ingest_run_id", run) for run in runs)
