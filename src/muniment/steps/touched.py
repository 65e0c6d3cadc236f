"""What new evidence touches: the keys that go on from their heads, and the keys whose past must be folded again (DESIGN, section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.evidence.lanes import continue_from, gone_since, needs_repair
from muniment.evidence.loads import overturned, verdicts
from muniment.evidence.order import collisions
from muniment.evidence.slots import assertion_columns, named
from muniment.evidence.statements import absent_sources
from muniment.lake.tables import Lake
from muniment.ledger.chain import appending
from muniment.model.entity import Entity
from muniment.model.tables import log_name
from muniment.steps.evidence import Evidence, evidence_at
from muniment.steps.position import Position

MANY_REPAIRS = 5_000  # more keys than this are not named one by one: all touched keys are folded again


@dataclass(frozen=True)
class Touched:
    """The new rows, the absences they come with, and the heads of their keys."""

    entity: Entity
    evidence: Evidence
    history: DataFrame
    news: DataFrame
    rows: DataFrame  # the new rows and the derived absences
    late_keys: DataFrame  # keys that may not go on from their heads

    @cached_property
    def repairs(self) -> list[str]:
        """The keys to fold again, if they are few."""
        return [row["sk"] for row in self.late_keys.limit(MANY_REPAIRS + 1).collect()]

    @property
    def repairs_all(self) -> bool:
        return len(self.repairs) > MANY_REPAIRS

    @cached_property
    def keys(self) -> DataFrame:
        """Every key that is touched, and whether it needs repair."""
        touched = self.rows.select("sk").unionByName(self.late_keys.select("sk")).distinct()
        return touched.withColumn("_repair", F.lit(True) if self.repairs_all else _among(self.repairs)).persist()

    def before(self) -> DataFrame:
        """What the history holds now of all that may change."""
        kept = self.history.join(self.keys, "sk")
        return kept.where(F.col("is_head") | F.col("_repair")).drop("_repair")

    def after(self) -> DataFrame:
        """What it must hold."""
        lanes = [*([] if self.repairs_all else [self._in_order()]), *([self._repaired()] if self.repairs else [])]
        return lanes[0] if len(lanes) == 1 else lanes[0].unionByName(lanes[1])

    def replaced(self) -> str:
        """Which rows of the table (`t`) the rows that come (`s`) take the place of."""
        if not self.repairs:
            return "t.sk = s.sk AND t.is_head"
        if self.repairs_all:
            return "t.sk = s.sk"
        return f"t.sk = s.sk AND (t.is_head OR t.sk IN ({', '.join(_text(sk) for sk in self.repairs)}))"

    def counts(self) -> dict[str, int]:
        """Keys touched and repaired, and rows that were late."""
        keys = self.keys.agg(F.count(F.lit(1)).alias("keys"), F.count_if("_repair").alias("repaired")).first()
        newest = self._heads().groupBy("sk").agg(F.max("last_order.statement_ts").alias("_newest"))
        late = self.news.join(newest, "sk").where(F.col("source_event_ts") <= F.col("_newest")).count() if self.repairs else 0
        return {"keys": keys["keys"] if keys else 0, "repaired": keys["repaired"] if keys else 0, "late": late}

    def collisions(self) -> int:
        """New rows that nothing but where they came from could order against another of their source (R6)."""
        keys = self.news.select("sk").distinct()
        together = self.evidence.of_keys(keys).rows if self.repairs else self.news
        return collisions(together).join(self.news.select("assertion_id").distinct(), "assertion_id", "left_semi").count()

    def release(self) -> None:
        """Let go of what was kept in memory."""
        self.keys.unpersist()

    def _heads(self) -> DataFrame:
        return self.history.where("is_head").join(self.keys.select("sk"), "sk", "left_semi")

    def _in_order(self) -> DataFrame:
        going_on = self.keys.where(~F.col("_repair")).select("sk")
        heads = self.history.where("is_head").join(going_on, "sk", "left_semi")
        return continue_from(heads, self.rows.join(going_on, "sk", "left_semi"), entity=self.entity)

    def _repaired(self) -> DataFrame:
        return self.evidence.of_keys(self.keys.where("_repair")).fold()


def touched_by(lake: Lake, evidence: Evidence, history: DataFrame, *, was: Position, now: Position) -> Touched:
    """What came after a position, and what it means for whom."""
    entity = evidence.entity
    names = named(column.name for column in assertion_columns(entity))
    news = evidence.rows.where(F.col("ingest_run_id").isin(_runs(lake, entity, was=was, now=now))).select(*names)
    heads = history.where("is_head")
    old = evidence_at(lake, entity, was)
    heard_loads = bool(absent_sources(entity)) and (was.load, was.decision) != (now.load, now.decision)
    if not heard_loads:
        late = needs_repair(news, _of(heads, news), old.loads, entity=entity).select("sk")
        return Touched(entity, evidence, history, news, news, late)
    judged = F.col("source_system").isin(_overturned(old, evidence))
    watched = heads.join(heads.where(F.col("source_system").isin(*absent_sources(entity))).select("sk").distinct(), "sk", "left_semi")
    absences = gone_since(watched, news, evidence.loads, accepted=evidence.accepted, entity=entity).select(*names)
    late = needs_repair(news, _of(heads, news), old.loads, entity=entity).select("sk")
    again = heads.where(judged).select("sk").unionByName(news.where(judged).select("sk"))
    return Touched(entity, evidence, history, news, news.unionByName(absences), late.unionByName(again).distinct())


def _runs(lake: Lake, entity: Entity, *, was: Position, now: Position) -> list[str]:
    commits = appending(lake.table(log_name(entity)).commits(since=was.log))
    return [str(commit.metadata["run"]) for commit in commits if commit.metadata and commit.version <= now.log]


def _overturned(old: Evidence, new: Evidence) -> list[str]:
    """The sources whose past reads otherwise by the new loads: all their keys are folded again (R17)."""
    before = verdicts(old.loads, old.accepted, entity=new.entity)
    after = verdicts(new.loads, new.accepted, entity=new.entity)
    found = {row["source_system"] for row in overturned(before, after).select("source_system").distinct().collect()}
    in_a_row = {name for name in absent_sources(new.entity) if new.entity.source(name).complete.absences > 1}
    return sorted(found | in_a_row)


def _of(heads: DataFrame, rows: DataFrame) -> DataFrame:
    return heads.join(rows.select("sk").distinct(), "sk", "left_semi")


def _among(keys: list[str]) -> Column:
    return F.col("sk").isin(keys) if keys else F.lit(False)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
