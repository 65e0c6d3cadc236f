"""What new evidence touches: the keys that go on from their heads, and the keys whose past must be folded again (DESIGN, section 6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.evidence.lanes import VERSION, continue_from, needs_repair
from muniment.evidence.order import collisions, together
from muniment.evidence.statements import absent_sources
from muniment.evidence.step import heads_met, step_from
from muniment.lake.tables import Lake
from muniment.steps.evidence import Evidence
from muniment.steps.kept import Kept
from muniment.steps.keys import Keys, all_of, either, keys_of, no_keys
from muniment.steps.news import News, asserted, new_rows, news_since, told_of
from muniment.steps.position import Position


@dataclass(frozen=True, slots=True)
class Touched:
    """What the table holds now of all that may change, what it must hold, and how that came about."""

    keys: Keys
    repairs: Keys  # keys that may not go on from their heads
    before: DataFrame | None  # neither is there where all keys are stepped
    after: DataFrame | None
    stepped: DataFrame | None = None  # what changes for the keys that one step brings up to date, `before` and `after` side by side
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
    keys, others = told_of(news.told, again=news.again, entity=entity)
    heads = keys.of(history.where("is_head"))
    heads = kept.keep(heads) if keys.are_few else heads  # read on all cores by the first look, which is for repairs
    repairs, late = _repairs(news, heads, keys, evidence=evidence)
    lanes = _Lanes(evidence, history, told=news.told, heads=heads, keys=keys, repairs=repairs, others=others)
    if lanes.goes_on and not keys.are_few:
        lanes = replace(lanes, heads=kept.keep(lanes.going_on(heads)))
    past = None if repairs.are_none else kept.now(lanes.past())
    return Touched(
        keys=keys,
        repairs=repairs,
        before=lanes.before(kept),
        after=lanes.after(past),
        stepped=lanes.stepped(),
        late=late,
        repaired=repairs.count(),
        collided=lanes.collided(news.rows, past),
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
    others: Keys  # keys that need more than one step

    @property
    def steps(self) -> bool:
        """Whether the keys that need no more are brought up to date by one step; two plans for a small batch take longer than one."""
        return self.repairs is not self.keys and (self.others.are_none or (self.others.are_short and not self.keys.are_few))

    @property
    def apart(self) -> Keys:
        """The keys that are not stepped, where any are."""
        return either(self.repairs, self.others)

    @property
    def goes_on(self) -> bool:
        """Whether any key goes on from its heads by its chain."""
        if self.repairs is self.keys:
            return False
        return not self.steps or len(self.apart.names or ()) > len(self.repairs.names or ())

    def going_on(self, rows: DataFrame) -> DataFrame:
        """The rows of those keys."""
        return self.repairs.apart(self.others.of(rows) if self.steps else rows)

    def past(self) -> DataFrame:
        """All that was ever said of the keys that are folded again."""
        return self.repairs.of(asserted(self.evidence.rows, entity=self.evidence.entity))

    def before(self, kept: Kept) -> DataFrame | None:
        """What the table holds of all that may change; it is compared twice, and a history is not read twice for that."""
        going_on = self.going_on(self.heads) if self.goes_on else None
        if self.repairs.are_none:
            return going_on
        held = kept.now(self._held()) if self.repairs.are_few else self.repairs.of(self.history)
        return held if going_on is None else going_on.unionByName(held)

    def _held(self) -> DataFrame:
        """All that the table holds of the keys that are folded again; the heads of few keys were read already."""
        if not self.keys.are_few:
            return self.repairs.of(self.history)
        return self.repairs.of(self.heads).unionByName(self.repairs.of(self.history.where("NOT is_head")))

    def after(self, past: DataFrame | None) -> DataFrame | None:
        few, entity = self.keys.are_few, self.evidence.entity
        folded = None if past is None else replace(self.evidence, rows=past).fold(few=few)
        if not self.goes_on:
            return folded
        went_on = continue_from(self.going_on(self.heads), self.going_on(self.told), entity=entity, few=few)
        return went_on if folded is None else went_on.unionByName(folded)

    def stepped(self) -> DataFrame | None:
        if not self.steps:
            return None
        few, heads = self.keys.are_few, self.heads
        if not few:  # read again, without those that no row moves: to keep them all from the look for repairs on would cost more
            heads = heads_met(self.history.where("is_head"), self.told)
        heads, told = (self.apart.apart(rows) for rows in (heads, self.told))
        return step_from(heads, told, entity=self.evidence.entity, few=few)

    def collided(self, news: DataFrame, past: DataFrame | None) -> DataFrame | None:
        """New rows that nothing but where they came from could order against another of their source (R6); one row of a key needs no order."""
        if past is None and not self.goes_on:
            return None
        near = self.repairs.apart(news)
        near, new = near if past is None else near.unionByName(past), news.select("assertion_id").distinct()
        if self.keys.are_few:
            near, new = together(near, few=True), together(new, few=True)
        return collisions(near).join(new, "assertion_id", "left_semi")


def _repairs(news: News, heads: DataFrame, keys: Keys, *, evidence: Evidence) -> tuple[Keys, int]:
    """The keys whose past must be folded again, and how many rows came late."""
    late = needs_repair(news.rows, heads, news.loads, entity=evidence.entity)
    row = late.agg(F.count(F.lit(1)).alias("keys"), F.sum("late").alias("rows"), F.min("sk").alias("sk")).first()
    found, rows = (row["keys"], row["rows"] or 0) if row else (0, 0)
    if news.again is None and found <= 1:
        return (all_of(late, (row["sk"],)) if row and found else no_keys(late)), rows
    repairs = keys_of(late if news.again is None else late.select("sk").unionByName(news.again))
    return (repairs if repairs.are_short else keys), rows  # too many to name: everything touched is folded again
