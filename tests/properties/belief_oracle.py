"""Belief as a plain-Python specification: from what was said of a key, and declared rules, to what is held true when.

What the rules say, and what this page settles where they leave room:

- R20 A candidate is a source's last explicit statement of an attribute at or before T, in the order of R6. Null is none unless nulls compete.
- R20 `together`: a candidate is the source's last assertion that states any attribute of the group; what that one leaves out is unknown. Where
      nulls are silent it stands if any of its values is not null. A null inside it contests nothing.
- R20 Weights: precedence by the rule's own list, else by the entity's ranks; most_complete by the values the source has in the group; longest by the
      sum of the texts' lengths, null below empty; most_frequent by candidates that say the same. Then the latest, the rank, the later name.
- R20 Contested: a source that may speak, has not deleted the key itself, and says something else than what is believed, an override included.
- R21 Deletion is the last statement among its sources by time, rank and name; never stated means alive. Belief begins with the first assertion other
      than a delete without authority; an override begins nothing.
- R20 Instants with equal tracked values and equal deletion are one interval. Tracked values, origins and `contested` are those of its start, untracked
      values and their origins those of its end (R2).
- R29 Overrides hold, for `known_at`, from when they were made to when they were withdrawn; of several for one attribute the one made last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from tests.properties.oracle import IS_DELETED, Assertion, Settings, StatementId, compared

RuleName = Literal["precedence", "most_recent", "most_complete", "longest", "most_frequent"]
Origin = tuple[str, int | None, StatementId | str, str]  # source, time, assertion, rule


@dataclass(frozen=True, slots=True)
class Rule:
    """How a group of attributes is decided."""

    attributes: tuple[str, ...]
    rule: RuleName
    sources: tuple[str, ...] = ()
    together: bool = False
    nulls: Literal["silent", "compete"] = "silent"


@dataclass(frozen=True, slots=True)
class Rules:
    """All of an entity's rules; `deletion` names the sources with authority, none: all."""

    rules: tuple[Rule, ...] = ()
    deletion: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Override:
    """What a person set."""

    id: str
    key: str
    given: Mapping[str, object]
    start: int | None
    end: int | None
    made: int
    withdrawn: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """What is believed at one instant."""

    deleted: bool
    values: dict[str, object]
    origin: dict[str, Origin | None]
    contested: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    """A state and the time it is believed for."""

    key: str
    start: int
    end: int | None
    is_current: bool
    state: State


@dataclass(frozen=True, slots=True)
class Candidate:
    """One source's say in a question."""

    source: str
    at: int
    id: StatementId
    says: Mapping[str, object]
    filled: int


