"""What each source last said itself, per key and instant: the candidates of belief (R20, R21)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.belief.questions import Question, Questions, Speaker, decides_deletion, speakers_of
from muniment.canon.encode import identifier, literal
from muniment.evidence.order import AT, INSTANT, WITHIN, merge_repeats, sort_chain
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
    answers = (f"{_answer(question)} AS {question.said}" for question in questions)
    keys = (identifier(part.name) for part in entity.key)
    said = (*answers, f"{_deletion()} AS {IS_DELETED}", f"{_begins(entity)} AS {BEGINS}")
    return placed.selectExpr("sk", *keys, AT, *INSTANT[2:], *WITHIN, *said)


def _answer(question: Question) -> str:
    """What the row states of any of the question's slots; wrapped, so that a stated null is no missing statement (R11)."""
    stated = " OR ".join(_states(slot) for slot in question.slots)
    says = ", ".join(f"{_wrapped(slot)} AS s{slot.place}" for slot in question.slots)
    return f"CASE WHEN {stated} THEN {_with_place(f'struct({says}) AS says')} END"


def _states(slot: Slot) -> str:
    return f"array_contains(asserted, {literal(slot.name)})"


def _wrapped(slot: Slot) -> str:
    return f"CASE WHEN {_states(slot)} THEN named_struct('value', {identifier(slot.name)}) END"


def _deletion() -> str:
    return f"CASE WHEN {IS_DELETED} IS NOT NULL THEN {_with_place(f'{IS_DELETED} AS value')} END"


def _with_place(said: str) -> str:
    return f"struct({said}, {AT} AS event_ts, assertion_id)"


def _begins(entity: Entity) -> str:
    """Belief of a key begins with its first assertion other than a delete without authority (R21)."""
    mine = ", ".join(literal(source.name) for source in entity.sources if decides_deletion(source.name, entity=entity))
    without = f"coalesce({IS_DELETED}, false)" + (f" AND source_system NOT IN ({mine})" if mine else "")
    return f"source_system IS NOT NULL AND NOT ({without})"


def gather(said: DataFrame, *, entity: Entity, questions: Questions) -> DataFrame:
    """The last answers of all sources so far, at the last row of each instant; one window for all of it."""
    chain = f"PARTITION BY sk ORDER BY {', '.join((*INSTANT[1:], *WITHIN))}"
    so_far = f"OVER ({chain} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    wanted = {
        name: f"last(CASE WHEN source_system = {literal(speaker.name)} THEN {said_as} END, true) {so_far}"
        for name, said_as, speaker in _wanted(entity, questions)
    }
    keys = {part.name: f"last({identifier(part.name)}, true) {so_far}" for part in entity.key}
    ends = {_BEGUN: f"max({BEGINS}) {so_far}", _NEXT: f"lead({AT}) OVER ({chain})"}
    gathered = said.withColumns({name: F.expr(text) for name, text in {**wanted, **keys, **ends}.items()})
    last = gathered.where(f"{_BEGUN} AND NOT ({_NEXT} <=> {AT})")
    return last.select("sk", *named(part.name for part in entity.key), AT, *wanted)


def _wanted(entity: Entity, questions: Questions) -> list[tuple[str, str, Speaker]]:
    """The column of each candidate, what it is taken from, and whose it is."""
    speakers = speakers_of(entity)
    answers = [(q.of(one), q.said, one) for q in questions for one in speakers if q.may_speak(one)]
    return answers + [(one.deletion, IS_DELETED, one) for one in speakers]
