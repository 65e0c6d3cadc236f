"""The settings that shape history, each version of them kept (R28)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import RULE_SET
from muniment.lake.tables import Lake

TABLE = "ops.rule_set"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in RULE_SET)


def keep_rules(lake: Lake, entity: str, settings: Mapping[str, Any]) -> int:
    """The number of these settings; they are written where they are not what holds already."""
    text = json.dumps(settings, sort_keys=True)
    newest = lake.table(TABLE).read().where(F.col("entity") == entity).orderBy(F.desc("version")).first()
    if newest is not None and newest["settings"] == text:
        return int(newest["version"])
    version = int(newest["version"]) + 1 if newest is not None else 1
    lake.table(TABLE).append(lake.spark.createDataFrame([(entity, version, text, clock.now())], _SCHEMA))
    return version
