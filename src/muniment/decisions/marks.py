"""Marks: somebody, or a check, says that a partition or a landed run is bad; only ever added to (R29)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import MARK
from muniment.errors import BadArgument
from muniment.lake.tables import Lake

TABLE = "ops.mark"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in MARK)


class Verb(StrEnum):
    """What a row of `ops.mark` says."""

    MARK = "mark"
    UNMARK = "unmark"  # it was good after all
    CLEAR = "clear"  # it is bad, and another has its place


class Family(StrEnum):
    """What is marked: partitions of a series, or runs of an entity."""

    SERIES = "series"
    ENTITY = "entity"


class Effect(StrEnum):
    """What a mark on a run does: derive stops before it, or goes on without it."""

    HOLD = "hold"
    EXCLUDE = "exclude"


@dataclass(frozen=True, slots=True)
class Mark:
    """One row of `ops.mark`; `place` is what people call its target."""

    mark_id: str
    verb: Verb
    target: str
    made_by: str
    reason: str
    made_at: datetime
    place: str = ""
    effect: str | None = None


def new_mark(verb: Verb, target: str, *, by: str, reason: str, place: str = "") -> Mark:
    """A mark that is made at this moment."""
    return Mark(clock.new_id(), verb, target, by, reason, clock.now(), place)


def signed(by: str, reason: str) -> None:
    """Refuse a mark that nobody answers for."""
    if not by or not reason:
        raise BadArgument(argument="by and reason", problem="who says so, and why, is kept with a mark", advice="Give both.")


def record_marks(lake: Lake, family: Family, name: str, marks: Sequence[Mark]) -> None:
    """Add them, in one commit."""
    if not marks:
        return
    table = lake.table(TABLE)
    if not table.exists():
        table.create(MARK, comment="Muniment: mark", properties={"delta.enableExpiredLogCleanup": "false"})
    rows = [(m.mark_id, m.verb.value, family.value, name, m.target, m.place, m.effect, m.made_by, m.reason, m.made_at) for m in marks]
    table.append(lake.spark.createDataFrame(rows, _SCHEMA), metadata={"marks": [mark.mark_id for mark in marks]})


def marks_of(lake: Lake, family: Family, name: str) -> list[Mark]:
    """All that was ever said of one series or entity, oldest first; decisions are few."""
    table = lake.table(TABLE)
    if not table.exists():
        return []
    rows = mark_rows(lake, family, name).withColumn("made", F.unix_micros("made_at")).orderBy("made_at", "mark_id").collect()
    return [
        Mark(r["mark_id"], Verb(r["verb"]), r["target"], r["made_by"], r["reason"], _moment(r["made"]), r["place"], r["effect"]) for r in rows
    ]  # fmt: skip


def marked_runs(lake: Lake, entity: str, known_at: datetime | None = None) -> dict[Effect, list[str]]:
    """The runs of an entity that are held and that are left out, now or at a time (R29)."""
    last = {mark.target: mark for mark in marks_of(lake, Family.ENTITY, entity) if known_at is None or mark.made_at <= known_at}
    marked = sorted((target, mark.effect) for target, mark in last.items() if mark.verb is Verb.MARK)
    return {effect: [target for target, said in marked if said == effect] for effect in Effect}


def mark_rows(lake: Lake, family: Family, name: str) -> DataFrame:
    """The same as a frame."""
    table = lake.table(TABLE)
    rows = table.read() if table.exists() else lake.spark.createDataFrame([], _SCHEMA)
    return rows.where((F.col("family") == family.value) & (F.col("name") == name))


def _moment(micros: int) -> datetime:
    return clock.from_micros(micros) or clock.now()
