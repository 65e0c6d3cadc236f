"""What came after a position: new rows, and what new loads say of the keys they do not carry (R17)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.evidence.lanes import gone_since
from muniment.evidence.loads import overturned, verdicts
from muniment.evidence.slots import assertion_columns, only
from muniment.evidence.statements import absent_sources
from muniment.evidence.step import states_all
from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.model.tables import load_name, log_columns, log_name
from muniment.steps.evidence import Evidence, accepted_at, counting
from muniment.steps.kept import Kept
from muniment.steps.keys import FEW, Keys, all_of, keys_of, no_keys
from muniment.steps.position import Position, runs_between


@dataclass(frozen=True, slots=True)
class News:
    """What came after a position."""

    rows: DataFrame  # as landed
    told: DataFrame  # with the absences that new loads amount to
    again: DataFrame | None  # the keys whose past reads otherwise by new loads
    loads: DataFrame  # the headers that the history counts already


def news_since(lake: Lake, evidence: Evidence, history: DataFrame, *, was: Position, kept: Kept) -> News:
    """What came after a position, with the absences that new loads amount to."""
    entity, now = evidence.entity, evidence.at
    rows = new_rows(lake, evidence, was=was, kept=kept)
    if not absent_sources(entity) or (was.load, was.decision) == (now.load, now.decision):
        return News(rows, rows, None, evidence.loads)
    runs = runs_between(lake, load_name(entity), since=was.load, until=now.load)
    counted = evidence.loads.where(~F.col("ingest_run_id").isin(runs))
    watched = history.where(F.col("is_head") & F.col("source_system").isin(*absent_sources(entity)))
    absences = asserted(gone_since(watched, rows, evidence.loads, accepted=evidence.accepted, entity=entity), entity=entity)
    told = kept.now(rows.unionByName(absences))
    old = replace(evidence, loads=counted, accepted=accepted_at(lake, entity, was.decision))
    judged, emptied = overturned_sources(old, evidence), [source.name for source in entity.sources if source.truncates]
    if not judged and not emptied:
        return News(rows, told, None, counted)
    mine = F.col("source_system").isin(judged)
    again = watched.where(mine).select("sk").unionByName(rows.where(mine).select("sk"))
    late = _emptied_late(watched, evidence.loads.where(F.col("ingest_run_id").isin(runs) & F.col("source_system").isin(emptied)))
    return News(rows, told, kept.now(again.unionByName(late).distinct()), counted)


def told_of(told: DataFrame, *, again: DataFrame | None, entity: Entity) -> tuple[Keys, Keys]:
    """The keys that something is told of, and those of which it is more than one row that states everything; one look, where they are few."""
    rows = told.select("sk", F.expr(states_all(entity)).alias("alone"))
    rows = rows if again is None else rows.unionByName(again.select("sk", F.lit(False).alias("alone")))
    found = rows.coalesce(1).limit(FEW + 1).collect()  # in one place: a limit goes from place to place, a job each
    if len(found) > FEW:
        keys = rows.groupBy("sk").agg(F.expr("count(1) = 1 AND bool_and(alone)").alias("alone"))
        number, others = keys.agg(F.expr("count(1)"), F.expr("count_if(NOT alone)")).collect()[0]
        return all_of(rows, None, number=number), keys_of(keys.where("NOT alone")) if others else no_keys(rows)
    often = Counter(row["sk"] for row in found)
    others = {row["sk"] for row in found if often[row["sk"]] > 1 or not row["alone"]}
    return all_of(rows, tuple(sorted(often))), all_of(rows, tuple(sorted(others)))


def _emptied_late(heads: DataFrame, truncates: DataFrame) -> DataFrame:
    """The keys of which more was heard before a truncate of an earlier, or the same, instant came: its partition lagged."""
    oldest = truncates.groupBy("source_system").agg(F.min("load_ts").alias("_emptied"))
    reached = heads.join(F.broadcast(oldest), "source_system").where(F.col("last_order.statement_ts") >= F.col("_emptied"))
    return reached.select("sk")


def new_rows(lake: Lake, evidence: Evidence, *, was: Position, kept: Kept) -> DataFrame:
    """The rows that landed after a position."""
    entity, log = evidence.entity, lake.table(log_name(evidence.entity))
    added = log.appended(log_columns(entity), since=was.log, until=evidence.at.log)
    if added is not None:
        return asserted(counting(added, evidence.at), entity=entity)
    runs = runs_between(lake, log_name(entity), since=was.log, until=evidence.at.log)
    return kept.keep(asserted(evidence.rows.where(F.col("ingest_run_id").isin(runs)), entity=entity))


def asserted(rows: DataFrame, *, entity: Entity) -> DataFrame:
    """Rows of the log with the columns that a timeline follows from."""
    return only(rows, (column.name for column in assertion_columns(entity)))


def overturned_sources(old: Evidence, new: Evidence) -> list[str]:
    """The sources whose past reads otherwise by the new loads: all their keys are folded again (R17)."""
    before = verdicts(old.loads, old.accepted, entity=new.entity)
    after = verdicts(new.loads, new.accepted, entity=new.entity)
    found = {row["source_system"] for row in overturned(before, after).select("source_system").distinct().collect()}
    in_a_row = {name for name in absent_sources(new.entity) if new.entity.source(name).complete.absences > 1}
    return sorted(found | in_a_row)
