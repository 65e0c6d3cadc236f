"""Which loads of a complete set count: judged from their headers alone, in time order, whatever order they came in (R17)."""

from __future__ import annotations

import json
from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.evidence.statements import absent_sources
from muniment.model.entity import Entity
from muniment.model.source import OnShort, Source

ACCEPTED, HELD, INCOMPLETE = "accepted", "held", "incomplete"

_JUDGED = (
    "array<struct<load_ts: timestamp, heard: timestamp, load_id: string, ingest_run_id: string, load_sequence: array<decimal(38,0)>,"
    " verdict: string, why: string>>"
)
_TOLD = ("load_ts", "heard", "load_id", "ingest_run_id", "load_sequence")
_PLACE = ("source_system", "scope", "load_ts")


def verdicts(loads: DataFrame, accepted: DataFrame, *, entity: Entity) -> DataFrame:
    """Per load and scope whether its absence counts: `load_id, source_system, scope, load_ts, keys, verdict, why`.

    `accepted` names the loads a person accepted in its column `load_id`; an incomplete load says nothing until then.
    """
    headers = _by_scope(loads, accepted, entity=entity)
    judged = _judge(_instants(headers, accepted), entity=entity)
    found = headers.join(judged.drop("load_id"), list(_PLACE), "left")
    return found.select(
        *("load_id", *_PLACE, "keys"),
        F.when(F.col("is_complete"), F.col("verdict")).otherwise(INCOMPLETE).alias("verdict"),
        F.when(F.col("is_complete"), F.col("why")).otherwise(F.coalesce("note", F.lit("not complete"))).alias("why"),
    )


def looks_of(loads: DataFrame, accepted: DataFrame, *, entity: Entity) -> DataFrame:
    """The instants at which an accepted load looked at the keys of a scope, and when that was heard; loads of one instant are one (R17)."""
    judged = _judge(_instants(_by_scope(loads, accepted, entity=entity), accepted), entity=entity)
    names = ("source_system", "scope", F.col("load_ts").alias("at"), "heard", "load_id", "ingest_run_id", "load_sequence")
    return judged.where(F.col("verdict") == ACCEPTED).select(*names)


def overturned(before: DataFrame, after: DataFrame) -> DataFrame:
    """Sources and scopes whose past reads otherwise by the later verdicts: all keys of these sources go to repair.

    That is what a load does that is not the newest, and what accepting a held load does.
    """
    newest = before.groupBy("source_system", "scope").agg(F.max("load_ts").alias("newest"))
    place = ["load_id", *_PLACE]
    old, new = before.select(*place, F.col("verdict").alias("was")), after.select(*place, F.col("verdict").alias("now"))
    changed = old.join(new, place, "full").where(~F.col("was").eqNullSafe(F.col("now")))
    past = changed.join(newest, ["source_system", "scope"]).where(F.col("load_ts") <= F.col("newest"))
    return past.select("source_system", "scope").distinct()


def by_source(entity: Entity, setting: Callable[[Source], object]) -> Column:
    """A setting of each source with absence, for the row's own source."""
    source = F.col("source_system")
    return F.coalesce(*(F.when(source == name, F.lit(setting(entity.source(name)))) for name in absent_sources(entity)))


def _by_scope(loads: DataFrame, accepted: DataFrame, *, entity: Entity) -> DataFrame:
    """Headers per scope; a load that is not complete counts as one when a person says so."""
    by_person = F.broadcast(accepted.select("load_id", F.lit(True).alias("_by_person")).distinct())
    mine = loads.where(F.col("source_system").isin(*absent_sources(entity))).join(by_person, ["load_id"], "left")
    complete = F.coalesce(F.col("_by_person"), F.col("complete"), F.lit(False)).alias("is_complete")
    columns = ("load_id", "source_system", "load_ts", "ingest_ts", "ingest_run_id", "note", "load_sequence")
    rows = mine.select(*columns, complete, F.explode("carried").alias("scope", "keys")).where(_has_authority(entity))
    header = rows.groupBy("load_id", *_PLACE, "is_complete")
    return header.agg(
        F.max("keys").alias("keys"),
        F.max(F.struct("ingest_ts", "ingest_run_id")).alias("receipt"),
        F.min("note").alias("note"),
        F.max("load_sequence").alias("load_sequence"),
    )


