"""What new evidence touches: the keys that go on from their heads, and the keys whose past must be folded again (DESIGN, section 6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.evidence.lanes import continue_from, gone_since, needs_repair
from muniment.evidence.loads import overturned, verdicts
from muniment.evidence.order import collisions, together
from muniment.evidence.slots import assertion_columns, named
from muniment.evidence.statements import absent_sources
from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.model.tables import load_name, log_name
from muniment.steps.evidence import Evidence, accepted_at
from muniment.steps.kept import Kept
from muniment.steps.keys import Keys, keys_of
from muniment.steps.position import Position


@dataclass(frozen=True, slots=True)
class Touched:
    """What the history holds now of all that may change, what it must hold, and how that came about."""

    keys: Keys
    repairs: Keys  # keys that may not go on from their heads
    before: DataFrame
    after: DataFrame
    late: int = 0  # new rows not later than what their key had
    repaired: int = 0  # keys whose past was folded again
    collisions: int = 0

    def replaced(self, changed: Keys) -> str:
        """Which rows of the table (`t`) the rows that come (`s`) take the place of."""
        match = f"t.sk = s.sk AND {changed.sql('t.sk')}" if changed.are_few else "t.sk = s.sk"
        if self.repairs is self.keys:
            return match
        return f"{match} AND t.is_head" if self.repairs.are_none else f"{match} AND (t.is_head OR {self.repairs.sql('t.sk')})"


@dataclass(frozen=True, slots=True)
class News:
    """What came after a position."""

    rows: DataFrame  # as landed
    told: DataFrame  # with the absences that new loads amount to
    again: DataFrame  # the keys whose past reads otherwise by new loads (R17)
    loads: DataFrame  # the headers that the history counts already


def touched_by(lake: Lake, evidence: Evidence, history: DataFrame, *, was: Position, kept: Kept) -> Touched:
    """What came after a position, and what it means for whom."""
    entity = evidence.entity
    if absent_sources(entity):
        evidence = replace(evidence, loads=kept.keep(evidence.loads))
    news = news_since(lake, evidence, history, was=was, kept=kept)
    keys = keys_of(kept.keep(news.told.select("sk").unionByName(news.again)))
    heads = kept.now(keys.of(history.where("is_head")))
    arrived, known = (together(rows, few=True) if keys.are_few else rows for rows in (news.rows, heads))
    late = kept.keep(needs_repair(arrived, known, news.loads, entity=entity))
    repairs = keys_of(late.select("sk").unionByName(news.again))
    repairs = repairs if repairs.are_few else keys  # too many to name: everything touched is folded again
    lanes = _Lanes(evidence, history, told=news.told, heads=heads, keys=keys, repairs=repairs)
    past = kept.now(lanes.past()) if not repairs.are_none else None
    return Touched(
        keys=keys,
        repairs=repairs,
        before=lanes.before(),
        after=lanes.after(past),
        late=_total(late),
        repaired=repairs.count(),
        collisions=_collided(repairs.apart(news.rows) if past is None else repairs.apart(news.rows).unionByName(past), news.rows, keys),
    )


def facts_touched_by(lake: Lake, evidence: Evidence, facts: DataFrame, *, was: Position, kept: Kept) -> Touched:
    """The facts that new rows say or repeat; a repeat needs all that was ever said of its fact."""
    entity = evidence.entity
    runs = _runs(lake, log_name(entity), since=was.log, until=evidence.at.log)
    news = kept.keep(evidence.rows.where(F.col("ingest_run_id").isin(runs)).select(*_names(entity)))
    keys = keys_of(news)
    held = kept.now(keys.of(facts))
    known = keys_of(held)
    rows = news if known.are_none else known.apart(news).unionByName(kept.now(known.of(evidence.rows.select(*_names(entity)))))
    after = replace(evidence, rows=rows).fold(few=keys.are_few)
    return Touched(keys=keys, repairs=keys, before=held, after=after)


@dataclass(frozen=True, slots=True)
class _Lanes:
    evidence: Evidence
    history: DataFrame
    told: DataFrame
    heads: DataFrame
    keys: Keys
    repairs: Keys

    def past(self) -> DataFrame:
        """All that was ever said of the keys that are folded again."""
        return self.repairs.of(self.evidence.rows.select(*_names(self.evidence.entity)))

    def before(self) -> DataFrame:
        going_on = self.repairs.apart(self.heads)
        return going_on if self.repairs.are_none else going_on.unionByName(self.repairs.of(self.history))

    def after(self, past: DataFrame | None) -> DataFrame:
        few = self.keys.are_few
        if past is None:
            return continue_from(self.heads, self.told, entity=self.evidence.entity, few=few)
        folded = replace(self.evidence, rows=past).fold(few=few)
        if self.repairs is self.keys:
            return folded
        heads, told = self.repairs.apart(self.heads), self.repairs.apart(self.told)
        return continue_from(heads, told, entity=self.evidence.entity, few=few).unionByName(folded)


def news_since(lake: Lake, evidence: Evidence, history: DataFrame, *, was: Position, kept: Kept) -> News:
    """What came after a position, with the absences that new loads amount to."""
    entity, now = evidence.entity, evidence.at
    runs = _runs(lake, log_name(entity), since=was.log, until=now.log)
    rows = kept.keep(evidence.rows.where(F.col("ingest_run_id").isin(runs)).select(*_names(entity)))
    nobody = rows.select("sk").limit(0)
    if not absent_sources(entity) or (was.load, was.decision) == (now.load, now.decision):
        return News(rows, rows, nobody, evidence.loads)
    counted = evidence.loads.where(~F.col("ingest_run_id").isin(_runs(lake, load_name(entity), since=was.load, until=now.load)))
    watched = history.where(F.col("is_head") & F.col("source_system").isin(*absent_sources(entity)))
    absences = gone_since(watched, rows, evidence.loads, accepted=evidence.accepted, entity=entity).select(*_names(entity))
    told = kept.now(rows.unionByName(absences))
    old = replace(evidence, loads=counted, accepted=accepted_at(lake, entity, was.decision))
    judged = _overturned(old, evidence)
    if not judged:
        return News(rows, told, nobody, counted)
    mine = F.col("source_system").isin(judged)
    again = watched.where(mine).select("sk").unionByName(rows.where(mine).select("sk"))
    return News(rows, told, kept.now(again.distinct()), counted)


def _runs(lake: Lake, table: str, *, since: int, until: int) -> list[str]:
    commits = lake.table(table).commits(since=since) if until > since else []
    return [str(commit.metadata["run"]) for commit in commits if commit.metadata and "run" in commit.metadata and commit.version <= until]


def _overturned(old: Evidence, new: Evidence) -> list[str]:
    """The sources whose past reads otherwise by the new loads: all their keys are folded again (R17)."""
    before = verdicts(old.loads, old.accepted, entity=new.entity)
    after = verdicts(new.loads, new.accepted, entity=new.entity)
    found = {row["source_system"] for row in overturned(before, after).select("source_system").distinct().collect()}
    in_a_row = {name for name in absent_sources(new.entity) if new.entity.source(name).complete.absences > 1}
    return sorted(found | in_a_row)


def _collided(rows: DataFrame, news: DataFrame, keys: Keys) -> int:
    """New rows that nothing but where they came from could order against another of their source (R6)."""
    near, new = (together(each, few=True) if keys.are_few else each for each in (rows, news.select("assertion_id").distinct()))
    return collisions(near).join(new, "assertion_id", "left_semi").count()


def _total(late: DataFrame) -> int:
    sums = late.agg(F.sum("late").alias("late")).first()
    return (sums["late"] if sums else 0) or 0


def _names(entity: Entity) -> list[Column]:
    return named(column.name for column in assertion_columns(entity))
