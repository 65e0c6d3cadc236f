"""Resolve: belief from the log. Looks again at the keys that are concerned, changes only what differs, in one commit (R20–R24)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import faults
from muniment.errors import BadArgument
from muniment.evidence.lanes import difference
from muniment.evidence.slots import only
from muniment.lake.changes import Everything, On, Replacement, Where
from muniment.lake.retry import with_retry
from muniment.lake.schema import aligned, kind_of, statistics
from muniment.lake.tables import Lake
from muniment.ledger.rules import keep
from muniment.ledger.runs import ensure
from muniment.model.entity import Entity, Kind
from muniment.model.tables import LIVE_NOW, belief_columns, belief_name, belief_view, derived_name, log_name, searched
from muniment.steps.concerned import Since, concerned, fresh
from muniment.steps.derive import derive, rebuild
from muniment.steps.evidence import evidence_at
from muniment.steps.kept import Kept, keeping
from muniment.steps.keys import FEW, keys_of
from muniment.steps.overrides import override_version
from muniment.steps.position import Position, due, reached
from muniment.steps.ran import Running, recover_record, replace_rows
from muniment.steps.refold import refolded
from muniment.steps.results import Derived, Resolved
from muniment.steps.ruling import belief_settings, rule_set, with_speakers

INTERVAL = ("sk", "effective_from")  # what names an interval of belief


@dataclass(frozen=True, slots=True)
class Ruling:
    """Who changes the rules, and why; asked for only where they changed."""

    by: str | None = None
    reason: str | None = None


NOBODY = Ruling()


def resolve(lake: Lake, entity: Entity, *, ruling: Ruling = NOBODY) -> Resolved:
    """Bring belief, and the history before it, up to the log and to the declared rules."""
    refuse_facts(entity)
    with lake.lock(f"resolve {entity.name}"):
        if not lake.table(log_name(entity)).exists():
            return Resolved(entity.name)
        ensure(lake)
        recover_record(lake, lake.table(belief_name(entity)))
        return with_retry(lambda: _resolve(lake, with_speakers(lake, entity), ruling))


def rebuild_all(lake: Lake, entity: Entity) -> Derived:
    """History, and belief where there is one, again from the log alone."""
    result = rebuild(lake, entity)
    if entity.kind is Kind.STATE and lake.table(belief_name(entity)).exists():
        with lake.lock(f"rebuild {entity.name}"):
            with_retry(lambda: _anew(lake, with_speakers(lake, entity), _now(lake, entity, due(lake, entity, was=Position()), NOBODY)))
    return result


def refuse_facts(entity: Entity) -> None:
    """Facts are not weighed against each other."""
    if entity.kind is Kind.EVENT:
        raise BadArgument(argument="entity", problem=f"{entity.name} has facts, which nobody weighs", advice="Look at its history.")


def _resolve(lake: Lake, entity: Entity, ruling: Ruling) -> Resolved:
    was = reached(lake.table(belief_name(entity)))
    here = due(lake, entity, was=was)  # before derive: what lands in between is for the next resolve
    derive(lake, entity)
    now = _now(lake, entity, here, ruling)
    if was.number == 0 or (was.rules, was.shape) != (now.rules, now.shape):
        return _anew(lake, entity, now)
    if not Since(was, now).has_news:
        return Resolved(entity.name, rule_version=now.rules)
    return (_apply if was.excluded == now.excluded else _refold)(lake, entity, Since(was, now))


def _now(lake: Lake, entity: Entity, here: Position, ruling: Ruling) -> Position:
    """How far belief is to read, under which rules; rules that changed become a new version here (R22)."""
    was = reached(lake.table(belief_name(entity)))
    settings = belief_settings(entity)
    held = was.settings or None
    rules = was.rules if held == settings else keep(lake, rule_set(entity, by=ruling.by, reason=ruling.reason, before=held))
    history = lake.table(derived_name(entity))
    read = replace(here, override=override_version(lake), shape=reached(history).rules, history=history.version())
    return replace(read, number=was.number + 1, settings=settings, rules=rules)


def _anew(lake: Lake, entity: Entity, now: Position) -> Resolved:
    """All of belief: for the first time, under other rules, or over a history of another shape."""
    running = Running("resolve", entity.name)
    table = lake.table(belief_name(entity))
    columns, comment = belief_columns(entity), f"What is believed of {entity.name}, by declared rules"
    table.create(columns, comment=comment, partition=["is_current"], properties=statistics(searched(entity, columns)))
    lake.view(belief_view(entity), of=belief_name(entity), where=LIVE_NOW)
    evidence = evidence_at(lake, entity, now)
    with keeping() as kept:
        few = evidence.rows.limit(FEW + 1).count() <= FEW
        after = kept.keep(fresh(lake, evidence, now, few=few))
        before = aligned(table.read(table.version()), kind_of(belief_columns(entity)))
        result = _count(entity, before, after, now=now)
        _commit(lake, entity, after, where=Everything(), said={**now.said(), **running.said(result.counts())})
    _record(lake, entity, result, running)
    return result


def _apply(lake: Lake, entity: Entity, since: Since) -> Resolved:
    running = Running("resolve", entity.name)
    with keeping() as kept:
        found = concerned(lake, evidence_at(lake, entity, since.now), since, kept=kept)
        after = kept.keep(found.after)
        changes = kept.keep(difference(found.before, after, identity=INTERVAL).rows)
        result = _summed(entity, changes, after, now=since.now)
        if result.changed:
            rows, where = _replacement(changes, after, kept)
            _commit(lake, entity, rows, where=where, said={**since.now.said(), **running.said(result.counts())})
            _record(lake, entity, result, running)
    return result


def _refold(lake: Lake, entity: Entity, since: Since) -> Resolved:
    """Look again at what a mark on a run, or its end, touches; keys that nothing is left of go."""
    running, table = Running("resolve", entity.name), lake.table(belief_name(entity))
    evidence = evidence_at(lake, entity, since.now)
    with keeping() as kept:
        keys = refolded(lake, evidence, was=since.was, kept=kept) if since.was.override == since.now.override else None
        if keys is None or keys.are_none:
            return _anew(lake, entity, since.now) if keys is None else Resolved(entity.name, rule_version=since.now.rules)
        past = kept.now(keys.of(evidence.rows))
        after = kept.keep(fresh(lake, replace(evidence, rows=past), since.now, few=True))
        before = keys.of(aligned(table.read(table.version()), kind_of(belief_columns(entity))))
        result = _summed(entity, difference(before, after, identity=INTERVAL).rows, after, now=since.now)
        _commit(lake, entity, after, where=Where(keys.sql("sk")), said={**since.now.said(), **running.said(result.counts())})
        _record(lake, entity, result, running)
    return result


def _replacement(changes: DataFrame, after: DataFrame, kept: Kept) -> tuple[DataFrame, Replacement]:
    """The rows to write and those whose place they take: interval by interval, and whole keys where an interval goes for good."""
    gone = keys_of(kept.keep(changes.where(F.col("after").isNull()).select("before.sk")))
    changed = keys_of(kept.keep(changes.select(F.coalesce("before.sk", "after.sk").alias("sk"))))
    if not gone.are_short:
        return changed.of(after), On("t.sk = s.sk")
    same = "t.effective_from = s.effective_from" + ("" if gone.are_none else f" OR {gone.sql('t.sk')}")
    named_keys = f" AND {changed.sql('t.sk')}" if changed.are_short else ""
    rows = gone.apart(changes.where(F.col("after").isNotNull()).select("after.*"))
    return rows if gone.are_none else rows.unionByName(gone.of(after)), On(f"t.sk = s.sk AND ({same}){named_keys}{_current_only(changes)}")


def _current_only(changes: DataFrame) -> str:
    """Where nothing but what is current changes, the closed intervals need not be looked at."""
    past = changes.where(~F.col("before.is_current") | F.col("after").isNull()).isEmpty()
    return " AND t.is_current" if past else ""


def _commit(lake: Lake, entity: Entity, rows: DataFrame, *, where: Replacement, said: Mapping[str, Any]) -> None:
    table = lake.table(belief_name(entity))
    shaped = only(rows, (col.name for col in belief_columns(entity)))
    faults.point("resolve:before-commit")
    replace_rows(table, shaped, where=where, step="resolve", said=said)
    faults.point("resolve:after-commit")


def _count(entity: Entity, before: DataFrame, after: DataFrame, *, now: Position) -> Resolved:
    """Under other rules an interval counts as changed by what is believed in it, not by the number of the rules."""
    told = [column.name for column in belief_columns(entity) if column.name not in ("rule_version", "origin")]
    changes = difference(only(before, told), only(after, told), identity=INTERVAL).rows
    return _summed(entity, changes, after, now=now)


def _summed(entity: Entity, changes: DataFrame, after: DataFrame, *, now: Position) -> Resolved:
    ended = F.col("before.effective_to").isNull() & F.col("before").isNotNull() & F.col("after.effective_to").isNotNull()
    row = changes.agg(
        F.count(F.lit(1)).alias("changed"),
        F.count_if(F.col("before").isNull()).alias("opened"),
        F.count_if(ended).alias("closed"),
        F.count_distinct(F.coalesce("before.sk", "after.sk")).alias("keys"),
    ).first()
    seen = after.agg(F.count_distinct("sk").alias("keys"), F.count_if(F.size("contested") > 0).alias("contested")).first()
    if row is None or seen is None:
        return Resolved(entity.name, rule_version=now.rules)
    return Resolved(
        entity.name,
        keys=seen["keys"],
        opened=row["opened"],
        closed=row["closed"],
        contested=seen["contested"],
        unchanged=seen["keys"] - row["keys"],
        changed=row["changed"],
        rule_version=now.rules,
    )


def _record(lake: Lake, entity: Entity, result: Resolved, running: Running) -> None:
    table = lake.table(belief_name(entity))
    running.record(lake, result.counts(), writes={table.name: table.version()})
    faults.point("resolve:after-run")
