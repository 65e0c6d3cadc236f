"""The settings that shape history, and the rules that decide belief, each version of them kept (R22, R28)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import RULE_SET
from muniment.lake.tables import Lake

TABLE = "ops.rule_set"
HISTORY, BELIEF = "history", "belief"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in RULE_SET)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One version of an entity's settings of one kind, with who made it and why."""

    entity: str
    settings: Mapping[str, Any]
    kind: str = HISTORY
    by: str | None = None
    reason: str | None = None
    version: int = 0


def keep_rules(lake: Lake, entity: str, settings: Mapping[str, Any]) -> int:
    """The number of the settings that shape a history; they are written where they are not what holds already."""
    return keep(lake, RuleSet(entity, settings))


def keep(lake: Lake, rules: RuleSet) -> int:
    """The number of a rule set; it is written where it is not what holds already."""
    newest = rules_at(lake, rules.entity, kind=rules.kind)
    if newest is not None and newest.settings == json.loads(json.dumps(rules.settings)):
        return newest.version
    version = newest.version + 1 if newest is not None else 1
    text = json.dumps(rules.settings, sort_keys=True)
    row = (rules.entity, version, text, clock.now(), rules.kind, rules.by, rules.reason)
    table = lake.table(TABLE)
    table.create(RULE_SET)
    table.append(lake.spark.createDataFrame([row], _SCHEMA))
    return version


def rules_at(lake: Lake, entity: str, moment: datetime | None = None, *, kind: str = HISTORY) -> RuleSet | None:
    """The rule set in force at a moment, default now; the first also holds before it was made (R29)."""
    table = lake.table(TABLE)
    if not table.exists():
        return None
    found = table.read().where(F.col("entity") == entity)
    found = found.where(_is(kind)) if "kind" in found.columns else found.where(F.lit(kind == HISTORY))
    made_by_then = F.lit(True) if moment is None else F.col("made_at") <= F.lit(moment)
    oldest_first = F.when(~made_by_then, -F.col("version"))  # of those made later, the first
    row = found.orderBy(F.desc(made_by_then), F.desc(oldest_first), F.desc("version")).select("version", "settings").first()
    return None if row is None else RuleSet(entity, json.loads(row["settings"]), kind, version=int(row["version"]))


def _is(kind: str) -> Column:
    return F.coalesce("kind", F.lit(HISTORY)) == kind
