"""What was landed before: files by place and content, batches by id, loads by what they say (R30)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.lake.tables import Lake
from muniment.ledger.runs import TABLE


def _landed(entity: str, source: str) -> Column:
    return (F.col("entity") == entity) & (F.col("source") == source) & (F.col("step") == "land") & (F.col("status") == "done")


def digests_at(lake: Lake, entity: str, source: str, *, places: Iterable[str]) -> dict[str, set[str]]:
    """For each of these places the contents that were landed from it."""
    return _digests(lake, _landed(entity, source), places)


def digests_loaded(lake: Lake, load: str, *, places: Iterable[str]) -> dict[str, set[str]]:
    """For each of these places the contents that a load took from it."""
    return _digests(lake, (F.col("entity") == load) & (F.col("step") == "load") & (F.col("status") == "done"), places)


def _digests(lake: Lake, condition: Column, places: Iterable[str]) -> dict[str, set[str]]:
    wanted = lake.spark.createDataFrame([(place,) for place in places], "path string")
    runs = lake.table(TABLE).read().where(condition)
    files = runs.select(F.explode("files").alias("file")).select("file.path", "file.sha256")
    found: dict[str, set[str]] = {}
    for row in files.join(F.broadcast(wanted), "path", "left_semi").distinct().collect():
        found.setdefault(row["path"], set()).add(row["sha256"])
    return found


def batch(lake: Lake, entity: str, source: str, *, batch_id: str) -> str | None:
    """The run that landed a batch."""
    return _first(lake, _landed(entity, source) & (F.col("batch_id") == batch_id))


def load(lake: Lake, entity: str, source: str, *, instant: datetime, content: str) -> str | None:
    """The run that landed a load of this instant with this content."""
    return _first(lake, _landed(entity, source) & (F.col("as_of") == F.lit(instant)) & (F.col("content") == content))


def _first(lake: Lake, condition: Column) -> str | None:
    row = lake.table(TABLE).read().where(condition).select("run_id").first()
    return None if row is None else str(row["run_id"])
