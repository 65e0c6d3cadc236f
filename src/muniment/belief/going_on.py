"""Going on from what is held: belief of keys whose news is all later than what they have, without reading their past (DESIGN, section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.belief.candidates import BEGINS, gather, say_answers
from muniment.belief.questions import Question, questions_of
from muniment.belief.resolution import HELD, intervals
from muniment.canon.hashes import kinds_of
from muniment.evidence.order import AT, RANK, SPOKEN, merge_repeats, rank_of, sort_chain, together
from muniment.evidence.slots import IS_DELETED, Slot, assertion_columns, named
from muniment.model.entity import Entity


@dataclass(frozen=True, slots=True)
class Standing:
    """Where keys stand: the history's heads and the open intervals of belief, both of one position; new keys have neither."""

    heads: DataFrame
    held: DataFrame


def go_on(standing: Standing, new_rows: DataFrame, *, entity: Entity, version: int, few: bool = False) -> DataFrame:
    """The open interval of each key and what follows it, as a resolution of everything would give them.

    No key may need its past.
    """
    rows = new_rows.select(*named(column.name for column in assertion_columns(entity)))
    questions = questions_of(entity)
    said = say_answers(merge_repeats(rows, entity=entity, few=few), entity=entity, questions=questions)
    before = _say_heads(together(standing.heads, few=few), entity=entity).select(*named(said.columns))
    chains = sort_chain(together(before.unionByName(said), few=few))
    heard = _with_held(gather(chains, entity=entity, questions=questions), standing.held)
    return intervals(heard, entity=entity, kinds=kinds_of(new_rows.schema), version=version)


def needs_past(standing: Standing, *, entity: Entity) -> DataFrame:
    """Keys that cannot go on: of which nothing is believed yet, or whose group was last stated in several assertions of one instant."""
    heads = standing.heads
    unheld = heads.select("sk").join(standing.held.select("sk"), "sk", "left_anti")
    groups = [question for question in questions_of(entity) if len(question.slots) > 1]
    if not groups:
        return unheld
    torn = reduce(or_, (_is_torn(question) for question in groups))
    return unheld.unionByName(heads.where(F.coalesce(torn, F.lit(False))).select("sk"))


def _say_heads(heads: DataFrame, *, entity: Entity) -> DataFrame:
    """Heads as rows that answer the questions, all at the newest instant of their key, which is before all news."""
    newest = F.max("last_order.statement_ts").over(Window.partitionBy("sk"))
    answers = {question.said: _answer(question) for question in questions_of(entity)}
    deletion = F.col("stated").getField(IS_DELETED)
    return heads.withColumns(
        {
            AT: newest,
            RANK: rank_of(F.col("source_system"), entity=entity),
            SPOKEN: F.lit(True),
            **answers,
            IS_DELETED: F.when(
                deletion.isNotNull(), F.struct(*(deletion[name].alias(name) for name in ("value", "event_ts", "assertion_id")))
            ),
            BEGINS: F.lit(True),
        }
    )


def _answer(question: Question) -> Column:
    """The source's last own assertion that states any of the slots."""
    last = _last(question)
    says = F.struct(*(_wrapped(slot, last).alias(f"s{slot.place}") for slot in question.slots))
    return F.when(
        last.isNotNull(), F.struct(says.alias("says"), last["event_ts"].alias("event_ts"), last["assertion_id"].alias("assertion_id"))
    )


def _wrapped(slot: Slot, last: Column) -> Column:
    own = slot.of(F.col("stated"))
    return F.when(own["assertion_id"] == last["assertion_id"], F.struct(own["value"].alias("value")))


def _last(question: Question) -> Column:
    places = [_place(slot) for slot in question.slots]
    return places[0] if len(places) == 1 else F.greatest(*places)


def _place(slot: Slot) -> Column:
    own = slot.of(F.col("stated"))
    return F.when(own.isNotNull(), F.struct(own["event_ts"].alias("event_ts"), own["assertion_id"].alias("assertion_id")))


def _is_torn(question: Question) -> Column:
    """Two assertions of one instant, which only their sequence orders, and a head does not have that."""
    last = _last(question)
    others = (_place(slot) for slot in question.slots)
    return reduce(or_, ((each["event_ts"] == last["event_ts"]) & (each["assertion_id"] != last["assertion_id"]) for each in others))


def _with_held(heard: DataFrame, held: DataFrame) -> DataFrame:
    """The open interval beside the first instant of its key, which stands for all before the news."""
    kept = held.select("sk", F.struct(*named(held.columns)).alias(HELD))
    first = F.lag(AT).over(Window.partitionBy("sk").orderBy(AT)).isNull()
    return heard.join(kept, "sk", "left").withColumn(HELD, F.when(first, F.col(HELD)))