@dataclass(frozen=True, slots=True)
class Court:
    """One key: what was said of it in order, by whom it is judged, and what people set."""

    said: Sequence[Assertion]
    settings: Settings
    rules: Rules
    overrides: Sequence[Override] = ()

    @property
    def names(self) -> list[str]:
        return [attr.name for attr in self.settings.attributes]

    def has_authority(self, source: str) -> bool:
        return not self.rules.deletion or source in self.rules.deletion

    def begins(self) -> int | None:
        """When belief begins (R21)."""
        return next((a.said.at for a in self.said if not a.said.deleted or self.has_authority(a.said.source)), None)

    def instants(self) -> list[int]:
        start = self.begins()
        moments = {a.said.at for a in self.said} | {m for o in self.overrides for m in (o.start, o.end) if m is not None}
        return sorted(m for m in moments if start is not None and m >= start)

    def at(self, moment: int) -> State:
        """What is believed at an instant, from nothing but what was said up to it."""
        before = [a for a in self.said if a.said.at <= moment]
        values: dict[str, object] = dict.fromkeys(self.names)
        origin: dict[str, Origin | None] = dict.fromkeys(self.names)
        rivals: dict[str, list[tuple[str, object]]] = {}
        for rule, asked in self._questions():
            found = [c for c in self._candidates(before, rule, asked) if _stands(c, rule)]
            won = max(found, key=lambda c: self._weight(c, found, rule, asked), default=None)
            for name in asked:
                if won is not None and name in won.says:
                    values[name], origin[name] = won.says[name], (won.source, won.at, won.id, rule.rule)
                rivals[name] = [
                    (c.source, c.says[name]) for c in found if name in c.says and (c.says[name] is not None or rule.nulls == "compete")
                ]
        deleted = self._deleted(before)
        for override in sorted((o for o in self.overrides if _holds(o, moment)), key=lambda o: (o.made, o.id)):
            for name, value in override.given.items():
                if name == IS_DELETED:
                    deleted = bool(value)
                else:
                    values[name], origin[name] = value, ("override", override.start, override.id, "override")
        gone = {a.said.source: a.said.deleted for a in before if a.said.deleted is not None}
        contested = tuple(name for name in self.names if self._doubted(name, values[name], rivals.get(name, []), gone))
        return State(deleted, values, origin, contested)

    def intervals(self) -> list[Interval]:
        """Belief over time."""
        states = [(moment, self.at(moment)) for moment in self.instants()]
        runs = [list(run) for _, run in groupby(states, key=lambda each: self._compared(each[1]))]
        ends: list[int | None] = [*(run[0][0] for run in runs[1:]), None]
        return [self._interval(run, end) for run, end in zip(runs, ends, strict=False)]  # no run: belief has not begun

    def _interval(self, run: Sequence[tuple[int, State]], end: int | None) -> Interval:
        first, last = run[0][1], run[-1][1]
        shown = {attr.name: first if attr.tracked else last for attr in self.settings.attributes}
        values = {name: state.values[name] for name, state in shown.items()}
        origin = {name: state.origin[name] for name, state in shown.items()}
        is_current = end is None and not (first.deleted and self.settings.deletes == "close")
        return Interval(self.said[0].said.key, run[0][0], end, is_current, State(first.deleted, values, origin, first.contested))

    def _compared(self, state: State) -> tuple[object, ...]:
        return (state.deleted, *(compared(state.values[attr.name], attr) for attr in self.settings.attributes if attr.tracked))

    def _questions(self) -> list[tuple[Rule, tuple[str, ...]]]:
        named = {name for rule in self.rules.rules for name in rule.attributes}
        rest = [Rule((name,), "most_recent") for name in self.names if name not in named]
        asked = [
            (rule, [rule.attributes] if rule.together else [(name,) for name in rule.attributes]) for rule in (*self.rules.rules, *rest)
        ]
        return [(rule, names) for rule, groups in asked for names in groups]

    def _candidates(self, before: Sequence[Assertion], rule: Rule, asked: tuple[str, ...]) -> list[Candidate]:
        found: dict[str, Assertion] = {}
        values: dict[str, dict[str, object]] = {}
        for a in before:
            source = a.said.source
            if rule.sources and source not in rule.sources:
                continue
            values.setdefault(source, {}).update(_within(a.said.says, rule.attributes))
            if any(name in a.said.says for name in asked):
                found[source] = a
        whole = {source: _within(a.said.says, rule.attributes) if rule.together else values[source] for source, a in found.items()}
        return [_candidate(a, asked, whole[source]) for source, a in found.items()]

    def _weight(self, one: Candidate, found: Sequence[Candidate], rule: Rule, asked: tuple[str, ...]) -> tuple[object, ...]:
        rank = self.settings.ranks.get(one.source, 0)
        weights = {
            "precedence": -rule.sources.index(one.source) if rule.sources else rank,
            "most_recent": 0,
            "most_complete": one.filled,
            "longest": sum(-1 if one.says.get(name) is None else len(str(one.says[name])) for name in asked),
            "most_frequent": sum(all(self._same(name, one.says.get(name), other.says.get(name)) for name in asked) for other in found),
        }
        return (weights[rule.rule], one.at, rank, one.source)

    def _same(self, name: str, one: object, other: object) -> bool:
        attr = next(attr for attr in self.settings.attributes if attr.name == name)
        return compared(one, attr) == compared(other, attr)

    def _deleted(self, before: Sequence[Assertion]) -> bool:
        spoken = [a for a in before if a.said.deleted is not None and self.has_authority(a.said.source)]
        return bool(spoken and spoken[-1].said.deleted)

    def _doubted(self, name: str, value: object, rivals: Iterable[tuple[str, object]], gone: Mapping[str, bool | None]) -> bool:
        return any(not self._same(name, value, other) and not gone.get(source) for source, other in rivals)


def _within(says: Mapping[str, object], names: Iterable[str]) -> dict[str, object]:
    return {name: says[name] for name in names if name in says}


def _candidate(a: Assertion, asked: tuple[str, ...], of_group: Mapping[str, object]) -> Candidate:
    return Candidate(
        a.said.source, a.said.at, a.said.id, _within(a.said.says, asked), sum(value is not None for value in of_group.values())
    )


def _stands(one: Candidate, rule: Rule) -> bool:
    return rule.nulls == "compete" or any(value is not None for value in one.says.values())


def _holds(override: Override, moment: int) -> bool:
    return (override.start is None or override.start <= moment) and (override.end is None or override.end > moment)


def in_force(overrides: Iterable[Override], known_at: int | None) -> list[Override]:
    """The overrides that had been made by then and not withdrawn (R29)."""
    if known_at is None:
        return [o for o in overrides if o.withdrawn is None]
    return [o for o in overrides if o.made <= known_at and (o.withdrawn is None or o.withdrawn > known_at)]


def beliefs(told: Iterable[Sequence[Assertion]], settings: Settings, rules: Rules, overrides: Iterable[Override] = ()) -> list[Interval]:
    """Belief over time of every key, from all that was said of each in order (`oracle.assertions`)."""
    given = list(overrides)
    courts = (Court(said, settings, rules, [o for o in given if o.key == said[0].said.key]) for said in told)
    return [interval for court in courts for interval in court.intervals()]
