"""Going on from what is held: belief of keys whose news is all later than what they have, without reading their past (DESIGN, section 6)."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muniment.belief.candidates import BEGINS, gather, say_answers
from muniment.belief.questions import Question, questions_of
from muniment.belief.resolution import HELD, intervals
from muniment.canon.hashes import kinds_of
from muniment.evidence.heads import own_statement
from muniment.evidence.order import AT, RANK, SPOKEN, merge_repeats, rank_of, sort_chain, together
from muniment.evidence.slots import IS_DELETED, Slot, assertion_columns, deletion_of, named, slots_of
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
    heads = _with_own(standing.heads, entity=entity)
    unheld = heads.select("sk").join(standing.held.select("sk"), "sk", "left_anti")
    groups = [question for question in questions_of(entity) if len(question.slots) > 1]
    if not groups:
        return unheld
    torn = " OR ".join(_is_torn(question) for question in groups)
    return unheld.unionByName(heads.where(f"coalesce({torn}, false)").select("sk"))


def _say_heads(heads: DataFrame, *, entity: Entity) -> DataFrame:
    """Heads as rows that answer the questions, all at the newest instant of their key, which is before all news."""
    deletion = deletion_of(entity).own
    said = {
        AT: "max(last_order.statement_ts) OVER (PARTITION BY sk)",
        SPOKEN: "true",
        **{question.said: _answer(question) for question in questions_of(entity)},
        IS_DELETED: f"CASE WHEN {deletion} IS NOT NULL THEN struct({deletion}.value, {deletion}.event_ts, {deletion}.assertion_id) END",
        BEGINS: "true",
    }
    rank = rank_of(F.col("source_system"), entity=entity)
    return _with_own(heads, entity=entity).withColumns({RANK: rank, **{name: F.expr(text) for name, text in said.items()}})


def _answer(question: Question) -> str:
    """The source's last own assertion that states any of the slots."""
    last = _last(question)
    says = ", ".join(f"{_wrapped(slot, last)} AS s{slot.place}" for slot in question.slots)
    return f"CASE WHEN {last} IS NOT NULL THEN struct(struct({says}) AS says, {last}.event_ts, {last}.assertion_id) END"


def _with_own(heads: DataFrame, *, entity: Entity) -> DataFrame:
    return heads.withColumns({slot.own: own_statement(slot) for slot in slots_of(entity)})


def _wrapped(slot: Slot, last: str) -> str:
    return f"CASE WHEN {slot.own}.assertion_id = {last}.assertion_id THEN named_struct('value', {slot.own}.value) END"


def _last(question: Question) -> str:
    places = [_place(slot) for slot in question.slots]
    return f"({places[0]})" if len(places) == 1 else f"(greatest({', '.join(places)}))"


def _place(slot: Slot) -> str:
    return f"CASE WHEN {slot.own} IS NOT NULL THEN struct({slot.own}.event_ts, {slot.own}.assertion_id) END"


def _is_torn(question: Question) -> str:
    """Two assertions of one instant, which only their sequence orders, and a head does not have that."""
    last = _last(question)
    others = (f"({_place(slot)})" for slot in question.slots)
    return " OR ".join(f"({each}.event_ts = {last}.event_ts AND {each}.assertion_id != {last}.assertion_id)" for each in others)


def _with_held(heard: DataFrame, held: DataFrame) -> DataFrame:
    """The open interval beside the first instant of its key, which stands for all before the news."""
    kept = held.select("sk", F.struct(*named(held.columns)).alias(HELD))
    first = F.lag(AT).over(Window.partitionBy("sk").orderBy(AT)).isNull()
    return heard.join(kept, "sk", "left").withColumn(HELD, F.when(first, F.col(HELD)))
