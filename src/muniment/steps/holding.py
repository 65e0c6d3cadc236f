"""A check that marks: the run it finds fault with lands and is held, by a mark that is there before any of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from muniment import faults
from muniment.alerts.channels import Message, tell
from muniment.decisions.marks import Effect, Family, Verb, new_mark, record_marks
from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.steps.request import Request


def hold_run(lake: Lake, entity: Entity, run_id: str, failed: Mapping[str, int]) -> None:
    """Hold a run that is about to land: no derive and no kill can come between; a mark on a run that never lands holds nothing."""
    marks = [
        new_mark(Verb.MARK, run_id, by=f"check {check}", reason=f"{rows:,} rows fail it", place=f"run {run_id}")
        for check, rows in failed.items()
    ]
    record_marks(lake, Family.ENTITY, entity.name, [replace(mark, effect=Effect.HOLD.value) for mark in marks])
    faults.point("land:after-mark")


def words(failed: Mapping[str, int]) -> tuple[str, ...]:
    """What a run says of the checks that hold it."""
    return tuple(f"{rows:,} rows fail the check {check}, which holds the run" for check, rows in failed.items())


def tell_held(request: Request, run_id: str, failed: Mapping[str, int]) -> None:
    """Somebody has to decide: let it count, or leave it out."""
    if failed:
        entity = request.entity.name
        advice = f"muniment unmark {entity} {run_id} lets it count, muniment mark {entity} {run_id} --exclude leaves it out."
        text = f"run {run_id} of {request.source.name} is held: {'; '.join(words(failed))}"
        tell(request.alerts, request.root, Message("marked", f"entity {entity}", text, advice))
