"""What stands behind one belief: the decision at one instant, and every source's last own statement of it (R23)."""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.belief.candidates import candidates
from muniment.belief.questions import Question, Questions, questions_of, speakers_of
from muniment.belief.resolution import CONTESTED, chosen, decide
from muniment.canon.hashes import kinds_of
from muniment.evidence.order import AT, INSTANT, WITHIN, merge_repeats
from muniment.evidence.slots import IS_DELETED, Slot, deletion_of
from muniment.model.entity import Entity

_STATED = ("source_system", "assertion_id", "ingest_run_id", "source_path")


def decision(assertions: DataFrame, overrides: DataFrame | None, *, entity: Entity, slot: Slot, until: datetime | None) -> DataFrame:
    """The last instant of belief at or before a time: what was believed of the slot, whether contested, and who says it is gone."""
    questions = _beside(slot, entity)
    heard = candidates(assertions, overrides, entity=entity, questions=questions, few=True)
    held = _until(decide(heard, entity=entity, kinds=kinds_of(assertions.schema), questions=questions), until)
    gone = F.array(*(_gone(one.name, F.col(one.deletion)) for one in speakers_of(entity)))
    deleted = F.coalesce(F.col(f"{chosen(deletion_of(entity))}.value"), F.lit(False))
    told = held.orderBy(F.desc(AT)).limit(1)
    return told.select(
        F.col(f"{chosen(slot)}.*"), F.array_contains(CONTESTED, slot.name).alias(CONTESTED), deleted.alias(IS_DELETED), gone.alias("gone")
    ).withColumn("event_ts", F.unix_micros("event_ts"))


def statements(assertions: DataFrame, *, entity: Entity, slot: Slot, until: datetime | None) -> DataFrame:
    """Each source's last own statement of the slot, with when and how it reached us; of a group taken together, of any of it."""
    placed = _until(merge_repeats(assertions, entity=entity, few=True), until)
    newest = Window.partitionBy("source_system").orderBy(*(F.desc(name) for name in (*INSTANT[1:], *WITHIN)))
    said = placed.where(_states(slot, entity)).withColumn("_newest", F.row_number().over(newest)).where("_newest = 1")
    file = F.coalesce("source_file", "source_path").alias("file")
    times = (F.unix_micros(AT).alias("event_ts"), F.unix_micros("first_seen_ts").alias("received"))
    return said.select(*_STATED[:3], file, *times, slot.column.alias("value")).orderBy("source_system")


def question_of(slot: Slot, *, entity: Entity) -> Question | None:
    """The question that decides a slot; none for `is_deleted`."""
    return next((q for q in questions_of(entity) if slot.place in {each.place for each in q.slots}), None)


def _beside(slot: Slot, entity: Entity) -> Questions:
    """The questions that decide a slot and what is weighed with it; to decide all of them would be work for nothing."""
    return tuple(question for question in questions_of(entity) if slot in question.group)


def _until(rows: DataFrame, moment: datetime | None) -> DataFrame:
    return rows if moment is None else rows.where(F.col(AT) <= F.lit(moment))


def _states(slot: Slot, entity: Entity) -> Column:
    question = question_of(slot, entity=entity)
    if question is None:
        return F.col(IS_DELETED).isNotNull()
    return reduce(or_, (F.array_contains("asserted", each.name) for each in question.slots))


def _gone(name: str, said: Column) -> Column:
    fields = (said["value"].alias("value"), F.unix_micros(said["event_ts"]).alias("event_ts"), said["assertion_id"].alias("assertion_id"))
    return F.when(said.isNotNull(), F.struct(F.lit(name).alias("source"), *fields))