def _has_authority(entity: Entity) -> Column:
    """A source says *gone* only of the scopes that it has the authority over; elsewhere its absence is evidence and no more."""
    found = F.lit(True)
    for name in absent_sources(entity):
        authority = entity.source(name).authority
        if authority is not None:
            scopes = [json.dumps([value], separators=(",", ":"), ensure_ascii=False) for value in authority]
            found = found & ((F.col("source_system") != name) | F.col("scope").isin(*scopes))
    return found


def _instants(headers: DataFrame, accepted: DataFrame) -> DataFrame:
    """Complete headers of one source, scope and instant as one."""
    by_person = accepted.select("load_id", F.lit(True).alias("by_person")).distinct()
    complete = headers.where("is_complete").join(F.broadcast(by_person), ["load_id"], "left")
    instants = complete.groupBy(*_PLACE).agg(
        F.sum("keys").alias("keys"),
        F.max("receipt").alias("receipt"),
        F.min("load_id").alias("load_id"),
        F.max("load_sequence").alias("load_sequence"),  # of two truncates the later one empties what came between
        F.coalesce(F.max("by_person"), F.lit(False)).alias("by_person"),
    )
    return instants.withColumns({"heard": F.col("receipt.ingest_ts"), "ingest_run_id": F.col("receipt.ingest_run_id")}).drop("receipt")


def _judge(instants: DataFrame, *, entity: Entity) -> DataFrame:
    """Each instant against the last accepted one before it; headers are few, so a scope's are walked in one expression."""
    guard = {
        "fraction": by_source(entity, lambda source: float(source.complete.min_fraction)),
        "allow_empty": by_source(entity, lambda source: source.complete.allow_empty),
        "count_short": by_source(entity, lambda source: source.complete.on_short is OnShort.COUNT),
    }
    load = F.struct(*_TOLD, "keys", "by_person", *(value.alias(name) for name, value in guard.items()))
    scopes = instants.groupBy("source_system", "scope").agg(F.array_sort(F.collect_list(load)).alias("loads"))
    start = F.struct(F.lit(None).cast("bigint").alias("last"), F.array().cast(_JUDGED).alias("judged"))
    walked = F.aggregate("loads", start, _walk, lambda state: state["judged"])
    return scopes.select("source_system", "scope", F.inline(walked))


def _walk(state: Column, load: Column) -> Column:
    verdict = F.when(_passes(load, state["last"]), ACCEPTED).otherwise(HELD)
    why = _why(load, state["last"])
    entry = F.struct(*(load[name].alias(name) for name in _TOLD), verdict.alias("verdict"), why.alias("why"))
    last = F.when(verdict == ACCEPTED, load["keys"]).otherwise(state["last"])
    return F.struct(last.alias("last"), F.concat(state["judged"], F.array(entry)).alias("judged"))


def _passes(load: Column, last: Column) -> Column:
    enough = last.isNull() | (load["keys"] >= load["fraction"] * last)
    return load["by_person"] | load["count_short"] | F.when(load["keys"] == 0, load["allow_empty"]).otherwise(enough)


def _why(load: Column, last: Column) -> Column:
    against = F.concat(load["keys"].cast("string"), F.lit(" keys after "), last.cast("string"))
    return (
        F.when(load["by_person"], "accepted by a person")
        .when(load["keys"] == 0, "empty")
        .when(last.isNull(), F.concat(load["keys"].cast("string"), F.lit(" keys, the first of its scope")))
        .otherwise(F.concat(against, F.lit(", at least "), load["fraction"].cast("string"), F.lit(" of them needed")))
    )
