"""Verify: every check on demand, each problem by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from muniment.decisions.overrides import TABLE as OVERRIDES
from muniment.evidence.lanes import VERSION
from muniment.lake.failed import FAILED
from muniment.lake.schema import aligned, kind_of
from muniment.lake.tables import Lake
from muniment.lake.trouble import summary
from muniment.model.entity import Entity, Kind
from muniment.model.load import Load
from muniment.model.series import Series
from muniment.model.tables import belief_columns, belief_name, derived_columns, derived_name
from muniment.quality import beliefs, chain, invariants
from muniment.quality.problems import Problem, Verification
from muniment.steps import verify_load, verify_series
from muniment.steps.concerned import fresh
from muniment.steps.evidence import evidence_at
from muniment.steps.position import reached
from muniment.steps.ruling import under, with_speakers
from muniment.steps.verify_captures import CHECK as CAPTURES
from muniment.steps.verify_captures import verify_captures

ALL_UP_TO = 1_000_000  # a log of more rows is folded again for a share of its keys
SHARE = 16


def verify(lake: Lake, things: Sequence[Entity | Load | Series], *, root: Path, every_key: bool = False) -> Verification:
    """All problems of these things, of captures below `root`, and of the record of runs."""
    problems, checks = [*chain.verify_runs(lake)], [*chain.CHECKS]
    for each in things:
        found, made = _looked_at(lake, each, root, every_key=every_key)
        problems += found
        checks += made
    return Verification(not problems, tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(checks)))


def _looked_at(lake: Lake, thing: Entity | Load | Series, root: Path, *, every_key: bool) -> tuple[Iterable[Problem], Iterable[str]]:
    """What is wrong with one thing, and what was checked."""
    if isinstance(thing, Load):
        return verify_load.verify_load(lake, thing), verify_load.CHECKS
    if isinstance(thing, Series):
        return verify_series.verify_series(lake, thing), verify_series.CHECKS
    edited = chain.verify_chain(lake, thing)
    derived = [] if any(p.check == "files" for p in edited) else _derived(lake, thing, every_key=every_key)
    return [*edited, *derived, *verify_captures(lake, thing, root)], (*invariants.CHECKS, *beliefs.CHECKS, CAPTURES)


def _derived(lake: Lake, entity: Entity, *, every_key: bool) -> list[Problem]:
    found = _readable(lake, derived_name(entity), lambda: _invariants(lake, entity, every_key=every_key))
    if entity.kind is Kind.EVENT:
        return found
    return found + _readable(lake, belief_name(entity), lambda: _beliefs(lake, entity, every_key=every_key))


def _readable(lake: Lake, name: str, check: Callable[[], Iterable[Problem]]) -> list[Problem]:
    table = lake.table(name)
    if not table.exists() or reached(table).number == 0:
        return []
    try:
        return list(check())
    except FAILED as error:
        return [Problem("fold", table.name, f"it cannot be read: {summary(error)[:200]}")]


def _beliefs(lake: Lake, entity: Entity, *, every_key: bool) -> Iterator[Problem]:
    """Belief against the evidence, the rules and the overrides it was resolved from."""
    table = lake.table(belief_name(entity))
    at = reached(table)
    ruled = with_speakers(lake, under(entity, at.settings))
    evidence = evidence_at(lake, ruled, at)
    held = aligned(table.read(), kind_of(belief_columns(entity)))
    overrides = lake.table(OVERRIDES).read(at.override) if at.override >= 0 else None
    yield from invariants.broken_chains(held, entity=entity, table=table.name, order=("effective_from",))
    yield from beliefs.unsaid(held, evidence.rows, overrides, entity=entity, table=table.name)
    share = 1 if every_key or evidence.rows.count() <= ALL_UP_TO else SHARE
    sample = replace(evidence, rows=invariants.sampled(evidence.rows, share=share))
    yield from beliefs.not_as_resolved(invariants.sampled(held, share=share), fresh(lake, sample, at), table=table.name)


def _invariants(lake: Lake, entity: Entity, *, every_key: bool) -> Iterator[Problem]:
    table = lake.table(derived_name(entity))
    evidence = evidence_at(lake, entity, reached(table))
    held = aligned(table.read(), kind_of(derived_columns(entity)))
    if entity.kind is Kind.STATE:
        yield from invariants.broken_chains(held, entity=entity, table=table.name)
        yield from invariants.lost_origins(held, evidence.rows, entity=entity, table=table.name)
    share = 1 if every_key or evidence.rows.count() <= ALL_UP_TO else SHARE
    identity = ("sk",) if entity.kind is Kind.EVENT else VERSION
    fresh = replace(evidence, rows=invariants.sampled(evidence.rows, share=share)).fold()
    yield from invariants.not_as_folded(invariants.sampled(held, share=share), fresh, table=table.name, identity=identity)
