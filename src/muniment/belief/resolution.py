"""Winners per attribute or group, deletion, what is contested, and intervals while values stay equal (R20, R21)."""

from __future__ import annotations

from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from muniment.belief.candidates import OVERRIDES, candidates
from muniment.belief.questions import (
    Kinds,
    Question,
    Questions,
    Speaker,
    decides_deletion,
    questions_of,
    speakers_of,
    stated_in,
    value_in,
)
from muniment.belief.rules import Candidate, heaviest, winner
from muniment.canon.hashes import kinds_of, quoted
from muniment.evidence.order import AT, SO_FAR
from muniment.evidence.slots import IS_DELETED, Slot, deletion_of, named, slots_of
from muniment.model.entity import Deletes, Entity
from muniment.model.tables import belief_columns

OVERRIDE = "override"  # the rule, and the source, of what a person set
CONTESTED = "contested"
_ORIGIN = ("source", "event_ts", "assertion_id", "rule")
_OPENING, _OPENS, _STATE, _TO, _FIRST = "_opening", "_opens", "_state", "_to", "_first"


HELD = "_held"  # the interval to go on from, null where belief begins (going_on.py)


def resolve(assertions: DataFrame, overrides: DataFrame | None, *, entity: Entity, version: int, few: bool = False) -> DataFrame:
    """Belief over time of every key of these assertions, with all columns of `silver.<entity>_history`."""
    heard = candidates(assertions, overrides, entity=entity, questions=questions_of(entity), few=few)
    return intervals(heard, entity=entity, kinds=kinds_of(assertions.schema), version=version)


def intervals(heard: DataFrame, *, entity: Entity, kinds: Kinds, version: int) -> DataFrame:
    """Belief over time that the candidates of each instant amount to."""
    decided = decide(heard, entity=entity, kinds=kinds, questions=questions_of(entity))
    return _present(_collapse(decided, entity=entity, kinds=kinds), entity=entity, version=version)


def decide(heard: DataFrame, *, entity: Entity, kinds: Kinds, questions: Questions) -> DataFrame:
    """Beside the candidates of each instant: who wins each question, what is believed of each slot, and what is contested."""
    asked = [(q, candidates_of(q, entity=entity, kinds=kinds)) for q in questions]
    won = heard.withColumns({winning(q): _winner(found, q) for q, found in asked})
    believed = {chosen(slot): _believed(slot, q, found, heard) for q, found in asked for slot in q.slots}
    believed[chosen(deletion_of(entity))] = _deleted(heard, entity=entity)
    doubts = [_doubt(slot, q, found, kinds) for q, found in asked for slot in q.slots]
    listed = F.array_compact(F.array(*sorted_doubts(doubts))).cast("array<string>") if doubts else F.array().cast("array<string>")
    return won.withColumns(believed).withColumn(CONTESTED, listed)


def sorted_doubts(doubts: list[tuple[int, Column]]) -> list[Column]:
    """In the order of the attributes."""
    return [doubt for _, doubt in sorted(doubts, key=lambda each: each[0])]


def chosen(slot: Slot) -> str:
    """What is believed of a slot: value, source, event time, assertion and rule."""
    return f"_chosen{slot.place}"


def winning(question: Question) -> str:
    """The number of the source that wins a question."""
    return f"_winner{question.place}"


def candidates_of(question: Question, *, entity: Entity, kinds: Kinds) -> list[Candidate]:
    """The sources that are asked, with what they last said."""
    return [_candidate(question, one, entity=entity, kinds=kinds) for one in speakers_of(entity) if question.may_speak(one)]


def _candidate(question: Question, speaker: Speaker, *, entity: Entity, kinds: Kinds) -> Candidate:
    column = question.of(speaker)
    values = tuple(F.expr(value_in(column, slot)) for slot in question.slots)
    competes = F.lit(True) if question.nulls_compete else reduce(or_, (value.isNotNull() for value in values))
    return Candidate(
        speaker,
        stands=F.col(column).isNotNull() & competes,
        at=F.col(f"{column}.event_ts"),
        values=values,
        compared=tuple(slot.compared(value_in(column, slot), kinds) for slot in question.slots),
        group=tuple(_of_group(question, speaker, entity=entity)),
    )


