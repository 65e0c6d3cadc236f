"""Winners per attribute or group, deletion, what is contested, and intervals while values stay equal (R20, R21)."""

from __future__ import annotations

from collections.abc import Sequence

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
from muniment.canon.encode import identifier, literal
from muniment.canon.hashes import kinds_of
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
    won = heard.withColumns({winning(q): F.expr(winner(found, q)) for q, found in asked})
    believed = {chosen(slot): _believed(slot, q, found, heard) for q, found in asked for slot in q.slots}
    believed[chosen(deletion_of(entity))] = _deleted(heard, entity=entity)
    doubts = sorted((slot.place, _doubt(slot, q, found, kinds)) for q, found in asked for slot in q.slots)
    listed = f"CAST(array_compact(array({', '.join(doubt for _, doubt in doubts)})) AS ARRAY<STRING>)"
    return won.withColumns(believed).withColumn(CONTESTED, F.expr(listed))


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
    values = tuple(value_in(column, slot) for slot in question.slots)
    competes = "true" if question.nulls_compete else " OR ".join(f"{value} IS NOT NULL" for value in values)
    return Candidate(
        speaker,
        stands=f"({column} IS NOT NULL AND ({competes}))",
        at=f"{column}.event_ts",
        values=values,
        compared=tuple(slot.compared(value_in(column, slot), kinds) for slot in question.slots),
        group=_of_group(question, speaker, entity=entity),
    )


def _of_group(question: Question, speaker: Speaker, *, entity: Entity) -> tuple[str, ...]:
    """What the source last said of each slot of the group, whatever question asks for it."""
    mine = {slot.place for slot in question.group}
    asked = [(q, slot) for q in questions_of(entity) for slot in q.slots if slot.place in mine]
    return tuple(value_in(q.of(speaker), slot) for q, slot in asked)


def _believed(slot: Slot, question: Question, found: list[Candidate], heard: DataFrame) -> Column:
    """The winner's value with its origin, or what a person set."""
    taken = [f"CASE WHEN {winning(question)} = {one.speaker.number} THEN {_taken(slot, question, one.speaker)} END" for one in found]
    return _first(slot, taken, heard)


def _first(slot: Slot, taken: Sequence[str], heard: DataFrame) -> Column:
    """What a person set goes before what any source says."""
    told = [*([_overridden(slot)] if OVERRIDES in heard.columns else []), *taken, f"CAST(NULL AS {_kind(slot)})"]
    return F.expr(f"coalesce({', '.join(told)})")


def _taken(slot: Slot, question: Question, speaker: Speaker) -> str:
    column = question.of(speaker)
    origin = (literal(speaker.name), f"{column}.event_ts", f"{column}.assertion_id", literal(question.rule.rule.value))
    return f"CASE WHEN {stated_in(column, slot)} THEN {_statement(value_in(column, slot), *origin)} END"


def _statement(value: str, *origin: str) -> str:
    fields = [f"'{name}', {each}" for name, each in zip(("value", *_ORIGIN), (value, *origin), strict=True)]
    return f"named_struct({', '.join(fields)})"


def _kind(slot: Slot) -> str:
    value = "boolean" if slot.attribute is None else slot.attribute.type
    return f"struct<value: {value}, source: string, event_ts: timestamp, assertion_id: string, rule: string>"


def _overridden(slot: Slot) -> str:
    """What a person set for this instant; of several the one made last."""
    given = f"given.s{slot.place}"
    holds = f"(o.start_ts IS NULL OR o.start_ts <= {AT}) AND (o.end_ts IS NULL OR o.end_ts > {AT}) AND o.{given} IS NOT NULL"
    last = f"try_element_at(filter({OVERRIDES}, o -> {holds}), -1)"
    by_hand = _statement(f"{last}.{given}.value", f"'{OVERRIDE}'", f"{last}.start_ts", f"{last}.override_id", f"'{OVERRIDE}'")
    return f"CASE WHEN {last} IS NOT NULL THEN {by_hand} END"


def _deleted(heard: DataFrame, *, entity: Entity) -> Column:
    """The last explicit statement among the sources that have a say (R21)."""
    slot = deletion_of(entity)
    mine = [one for one in speakers_of(entity) if decides_deletion(one.name, entity=entity)]
    last = heaviest([(one, f"{one.deletion} IS NOT NULL", f"{one.deletion}.event_ts", "0") for one in mine])
    return _first(slot, [f"CASE WHEN {last} = {one.number} THEN {_of_deletion(one)} END" for one in mine], heard)


