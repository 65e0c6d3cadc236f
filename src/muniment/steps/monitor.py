"""Monitor: measure how well the sources of an entity keep time, and keep the numbers in `ops.run`."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.lake.tables import Lake
from muniment.ledger.runs import TABLE as RUNS
from muniment.ledger.runs import Run, record
from muniment.model.entity import Entity
from muniment.model.tables import derived_name, log_name
from muniment.quality.monitors import Grown, Landing, growth, jumps, measures, silences
from muniment.steps.stores import ensure_stores

_KEPT = ("rows", "late", "backward", "ties", "repeats", "null_times", "impossible_times")


def monitor(lake: Lake, entity: Entity) -> DataFrame:
    """One row per source and run, newest first; a warning stands with the newest run of its source."""
    started = clock.now()
    ensure_stores(lake, entity)
    runs = lake.table(RUNS).read().where(F.col("entity") == entity.name)
    measured = measures(lake.table(log_name(entity)).read(), runs)
    landings = [
        Landing(row["source"], row["run_id"], clock.from_micros(row["at"]) or started)
        for row in runs.where(F.col("step") == "land").select("source", "run_id", F.unix_micros("received_at").alias("at")).collect()
    ]
    warnings = {**silences(landings, now=started), **jumps(_growth(lake, entity))}
    newest = {landing.source: landing.run_id for landing in sorted(landings, key=lambda each: (each.at, each.run_id))}
    said = [(newest[source], warning) for source, warning in sorted(warnings.items()) if source in newest]
    _keep(lake, entity, measured, started=started, said=tuple(f"{source}: {text}" for source, text in sorted(warnings.items())))
    warned = lake.spark.createDataFrame(said, "run_id string, warning string")
    told = measured.join(F.broadcast(warned), "run_id", "left").select(*measured.columns, "warning")
    return told.orderBy(F.desc("received_at"), F.desc("run_id"))


def _growth(lake: Lake, entity: Entity) -> list[Grown]:
    table = lake.table(derived_name(entity))
    return [Grown(row["source"], row["day"], row["versions"]) for row in growth(table.read()).collect()] if table.exists() else []


def _keep(lake: Lake, entity: Entity, measured: DataFrame, *, started: datetime, said: tuple[str, ...]) -> None:
    sums = measured.groupBy("source").agg(*(F.sum(name).alias(name) for name in _KEPT)).collect()
    counts = {f"{row['source']}.{name}": int(row[name] or 0) for row in sums for name in _KEPT}
    finished = clock.now()
    seconds = (finished - started).total_seconds()
    with lake.lock(f"monitor {entity.name}"):
        record(
            lake,
            Run(
                clock.new_id(),
                "monitor",
                entity.name,
                started_at=started,
                finished_at=finished,
                seconds=seconds,
                counts=counts,
                messages=said,
            ),
        )
