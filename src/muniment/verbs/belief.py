"""Belief as people use it: decide, ask, ask why, overrule, and keep an answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import DataFrame

from muniment.belief.explanation import Explanation
from muniment.config.rules import read_rules
from muniment.steps import believe
from muniment.steps.override import Wish, override, withdraw
from muniment.steps.pin import pin, pins
from muniment.steps.release import Verdict
from muniment.steps.resolve import Ruling, resolve
from muniment.steps.results import Pinned, Resolved
from muniment.steps.what_if import Comparison, compare_rules
from muniment.steps.why import why
from muniment.verbs.opened import Key, Moment, Opened, moment


class BeliefVerbs(Opened):
    """What a project believes, and why."""

    def resolve(self, entity: str, *, by: str | None = None, reason: str | None = None) -> Resolved:
        """Bring belief up to the log and to the declared rules; `by` and `reason` are kept with rules that changed."""
        return resolve(self.lake, self.entity(entity), ruling=Ruling(by, reason))

    def belief(
        self,
        entity: str,
        key: Key | None = None,
        *,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        include_deleted: bool = False,
    ) -> DataFrame:
        """What is believed at a time, by default now: one row per live entity; as known at a time."""
        return believe.belief(self.lake, self.asked(entity, key, as_of, known_at), include_deleted=include_deleted)

    def belief_history(self, entity: str, key: Key | None = None, *, known_at: Moment | None = None) -> DataFrame:
        """Belief over time, of all keys or one; as known at a time."""
        return believe.belief_history(self.lake, self.asked(entity, key, None, known_at))

    def why(self, entity: str, key: Key, attribute: str, *, as_of: Moment | None = None, known_at: Moment | None = None) -> Explanation:
        """Why something is believed: the winner, the losers, the rule, and the file and run of each."""
        return why(self.lake, self.asked(entity, key, as_of, known_at), attribute)

    def override(
        self,
        entity: str,
        key: Key,
        values: Mapping[str, object],
        *,
        start: Moment | None = None,
        end: Moment | None = None,
        by: str,
        reason: str,
    ) -> str:
        """Set values by hand for a time, on top of all that sources say, and return the override's id."""
        found = self.entity(entity)
        wish = Wish(key, values, moment(start, "start"), moment(end, "end"))
        made = override(self.lake, found, wish, verdict=Verdict(by, reason))
        resolve(self.lake, found)
        return made

    def withdraw(self, override_id: str, *, by: str, reason: str) -> None:
        """Withdraw an override: what was believed without it is believed again."""
        resolve(self.lake, self.entity(withdraw(self.lake, override_id, verdict=Verdict(by, reason))))

    def compare_rules(self, entity: str, rules: str | Path) -> Comparison:
        """What the rules of another file would change; nothing is written."""
        found = self.entity(entity)
        return compare_rules(self.lake, found, read_rules(self.model.root / rules, found))

    def pin(
        self,
        entity: str,
        name: str,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        *,
        by: str | None = None,
        reason: str | None = None,
    ) -> Pinned:
        """Keep an answer by name, with the proof of how it was made; the same again proves that it is still so."""
        return pin(self.lake, self.asked(entity, None, as_of, known_at), name, ruling=Ruling(by, reason))

    def pins(self, entity: str | None = None) -> DataFrame:
        """The answers that are kept; their rows are in `silver.<entity>_pin`."""
        return pins(self.lake, self.entity(entity).name if entity else None)
