"""Loads whose absence waits for a person (R17), as the tables show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from muniment.errors import UserMistake

if TYPE_CHECKING:
    from muniment.project import Project

MOST = 20


@dataclass(frozen=True, slots=True)
class Held:
    """A load that is held, and why."""

    load_id: str
    note: str


def held_loads(project: Project, entity: str, *, run_id: str | None = None) -> list[Held]:
    """The newest loads of an entity that nobody has accepted; those of one run, if it is named."""
    from pyspark.sql import functions as F

    try:
        loads = project.table(f"bronze.{entity}_load").where(~F.col("complete"))
        accepted = project.table("ops.decision").where(F.col("kind") == "accept").select(F.col("target").alias("load_id"))
    except UserMistake:  # nothing has been landed yet
        return []
    waiting = loads.join(accepted, "load_id", "left_anti")
    chosen = waiting if run_id is None else waiting.where(F.col("ingest_run_id") == run_id)
    rows = chosen.orderBy(F.desc("ingest_ts")).limit(MOST).select("load_id", "note").collect()
    return [Held(row["load_id"], row["note"] or "it is not complete") for row in rows]