def _of_group(question: Question, speaker: Speaker, *, entity: Entity) -> list[Column]:
    """What the source last said of each slot of the group, whatever question asks for it."""
    mine = {slot.place for slot in question.group}
    asked = [(q, slot) for q in questions_of(entity) for slot in q.slots if slot.place in mine]
    return [F.expr(value_in(q.of(speaker), slot)) for q, slot in asked]


def _winner(found: list[Candidate], question: Question) -> Column:
    return winner(found, question) if found else F.lit(None).cast("int")


def _believed(slot: Slot, question: Question, found: list[Candidate], heard: DataFrame) -> Column:
    """The winner's value with its origin, or what a person set."""
    taken = [F.when(F.col(winning(question)) == one.speaker.number, _taken(slot, question, one.speaker)) for one in found]
    nothing = F.lit(None).cast(_kind(slot))
    return F.coalesce(*([_overridden(slot)] if OVERRIDES in heard.columns else []), *taken, nothing)


def _taken(slot: Slot, question: Question, speaker: Speaker) -> Column:
    column = question.of(speaker)
    origin = (F.lit(speaker.name), F.col(f"{column}.event_ts"), F.col(f"{column}.assertion_id"), F.lit(question.rule.rule.value))
    return F.when(stated_in(column, slot), _statement(F.expr(value_in(column, slot)), *origin))


def _statement(value: Column, *origin: Column) -> Column:
    return F.struct(value.alias("value"), *(each.alias(name) for each, name in zip(origin, _ORIGIN, strict=True)))


def _kind(slot: Slot) -> str:
    value = "boolean" if slot.attribute is None else slot.attribute.type
    return f"struct<value: {value}, source: string, event_ts: timestamp, assertion_id: string, rule: string>"


def _overridden(slot: Slot) -> Column:
    """What a person set for this instant; of several the one made last."""
    place = f"s{slot.place}"

    def holds(each: Column) -> Column:
        begun = each["start_ts"].isNull() | (each["start_ts"] <= F.col(AT))
        return begun & (each["end_ts"].isNull() | (each["end_ts"] > F.col(AT))) & each["given"][place].isNotNull()

    last = F.try_element_at(F.filter(OVERRIDES, holds), F.lit(-1))
    origin = (F.lit(OVERRIDE), last["start_ts"], last["override_id"], F.lit(OVERRIDE))
    return F.when(last.isNotNull(), _statement(last["given"][place]["value"], *origin))


def _deleted(heard: DataFrame, *, entity: Entity) -> Column:
    """The last explicit statement among the sources that have a say (R21)."""
    slot = deletion_of(entity)
    mine = [one for one in speakers_of(entity) if decides_deletion(one.name, entity=entity)]
    nothing = F.lit(None).cast(_kind(slot))
    said = [
        F.when(
            F.col(one.deletion).isNotNull(),
            F.struct(F.col(f"{one.deletion}.event_ts").alias("at"), F.lit(one.rank).alias("rank"), F.lit(one.number).alias("number")),
        )
        for one in mine
    ]
    last = heaviest(said)["number"] if said else F.lit(None).cast("int")
    taken = [F.when(last == one.number, _of_deletion(one)) for one in mine]
    return F.coalesce(*([_overridden(slot)] if OVERRIDES in heard.columns else []), *taken, nothing)


def _of_deletion(one: Speaker) -> Column:
    said = F.col(one.deletion)
    return _statement(said["value"], F.lit(one.name), said["event_ts"], said["assertion_id"], F.lit("most_recent"))


def _doubt(slot: Slot, question: Question, found: list[Candidate], kinds: Kinds) -> tuple[int, Column]:
    """The slot's name where a source that has not deleted the key itself says something else."""
    believed = slot.compared(f"{chosen(slot)}.value", kinds)
    differing = [
        _says(slot, question, one) & ~slot.compared(value_in(question.of(one.speaker), slot), kinds).eqNullSafe(believed) for one in found
    ]
    live = [~F.coalesce(F.col(f"{one.speaker.deletion}.value"), F.lit(False)) for one in found]
    doubted = reduce(or_, (differs & is_live for differs, is_live in zip(differing, live, strict=True)), F.lit(False))
    return slot.place, F.when(doubted, F.lit(slot.name))


