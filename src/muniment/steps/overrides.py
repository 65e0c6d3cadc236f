"""Overrides as belief reads them: those in force at a version of their table, as known at a time (R29)."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.belief.overrides import by_key, in_force
from muniment.decisions.overrides import TABLE
from muniment.lake.tables import Lake
from muniment.model.entity import Entity

_MADE_EMPTY = 0  # the version at which the table is created


def override_version(lake: Lake) -> int:
    """The newest version of the overrides of all entities; -1 while there is none."""
    table = lake.table(TABLE)
    newest = table.version() if table.exists() else -1
    return newest if newest > _MADE_EMPTY else -1


def overrides_at(lake: Lake, entity: Entity, version: int, *, known_at: datetime | None = None) -> DataFrame | None:
    """Overrides by key, or None where nobody ever made one."""
    if version < 0:
        return None
    records = lake.table(TABLE).read(version)
    return by_key(in_force(records, entity=entity, known_at=known_at), entity=entity).coalesce(1)


def overridden_between(lake: Lake, entity: Entity, *, since: int, until: int) -> DataFrame:
    """The keys of overrides made or withdrawn after one version and up to another."""
    rows = lake.table(TABLE).read(until).where(F.col("entity") == entity.name)
    if since >= 0:
        rows = rows.join(lake.table(TABLE).read(since).select("override_id"), "override_id", "left_anti")
    return rows.select("sk").distinct()
