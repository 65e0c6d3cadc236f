"""Mark a landed run: derive stops before it, or goes on without it; a decision that can be taken back, and nothing is deleted (R29)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from pyspark.sql import functions as F

from muniment import faults
from muniment.decisions.marks import Effect, Family, Mark, Verb, marks_of, new_mark, record_marks, signed
from muniment.lake.tables import Lake
from muniment.ledger.runs import ensure, recorded
from muniment.model.entity import Entity, Kind
from muniment.model.tables import belief_name, derived_name
from muniment.steps.derive import derive
from muniment.steps.errors import NothingToDecide
from muniment.steps.release import Verdict
from muniment.steps.resolve import resolve


@dataclass(frozen=True, slots=True)
class Marked:
    """What a mark on a run did to the tables: keys of history and of belief that read otherwise now."""

    entity: str
    run_id: str
    effect: str  # hold, exclude or none
    versions: int = 0
    intervals: int = 0
    repeated: bool = False


def mark_run(lake: Lake, entity: Entity, run_id: str, *, effect: Effect, verdict: Verdict) -> Marked:
    """Say that a run is bad, and bring the tables to it; to say it again finishes what was cut off."""
    signed(verdict.by, verdict.reason)
    with lake.lock(f"mark {entity.name}"):
        ensure(lake)
        _refuse_unknown(lake, entity, run_id)
        last = _last(lake, entity, run_id)
        said = last is not None and last.verb is Verb.MARK and last.effect == effect
        if not said:
            made = new_mark(Verb.MARK, run_id, by=verdict.by, reason=verdict.reason, place=f"run {run_id}")
            record_marks(lake, Family.ENTITY, entity.name, [replace(made, effect=effect.value)])
        faults.point("mark:after-row")
    return _followed(lake, entity, Marked(entity.name, run_id, effect.value, repeated=said))


def unmark_run(lake: Lake, entity: Entity, run_id: str, *, verdict: Verdict) -> Marked:
    """Say that a run was good after all, and bring the tables to it."""
    signed(verdict.by, verdict.reason)
    with lake.lock(f"unmark {entity.name}"):
        ensure(lake)
        _refuse_unknown(lake, entity, run_id)
        last = _last(lake, entity, run_id)
        if last is None:
            raise NothingToDecide(
                entity=entity.name, problem=f"run {run_id} is not marked", advice="'SELECT * FROM ops.mark' lists what is."
            )
        said = last.verb is not Verb.MARK
        if not said:
            made = new_mark(Verb.UNMARK, run_id, by=verdict.by, reason=verdict.reason, place=f"run {run_id}")
            record_marks(lake, Family.ENTITY, entity.name, [made])
        faults.point("mark:after-row")
    return _followed(lake, entity, Marked(entity.name, run_id, "none", repeated=said))


def left_out(lake: Lake, entity: Entity, runs: set[str], known_at: datetime | None) -> list[str]:
    """What is to be said of runs that do not count for an answer, each with who said so and why."""
    marks = [mark for mark in marks_of(lake, Family.ENTITY, entity.name) if known_at is None or mark.made_at <= known_at]
    last = {mark.target: mark for mark in marks}
    return [
        f"what run {run} says is left out: marked by {mark.made_by}: {mark.reason}"
        for run, mark in sorted(last.items())
        if run in runs and mark.verb is Verb.MARK and mark.effect == Effect.EXCLUDE
    ]


def _followed(lake: Lake, entity: Entity, done: Marked) -> Marked:
    """The tables that there are, brought to what counts now."""
    derived = derive(lake, entity) if lake.table(derived_name(entity)).exists() else None
    believed = resolve(lake, entity) if entity.kind is Kind.STATE and lake.table(belief_name(entity)).exists() else None
    return replace(done, versions=derived.changed if derived else 0, intervals=believed.changed if believed else 0)


def _last(lake: Lake, entity: Entity, run_id: str) -> Mark | None:
    return next((mark for mark in reversed(marks_of(lake, Family.ENTITY, entity.name)) if mark.target == run_id), None)


def _refuse_unknown(lake: Lake, entity: Entity, run_id: str) -> None:
    mine = (F.col("run_id") == run_id) & (F.col("entity") == entity.name) & F.col("step").isin("land", "release")
    if not recorded(lake, mine):
        raise NothingToDecide(
            entity=entity.name, problem=f"no run {run_id} has landed anything of it", advice=f"'muniment runs {entity.name}' lists them."
        )