def _says(slot: Slot, question: Question, one: Candidate) -> Column:
    column = question.of(one.speaker)
    competes = F.lit(True) if question.nulls_compete else F.expr(value_in(column, slot)).isNotNull()
    return one.stands & stated_in(column, slot) & competes


def _collapse(decided: DataFrame, *, entity: Entity, kinds: Kinds) -> DataFrame:
    """Instants that follow each other with equal values: the last of them, with what the first opened."""
    slots = slots_of(entity)
    state = F.struct(*(slot.compared(f"{chosen(slot)}.value", kinds) for slot in slots if slot.is_tracked))
    keys = named(part.name for part in entity.key)
    known = decided.select("sk", *keys, AT, *map(chosen, slots), state.alias(_STATE), _opening(decided, slots).alias(_FIRST))
    chain = _chain()
    opens = ~F.lag(_STATE).over(chain).eqNullSafe(F.col(_STATE))
    opened = known.withColumns({_OPENS: opens, _TO: F.lead(AT).over(chain)})
    runs = opened.withColumns(
        {
            _OPENING: F.last(F.when(F.col(_OPENS), F.col(_FIRST)), ignorenulls=True).over(chain.rowsBetween(*SO_FAR)),
            "_ends": F.coalesce(F.lead(_OPENS).over(chain), F.lit(True)),
        }
    )
    return runs.where("_ends")


def _opening(decided: DataFrame, slots: tuple[Slot, ...]) -> Column:
    """What an interval takes from the instant that opens it; one that is gone on from has opened already."""
    own = F.struct(AT, CONTESTED, *(chosen(slot) for slot in slots))
    if HELD not in decided.columns:
        return own
    held = F.col(HELD)
    before = (_held(slot, held).alias(chosen(slot)) for slot in slots)
    return F.when(held.isNull(), own).otherwise(F.struct(held["effective_from"].alias(AT), held[CONTESTED].alias(CONTESTED), *before))


def _held(slot: Slot, held: Column) -> Column:
    """What the interval holds, as a statement; nobody asks for the origin of `is_deleted`."""
    if slot.attribute is None:
        nobody = F.lit(None).cast(_kind(slot))
        return _statement(held[IS_DELETED], *(nobody[name] for name in _ORIGIN))
    origin = slot.of(held["origin"])
    return F.when(origin.isNotNull(), _statement(slot.of(held), *(origin[name] for name in _ORIGIN)))


def _present(runs: DataFrame, *, entity: Entity, version: int) -> DataFrame:
    *attributes, deletion = slots_of(entity)
    deleted = F.coalesce(_shown(deletion)["value"], F.lit(False))  # R13
    is_open = ~deleted if entity.history.deletes is Deletes.CLOSE else F.lit(True)  # R16
    columns = {
        "sk": F.col("sk"),
        **{part.name: quoted(part.name) for part in entity.key},
        "effective_from": F.col(_OPENING)[AT],
        "effective_to": F.col(_TO),
        "is_current": F.col(_TO).isNull() & is_open,
        IS_DELETED: deleted,
        **{slot.name: _shown(slot)["value"] for slot in attributes},
        "origin": F.struct(*(_origin(_shown(slot)).alias(slot.name) for slot in attributes)),
        CONTESTED: F.col(_OPENING)[CONTESTED],
        "rule_version": F.lit(version),
    }
    return runs.select(*(columns[column.name].alias(column.name) for column in belief_columns(entity)))


def _shown(slot: Slot) -> Column:
    """A tracked value is that of the interval's start, an untracked one the last (R2)."""
    return F.col(_OPENING)[chosen(slot)] if slot.is_tracked else F.col(chosen(slot))


def _origin(believed: Column) -> Column:
    return F.when(believed.isNotNull(), F.struct(*(believed[name].alias(name) for name in _ORIGIN)))


def _chain() -> WindowSpec:
    return Window.partitionBy("sk").orderBy(AT)
