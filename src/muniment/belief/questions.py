"""What belief has to decide: a question per attribute, or one for a group that is taken together (R20)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import types as T

from muniment.evidence.slots import Slot, slots_of
from muniment.model.belief import BeliefRule, Nulls, RuleName
from muniment.model.entity import Entity

Kinds = Mapping[str, T.DataType]


@dataclass(frozen=True, slots=True)
class Speaker:
    """A source, by its number: a later name has a higher one, as in the order of assertions (R6)."""

    number: int
    name: str
    rank: int

    @property
    def deletion(self) -> str:
        """Its last statement of `is_deleted` up to an instant."""
        return f"_deletion{self.number}"


@dataclass(frozen=True, slots=True)
class Question:
    """The slots that are decided at once, the rule that decides, and all slots of the rule's group."""

    place: int
    slots: tuple[Slot, ...]
    rule: BeliefRule
    group: tuple[Slot, ...]

    @property
    def said(self) -> str:
        """What a row states of it, or null."""
        return f"_answer{self.place}"

    def of(self, speaker: Speaker) -> str:
        """The last statement of a source up to an instant."""
        return f"_candidate{self.place}_{speaker.number}"

    def may_speak(self, speaker: Speaker) -> bool:
        """Is the source asked at all?"""
        return not self.rule.sources or speaker.name in self.rule.sources

    @property
    def nulls_compete(self) -> bool:
        return self.rule.nulls is Nulls.COMPETE


Questions = tuple[Question, ...]


def speakers_of(entity: Entity) -> tuple[Speaker, ...]:
    """All sources, in the order in which they break ties."""
    names = sorted(source.name for source in entity.sources)
    return tuple(Speaker(number, name, entity.rank(name)) for number, name in enumerate(names))


def questions_of(entity: Entity) -> Questions:
    """Every attribute is asked for once; what no rule names is decided by the latest statement."""
    slots = {slot.name: slot for slot in slots_of(entity) if slot.attribute is not None}
    named = {name for rule in entity.belief.rules for name in rule.attributes}
    rest = tuple(BeliefRule((name,), RuleName.MOST_RECENT) for name in slots if name not in named)
    asked: list[tuple[BeliefRule, tuple[Slot, ...], tuple[Slot, ...]]] = []
    for rule in (*entity.belief.rules, *rest):
        group = tuple(slots[name] for name in rule.attributes if name in slots)
        asked += [(rule, group, group)] if rule.together and group else [(rule, (slot,), group) for slot in group]
    return tuple(Question(place, decided, rule, group) for place, (rule, decided, group) in enumerate(asked))


def decides_deletion(speaker: str, *, entity: Entity) -> bool:
    """May the source say that the entity is gone (R21)?"""
    return not entity.belief.deletion_sources or speaker in entity.belief.deletion_sources


def value_in(column: str, slot: Slot) -> str:
    """The value of a slot in a candidate, as SQL."""
    return f"{column}.says.s{slot.place}.value"


def stated_in(column: str, slot: Slot) -> str:
    """Does the candidate state the slot at all, as SQL."""
    return f"{column}.says.s{slot.place} IS NOT NULL"
