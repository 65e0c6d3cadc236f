"""What new evidence touches: the keys that go on from their heads, and the keys whose past must be folded again (DESIGN, section 6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.evidence.lanes import VERSION, continue_from, needs_repair
from muniment.evidence.order import collisions, together
from muniment.evidence.statements import absent_sources
from muniment.lake.tables import Lake
from muniment.steps.evidence import Evidence
from muniment.steps.kept import Kept
from muniment.steps.keys import Keys, all_of, keys_of, no_keys
from muniment.steps.news import News, asserted, new_rows, news_since
from muniment.steps.position import Position


@dataclass(frozen=True, slots=True)
class Touched:
    """What the table holds now of all that may change, what it must hold, and how that came about."""

    keys: Keys
    repairs: Keys  # keys that may not go on from their heads
    before: DataFrame
    after: DataFrame
    late: int = 0  # new rows not later than what their key had
    repaired: int = 0  # keys whose past was folded again
    collided: DataFrame | None = None  # new rows that only where they came from could order (R6)
    identity: tuple[str, ...] = VERSION

    def replaced(self, wholes: Keys) -> str:
        """Which rows of the table (`t`) those that come (`s`) take the place of: themselves, or for some keys all there are."""
        same = [f"t.{name} = s.{name}" for name in self.identity if name != "sk"]
        row = " AND ".join(same) or "true"
        row = row if wholes.are_none else f"({row} OR {wholes.sql('t.sk')})" if wholes.are_short else "true"
        named = f"t.sk = s.sk AND {self.keys.sql('t.sk')}" if self.keys.are_short else "t.sk = s.sk"
        return f"{named} AND {self._lane()} AND {row}"

    def _lane(self) -> str:
        """Keys that go on from their heads change nothing that is closed."""
        if self.repairs is self.keys:
            return "true"
        return "t.is_head" if self.repairs.are_none else f"(t.is_head OR {self.repairs.sql('t.sk')})"


def touched_by(lake: Lake, evidence: Evidence, history: DataFrame, *, was: Position, kept: Kept) -> Touched:
    """What came after a position, and what it means for whom."""
    entity = evidence.entity
    if absent_sources(entity):
        evidence = replace(evidence, loads=kept.keep(evidence.loads))
    news = news_since(lake, evidence, history, was=was, kept=kept)
    keys = keys_of(news.told if news.again is None else news.told.select("sk").unionByName(news.again))
    heads = kept.keep(keys.of(history.where("is_head")))  # read on all cores by the first look, which is for repairs
    repairs, late = _repairs(news, heads, keys, evidence=evidence)
    lanes = _Lanes(evidence, history, told=news.told, heads=heads, keys=keys, repairs=repairs)
    past = None if repairs.are_none else kept.now(lanes.past())
    return Touched(
        keys=keys,
        repairs=repairs,
        before=lanes.before(kept),
        after=lanes.after(past),
        late=late,
        repaired=repairs.count(),
        collided=_collided(repairs.apart(news.rows) if past is None else repairs.apart(news.rows).unionByName(past), news.rows, keys),
    )


def facts_touched_by(lake: Lake, evidence: Evidence, facts: DataFrame, *, was: Position, kept: Kept) -> Touched:
    """The facts that new rows say or repeat; a repeat needs all that was ever said of its fact."""
    entity = evidence.entity
    news = new_rows(lake, evidence, was=was, kept=kept)
    keys = keys_of(news)
    held = kept.now(keys.of(facts))
    known = keys_of(held)
    rows = news if known.are_none else known.apart(news).unionByName(kept.now(known.of(asserted(evidence.rows, entity=entity))))
    after = replace(evidence, rows=rows).fold(few=keys.are_few)
    return Touched(keys=keys, repairs=keys, before=held, after=after, identity=("sk",))


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
        return self.repairs.of(asserted(self.evidence.rows, entity=self.evidence.entity))

    def before(self, kept: Kept) -> DataFrame:
        """What the table holds of all that may change; it is compared twice, and a history is not read twice for that."""
        going_on = self.repairs.apart(self.heads)
        if self.repairs.are_none:
            return going_on
        held = self.repairs.of(self.history)
        return going_on.unionByName(kept.now(held) if self.repairs.are_few else held)

    def after(self, past: DataFrame | None) -> DataFrame:
        few = self.keys.are_few
        if past is None:
            return continue_from(self.heads, self.told, entity=self.evidence.entity, few=few)
        folded = replace(self.evidence, rows=past).fold(few=few)
        if self.repairs is self.keys:
            return folded
        heads, told = self.repairs.apart(self.heads), self.repairs.apart(self.told)
        return continue_from(heads, told, entity=self.evidence.entity, few=few).unionByName(folded)


def _repairs(news: News, heads: DataFrame, keys: Keys, *, evidence: Evidence) -> tuple[Keys, int]:
    """The keys whose past must be folded again, and how many rows came late."""
    late = needs_repair(news.rows, heads, news.loads, entity=evidence.entity)
    row = late.agg(F.count(F.lit(1)).alias("keys"), F.sum("late").alias("rows"), F.min("sk").alias("sk")).first()
    found, rows = (row["keys"], row["rows"] or 0) if row else (0, 0)
    if news.again is None and found <= 1:
        return (all_of(late, (row["sk"],)) if row and found else no_keys(late)), rows
    repairs = keys_of(late if news.again is None else late.select("sk").unionByName(news.again))
    return (repairs if repairs.are_short else keys), rows  # too many to name: everything touched is folded again


def _collided(rows: DataFrame, news: DataFrame, keys: Keys) -> DataFrame:
    """New rows that nothing but where they came from could order against another of their source (R6)."""
    near, new = (together(each, few=True) if keys.are_few else each for each in (rows, news.select("assertion_id").distinct()))
    return collisions(near).join(new, "assertion_id", "left_semi")
