"""What each source last said itself, per key and instant: the candidates of belief (R20, R21)."""

from __future__ import annotations

from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.belief.questions import Question, Questions, Speaker, decides_deletion, speakers_of
from muniment.canon.hashes import quoted
from muniment.evidence.order import AT, INSTANT, SO_FAR, WITHIN, merge_repeats, sort_chain
from muniment.evidence.slots import IS_DELETED, Slot, assertion_columns, named
from muniment.model.entity import Entity

OVERRIDES = "_overrides"
BEGINS = "_begins"
_BEGUN, _NEXT = "_begun", "_next"


def candidates(assertions: DataFrame, overrides: DataFrame | None, *, entity: Entity, questions: Questions, few: bool = False) -> DataFrame:
    """One row per key and instant, from the beginning of belief on, with what every source that is asked last said (R20, R21).

    All assertions of a key must be there, derived absences among them. `overrides` has one row per key (overrides.py).
    """
    names = [column.name for column in assertion_columns(entity)]
    rows = assertions.select(*named(names))
    if overrides is not None:
        rows = rows.unionByName(_boundaries(overrides, entity=entity))
    said = say_answers(merge_repeats(rows, entity=entity, few=few), entity=entity, questions=questions)
    gathered = gather(sort_chain(said), entity=entity, questions=questions)
    return gathered if overrides is None else gathered.join(F.broadcast(overrides), "sk", "left")


def _boundaries(overrides: DataFrame, *, entity: Entity) -> DataFrame:
    """The instants at which an override begins or ends, as rows that say nothing."""
    moments = F.concat(F.transform(OVERRIDES, lambda each: each["start_ts"]), F.transform(OVERRIDES, lambda each: each["end_ts"]))
    found = overrides.select("sk", F.explode(F.array_distinct(F.array_compact(moments))).alias("source_event_ts"))
    columns = assertion_columns(entity)
    known = {"sk": F.col("sk"), "source_event_ts": F.col("source_event_ts")}
    return found.select(*(known.get(column.name, F.lit(None)).cast(column.type).alias(column.name) for column in columns))


def say_answers(placed: DataFrame, *, entity: Entity, questions: Questions) -> DataFrame:
    """Each assertion as its answers to the questions."""
    answers = (_answer(question).alias(question.said) for question in questions)
    keys = (part.name for part in entity.key)
    return placed.select(
        "sk", *named(keys), AT, *INSTANT[2:], *WITHIN, *answers, _deletion().alias(IS_DELETED), _begins(entity).alias(BEGINS)
    )


def _answer(question: Question) -> Column:
    """What the row states of any of the question's slots; wrapped, so that a stated null is no missing statement (R11)."""
    stated = [F.array_contains("asserted", slot.name) for slot in question.slots]
    says = F.struct(*(_wrapped(slot).alias(f"s{slot.place}") for slot in question.slots))
    return F.when(reduce(or_, stated), _with_place(says.alias("says")))


def _wrapped(slot: Slot) -> Column:
    return F.when(F.array_contains("asserted", slot.name), F.struct(slot.column.alias("value")))


def _deletion() -> Column:
    return F.when(F.col(IS_DELETED).isNotNull(), _with_place(F.col(IS_DELETED).alias("value")))


def _with_place(said: Column) -> Column:
    return F.struct(said, F.col(AT).alias("event_ts"), F.col("assertion_id"))


def _begins(entity: Entity) -> Column:
    """Belief of a key begins with its first assertion other than a delete without authority (R21)."""
    mine = [source.name for source in entity.sources if decides_deletion(source.name, entity=entity)]
    without = F.coalesce(F.col(IS_DELETED), F.lit(False)) & ~F.col("source_system").isin(*mine)
    return F.col("source_system").isNotNull() & ~without


def gather(said: DataFrame, *, entity: Entity, questions: Questions) -> DataFrame:
    """The last answers of all sources so far, at the last row of each instant; one window for all of it."""
    chain = Window.partitionBy("sk").orderBy(*INSTANT[1:], *WITHIN)
    so_far = chain.rowsBetween(*SO_FAR)
    columns = {
        name: F.last(F.when(F.col("source_system") == speaker.name, F.col(said_as)), ignorenulls=True).over(so_far)
        for name, said_as, speaker in _wanted(entity, questions)
    }
    keys = {part.name: F.last(quoted(part.name), ignorenulls=True).over(so_far) for part in entity.key}
    ends = {_BEGUN: F.max(BEGINS).over(so_far), _NEXT: F.lead(AT).over(chain)}
    gathered = said.withColumns({**columns, **keys, **ends})
    last = gathered.where(F.col(_BEGUN) & ~F.col(_NEXT).eqNullSafe(F.col(AT)))
    return last.select("sk", *named(part.name for part in entity.key), AT, *columns)


def _wanted(entity: Entity, questions: Questions) -> list[tuple[str, str, Speaker]]:
    """The column of each candidate, what it is taken from, and whose it is."""
    speakers = speakers_of(entity)
    answers = [(q.of(one), q.said, one) for q in questions for one in speakers if q.may_speak(one)]
    return answers + [(one.deletion, IS_DELETED, one) for one in speakers]
