"""The keys that a resolve has to look at again: named by new rows, reached by new loads, or set by hand (R8, R17)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.belief.going_on import Standing, go_on, needs_past
from muniment.belief.resolution import resolve
from muniment.evidence.lanes import needs_repair
from muniment.evidence.statements import absent_sources
from muniment.lake.errors import VersionGone
from muniment.lake.failed import FAILED
from muniment.lake.schema import aligned, kind_of
from muniment.lake.tables import Lake
from muniment.model.entity import Deletes, Entity
from muniment.model.tables import belief_columns, belief_name, history_columns, history_name, load_name
from muniment.steps.evidence import Evidence, accepted_at
from muniment.steps.kept import Kept
from muniment.steps.keys import Keys, keys_of
from muniment.steps.news import new_rows, overturned_sources
from muniment.steps.overrides import overridden_between, overrides_at
from muniment.steps.position import Position, heard_nothing, runs_between

_CLEANED: tuple[type[Exception], ...] = (VersionGone, *FAILED)  # what reading files that maintenance took away raises


@dataclass(frozen=True, slots=True)
class Since:
    """From one position of belief to another."""

    was: Position
    now: Position

    @property
    def has_news(self) -> bool:
        was, now = self.was, self.now
        return not heard_nothing(was, now) or was.override != now.override


@dataclass(frozen=True, slots=True)
class Concerned:
    """What belief holds now of all that may change, and what it must hold."""

    keys: Keys
    before: DataFrame
    after: DataFrame


def concerned(lake: Lake, evidence: Evidence, since: Since, *, kept: Kept) -> Concerned:
    """Go on from what is held where all news is later, look at the whole past of the other keys; the history must be derived up to here."""
    entity = evidence.entity
    news = new_rows(lake, evidence, was=since.was, kept=kept)
    again = kept.now(_again(lake, evidence, since).distinct())
    keys = keys_of(kept.keep(news.select("sk").unionByName(again).distinct()))
    table = lake.table(belief_name(entity))
    silver = aligned(table.read(table.version()), kind_of(belief_columns(entity)))
    heads = _heads(lake, entity, since=since, keys=keys, kept=kept)
    if heads is None:
        return _Lanes(lake, evidence, since, keys, keys).told(silver, news, None, kept=kept)
    standing = Standing(heads, kept.now(keys.of(_open(silver, entity))))
    overridden = overrides_at(lake, entity, since.now.override)
    again = again if overridden is None else again.unionByName(overridden.select("sk"))
    repairs = _repairs(news, keys.of(again), standing, evidence, kept=kept)
    return _Lanes(lake, evidence, since, keys, repairs if repairs.are_short else keys).told(silver, news, standing, kept=kept)


@dataclass(frozen=True, slots=True)
class _Lanes:
    lake: Lake
    evidence: Evidence
    since: Since
    keys: Keys
    repairs: Keys  # keys that may not go on from what is held

    def told(self, silver: DataFrame, news: DataFrame, standing: Standing | None, *, kept: Kept) -> Concerned:
        past = kept.now(self.repairs.of(self.evidence.rows)) if not self.repairs.are_none else None
        folded = None if past is None else fresh(self.lake, replace(self.evidence, rows=past), self.since.now, few=self.keys.are_few)
        if standing is None or (folded is not None and self.repairs is self.keys):
            return Concerned(self.keys, self.keys.of(silver), folded if folded is not None else silver.limit(0))
        entity, few = self.evidence.entity, self.keys.are_few
        rest = Standing(self.repairs.apart(standing.heads), self.repairs.apart(standing.held))
        after = go_on(rest, self.repairs.apart(news), entity=entity, version=self.since.now.rules, few=few)
        if folded is None:
            return Concerned(self.keys, standing.held, after)
        return Concerned(self.keys, rest.held.unionByName(self.repairs.of(silver)), after.unionByName(folded))


def fresh(lake: Lake, evidence: Evidence, at: Position, *, few: bool = False) -> DataFrame:
    """Belief over time as it follows from evidence at a position, from nothing."""
    overrides = overrides_at(lake, evidence.entity, at.override)
    return resolve(evidence.assertions(few=few), overrides, entity=evidence.entity, version=at.rules, few=few)


def _heads(lake: Lake, entity: Entity, *, since: Since, keys: Keys, kept: Kept) -> DataFrame | None:
    """The heads of these keys as the last resolve saw them; None where they are no longer to be had."""
    if since.was.history < 0:
        return None
    try:
        history = aligned(lake.table(history_name(entity)).read(since.was.history), kind_of(history_columns(entity)))
        return kept.now(keys.of(history.where("is_head")))
    except _CLEANED:  # the log has it all
        return None


def _open(silver: DataFrame, entity: Entity) -> DataFrame:
    """The intervals that are open; where deletes make versions that is a partition."""
    is_open = F.col("effective_to").isNull()
    return silver.where(is_open if entity.history.deletes is Deletes.CLOSE else is_open & F.col("is_current"))


def _repairs(news: DataFrame, again: DataFrame, standing: Standing, evidence: Evidence, *, kept: Kept) -> Keys:
    entity = evidence.entity
    late = needs_repair(news, standing.heads, evidence.loads, entity=entity).select("sk")
    found = late.unionByName(again).unionByName(needs_past(standing, entity=entity))
    return keys_of(kept.keep(found.distinct()))


def _again(lake: Lake, evidence: Evidence, since: Since) -> DataFrame:
    """The keys whose past may read otherwise, whatever new rows say."""
    entity, was, now = evidence.entity, since.was, since.now
    found = evidence.rows.select("sk").limit(0)
    if absent_sources(entity) and (was.load, was.decision) != (now.load, now.decision):
        found = found.unionByName(_looked_at(lake, evidence, since))
    if was.override != now.override:
        found = found.unionByName(overridden_between(lake, entity, since=was.override, until=now.override))
    return found


def _looked_at(lake: Lake, evidence: Evidence, since: Since) -> DataFrame:
    """Keys with a statement at or after the oldest new load, and all keys of sources whose past reads otherwise now."""
    entity = evidence.entity
    runs = runs_between(lake, load_name(entity), since=since.was.load, until=since.now.load)
    is_new = F.col("ingest_run_id").isin(runs)
    oldest = evidence.loads.where(is_new).agg(F.min("load_ts").alias("oldest"))
    heads = lake.table(history_name(entity)).read().where(F.col("is_head") & F.col("source_system").isin(*absent_sources(entity)))
    reached = heads.join(F.broadcast(oldest), F.col("last_order.statement_ts") >= F.col("oldest")).select("sk")
    old = replace(evidence, loads=evidence.loads.where(~is_new), accepted=accepted_at(lake, entity, since.was.decision))
    return reached.unionByName(heads.where(F.col("source_system").isin(overturned_sources(old, evidence))).select("sk"))