def _of_deletion(one: Speaker) -> str:
    said = one.deletion
    return _statement(f"{said}.value", literal(one.name), f"{said}.event_ts", f"{said}.assertion_id", "'most_recent'")


def _doubt(slot: Slot, question: Question, found: list[Candidate], kinds: Kinds) -> str:
    """The slot's name where a source that has not deleted the key itself says something else."""
    believed = slot.compared(f"{chosen(slot)}.value", kinds)
    doubts = [
        f"{_says(slot, question, one)} AND NOT coalesce({one.speaker.deletion}.value, false)"
        f" AND NOT ({slot.compared(value_in(question.of(one.speaker), slot), kinds)} <=> {believed})"
        for one in found
    ]
    return f"CASE WHEN {' OR '.join(f'({doubt})' for doubt in doubts) or 'false'} THEN {literal(slot.name)} END"


def _says(slot: Slot, question: Question, one: Candidate) -> str:
    column = question.of(one.speaker)
    competes = "true" if question.nulls_compete else f"{value_in(column, slot)} IS NOT NULL"
    return f"{one.stands} AND {stated_in(column, slot)} AND {competes}"


def _collapse(decided: DataFrame, *, entity: Entity, kinds: Kinds) -> DataFrame:
    """Instants that follow each other with equal values: the last of them, with what the first opened."""
    slots = slots_of(entity)
    state = F.expr(f"struct({', '.join(slot.compared(f'{chosen(slot)}.value', kinds) for slot in slots if slot.is_tracked)})")
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
    own = f"struct({', '.join((AT, CONTESTED, *map(chosen, slots)))})"
    if HELD not in decided.columns:
        return F.expr(own)
    before = ", ".join(f"'{chosen(slot)}', {_held(slot)}" for slot in slots)
    opened = f"named_struct('{AT}', {HELD}.effective_from, '{CONTESTED}', {HELD}.{CONTESTED}, {before})"
    return F.expr(f"CASE WHEN {HELD} IS NULL THEN {own} ELSE {opened} END")


def _held(slot: Slot) -> str:
    """What the interval holds, as a statement; nobody asks for the origin of `is_deleted`."""
    if slot.attribute is None:
        return _statement(f"{HELD}.{IS_DELETED}", *(f"CAST(NULL AS {_kind(slot)}).{name}" for name in _ORIGIN))
    name = identifier(slot.name)
    origin = f"{HELD}.origin.{name}"
    return f"CASE WHEN {origin} IS NOT NULL THEN {_statement(f'{HELD}.{name}', *(f'{origin}.{each}' for each in _ORIGIN))} END"


def _present(runs: DataFrame, *, entity: Entity, version: int) -> DataFrame:
    *attributes, deletion = slots_of(entity)
    deleted = f"coalesce({_shown(deletion)}.value, false)"  # R13
    is_open = f"NOT {deleted}" if entity.history.deletes is Deletes.CLOSE else "true"  # R16
    origins = ", ".join(f"{_origin(_shown(slot))} AS {identifier(slot.name)}" for slot in attributes)
    columns = {
        "sk": "sk",
        **{part.name: identifier(part.name) for part in entity.key},
        "effective_from": f"{_OPENING}.{AT}",
        "effective_to": _TO,
        "is_current": f"{_TO} IS NULL AND {is_open}",
        IS_DELETED: deleted,
        **{slot.name: f"{_shown(slot)}.value" for slot in attributes},
        "origin": f"struct({origins})",
        CONTESTED: f"{_OPENING}.{CONTESTED}",
        "rule_version": str(version),
    }
    return runs.selectExpr(*(f"{columns[column.name]} AS {identifier(column.name)}" for column in belief_columns(entity)))


def _shown(slot: Slot) -> str:
    """A tracked value is that of the interval's start, an untracked one the last (R2)."""
    return f"{_OPENING}.{chosen(slot)}" if slot.is_tracked else chosen(slot)


def _origin(believed: str) -> str:
    fields = ", ".join(f"'{name}', {believed}.{name}" for name in _ORIGIN)
    return f"CASE WHEN {believed} IS NOT NULL THEN named_struct({fields}) END"


def _chain() -> WindowSpec:
    return Window.partitionBy("sk").orderBy(AT)
