"""The rules of belief as they are kept in `ops.rule_set`, and an entity under the rules of a version (R22, R28)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from pyspark.sql import functions as F

from muniment.lake.tables import Lake
from muniment.ledger.rules import BELIEF, RuleSet, rules_at
from muniment.model.belief import Belief, BeliefRule, Nulls, RuleName
from muniment.model.entity import Entity
from muniment.model.source import Source


def belief_settings(entity: Entity) -> dict[str, Any]:
    """All that belief is decided by, as plain values."""
    return {
        "rules": [
            {
                "attributes": list(rule.attributes),
                "rule": rule.rule.value,
                "sources": list(rule.sources),
                "together": rule.together,
                "nulls": rule.nulls.value,
            }
            for rule in entity.belief.rules
        ],
        "deletion": list(entity.belief.deletion_sources),
        "precedence": list(entity.precedence),
    }


def under(entity: Entity, settings: Mapping[str, Any]) -> Entity:
    """The entity under such rules."""
    rules = tuple(
        BeliefRule(
            tuple(rule["attributes"]), RuleName(rule["rule"]), tuple(rule["sources"]), together=rule["together"], nulls=Nulls(rule["nulls"])
        )
        for rule in settings["rules"]
    )
    return replace(entity, belief=Belief(rules, tuple(settings["deletion"])), precedence=tuple(settings["precedence"]))


def ruled_at(lake: Lake, entity: Entity, moment: datetime | None) -> tuple[Entity, int]:
    """The entity under the rules in force at a moment, and their version; before any were kept, as it is configured (R29)."""
    kept = rules_at(lake, entity.name, moment, kind=BELIEF)
    return (entity, 1) if kept is None else (under(entity, kept.settings), kept.version)


def with_speakers(lake: Lake, entity: Entity) -> Entity:
    """The entity with the sources that it once had: what they said is evidence still."""
    table = lake.table("ops.contract")
    if not table.exists():
        return entity
    declared = {source.name for source in entity.sources}
    rows = table.read().where(F.col("entity") == entity.name).select("source").distinct().collect()
    former = sorted({str(row["source"]) for row in rows} - declared)
    return replace(entity, sources=(*entity.sources, *(Source(name) for name in former)))


def what_changed(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """A rule set against the one before it, in words."""
    if before is None:
        return "the first rules"
    old, new = (_by_attribute(settings) for settings in (before, after))
    told = [
        f"{name}: {old.get(name, 'most_recent')} → {new.get(name, 'most_recent')}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]
    told += [
        f"{name}: {before[name] or 'all'} → {after[name] or 'all'}" for name in ("deletion", "precedence") if before[name] != after[name]
    ]
    return "; ".join(told)


def _by_attribute(settings: Mapping[str, Any]) -> dict[str, str]:
    return {name: _words(rule) for rule in settings["rules"] for name in rule["attributes"]}


def _words(rule: Mapping[str, Any]) -> str:
    extra = [*(["together"] if rule["together"] else []), *(["nulls compete"] if rule["nulls"] == Nulls.COMPETE else [])]
    among = [f"of {', '.join(rule['sources'])}"] if rule["sources"] else []
    return " ".join([rule["rule"], *among, *extra])


def rule_set(entity: Entity, *, by: str | None, reason: str | None, before: Mapping[str, Any] | None) -> RuleSet:
    """The entity's rules as a version to be kept."""
    settings = belief_settings(entity)
    return RuleSet(entity.name, settings, BELIEF, by, reason or what_changed(before, settings))
