"""Reading what is kept: lazy DataFrames by the names people use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import CAPTURE, CAPTURE_CHANGE, OPS, QUARANTINE, Col
from muniment.errors import BadArgument
from muniment.evidence.origin import shown, with_origins
from muniment.gate.contract import assess
from muniment.lake.tables import Lake
from muniment.model.check import Fresh
from muniment.model.entity import Entity
from muniment.model.names import find
from muniment.model.source import Source
from muniment.model.tables import LIVE_NOW, is_history, log_name
from muniment.series.errors import NothingBuilt
from muniment.steps.release import with_status
from muniment.steps.series_target import newest_target, target_query


def table(lake: Lake, name: str) -> DataFrame:
    """A table by its whole name, or by its bare name where that is unique."""
    names = lake.names()
    views = _views(names)
    series = _series(names)
    known = sorted({*names, *views, *series})
    matches = [each for each in known if name in (each, each.split(".")[1])]
    if len(matches) > 1:
        raise BadArgument(argument="table", problem=f"'{name}' may be any of {', '.join(matches)}", advice="Give its whole name.")
    found = matches[0] if matches else find("table", name, {each: each for each in known})
    if found in series:
        return lake.spark.sql(_target(lake, found, series[found]))
    if found in views:
        return lake.table(views[found]).read().where(LIVE_NOW)
    return with_origins(lake.table(found).read()) if is_history(found) else lake.table(found).read()


def sql(lake: Lake, query: str) -> DataFrame:
    """A query in which tables have the names people see; anything else than a query is refused."""
    if not re.match(r"\s*(select|with|values|\()", query, re.IGNORECASE):
        raise BadArgument(
            argument="query", problem="only a query can be asked here", advice="Begin with SELECT or WITH; Muniment's verbs change tables."
        )
    names = lake.names()
    sources = {name: lake.table(name).identifier for name in names}
    sources |= {view: f"(SELECT * FROM {sources[name]} WHERE {LIVE_NOW})" for view, name in _views(names).items()}  # noqa: S608
    for name, state in _series(names).items():
        if name in query:
            sources[name] = f"({_target(lake, name, state)})"
    for name in filter(is_history, names):
        if name in query:
            columns = ", ".join(shown(lake.table(name).read().schema))
            sources[name] = f"(SELECT {columns} FROM {sources[name]})"  # noqa: S608 - names of our own
    for name, source in sources.items():
        quoted = source.replace("\\", r"\\")
        query = re.sub(rf"(?<![\w.`]){re.escape(name)}(?![\w.`])", quoted, query)
    return lake.spark.sql(query)


def _views(names: Sequence[str]) -> dict[str, str]:
    """What people query of belief, and the table behind it, where no catalog keeps it as a view."""
    histories = [name for name in names if name.startswith("silver.") and name.endswith("_history")]
    views = {name.removesuffix("_history"): name for name in histories}
    return {view: name for view, name in views.items() if view not in names}


def _series(names: Sequence[str]) -> dict[str, str]:
    """What people query of a series, and the table whose versions are its targets."""
    states = [name for name in names if name.startswith("silver.") and name.endswith("_state")]
    return {state.removesuffix("_state"): state for state in states if state.removesuffix("_state") not in names}


def _target(lake: Lake, name: str, state: str) -> str:
    """The newest target of a series that nothing bad is in, as a query."""
    series = name.removeprefix("silver.")
    version = newest_target(lake, series)
    if version is None:
        raise NothingBuilt(series=series, until="")
    return target_query(lake, state, version)


def runs(lake: Lake, *, entity: str | None = None) -> DataFrame:
    """The record of runs, newest first."""
    frame = _ops(lake, "run").orderBy(F.desc("run_id"))
    return frame if entity is None else frame.where(F.col("entity") == entity)


def quarantine(lake: Lake, *, entity: str | None = None, include_decided: bool = False) -> DataFrame:
    """Rows set aside; only those that wait, unless asked for all."""
    there = lake.table("ops.quarantine").exists()
    frame = with_status(lake) if there else _empty(lake, (*QUARANTINE, Col("status", "string", "")))
    frame = frame if entity is None else frame.where(F.col("entity") == entity)
    return frame if include_decided else frame.where(F.col("status") == "waiting")


def captures(lake: Lake, *, entity: str | None = None) -> DataFrame:
    """Captures and what became of them."""
    return _of(lake, "capture", CAPTURE, entity).orderBy("entity", "source", "effective_ts", "path")


def change_log(lake: Lake, *, entity: str) -> DataFrame:
    """The changes that captures showed."""
    return _of(lake, "capture_change", CAPTURE_CHANGE, entity).orderBy("effective_ts", "natural_key")


def _of(lake: Lake, name: str, columns: Sequence[Col], entity: str | None) -> DataFrame:
    found = lake.table(f"ops.{name}")
    frame = found.read() if found.exists() else _empty(lake, columns)
    return frame if entity is None else frame.where(F.col("entity") == entity)


def status(lake: Lake, entities: Sequence[Entity]) -> DataFrame:
    """One row per source of each entity."""
    declared = [(e.name, s.name, assess(e, s).status.value, *_fresh(e, s)) for e in entities for s in e.sources]
    sources = lake.spark.createDataFrame(declared, "entity string, source string, contract string, fresh_since timestamp, silence string")
    landed = _ops(lake, "run").where(F.col("step").isin("land", "release")).groupBy("entity", "source")
    counted = landed.agg(F.sum(F.col("counts")["landed"]).alias("landed"), F.max("received_at").alias("last_received"))
    waiting = quarantine(lake).groupBy("entity", F.col("source_system").alias("source")).agg(F.count(F.lit(1)).alias("quarantined"))
    joined = (
        sources.join(counted, ["entity", "source"], "left")
        .join(waiting, ["entity", "source"], "left")
        .join(_newest(lake, entities), ["entity", "source"], "left")
    )
    zero = {name: F.coalesce(name, F.lit(0)) for name in ("landed", "quarantined")}
    note = (
        F.when(F.col("last_received") < F.col("fresh_since"), F.col("silence"))
        .when(F.coalesce("quarantined", F.lit(0)) > 0, "rows wait in quarantine")
        .when(F.col("last_received").isNull(), "nothing heard yet")
    )
    shaped = joined.withColumns({**zero, "note": note})
    return shaped.select("entity", "source", "contract", "landed", "quarantined", "last_received", "last_event", "note").orderBy(
        "entity", "source"
    )


def _fresh(entity: Entity, source: Source) -> tuple[datetime | None, str | None]:
    """Since when a source must have been heard to be fresh, by its strictest check, and what is said if it was not."""
    limits = [check.within for check in entity.checks if isinstance(check, Fresh) and check.source == source.name]
    return (clock.now() - min(limits), f"nothing heard within {min(limits)}") if limits else (None, None)


def _newest(lake: Lake, entities: Sequence[Entity]) -> DataFrame:
    frame = _empty(lake, (Col("entity", "string", ""), Col("source", "string", ""), Col("last_event", "timestamp", "")))
    for entity in entities:
        log = lake.table(log_name(entity))
        if log.exists():
            newest = log.read().groupBy(F.col("source_system").alias("source")).agg(F.max("source_event_ts").alias("last_event"))
            frame = frame.unionByName(newest.withColumn("entity", F.lit(entity.name)))
    return frame


def _ops(lake: Lake, name: str) -> DataFrame:
    found = lake.table(f"ops.{name}")
    return found.read() if found.exists() else _empty(lake, OPS[name])


def _empty(lake: Lake, columns: Sequence[Col]) -> DataFrame:
    return lake.spark.createDataFrame([], ", ".join(f"{col.name} {col.type}" for col in columns))
