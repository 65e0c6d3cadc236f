"""Marks on landed runs: a run is bad, or was good after all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.output import answer_object
from muniment.cli.progress import working
from muniment.cli.projects import opened
from muniment.cli.timeline import EntityName

if TYPE_CHECKING:
    from muniment.steps.marking import Marked

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run that landed it; 'muniment runs ENTITY' lists them.")]
By = Annotated[str, typer.Option("--by", help="Who.")]
Reason = Annotated[str, typer.Option("--reason", help="Why.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for function in (mark, unmark):
        command(app, function)


def mark(
    asked: Asked,
    entity: EntityName,
    run: RunId,
    *,
    by: By,
    reason: Reason,
    exclude: Annotated[bool, typer.Option("--exclude/--hold", help="Leave it out; default: derive stops before it.")] = False,
) -> None:
    """Say that a landed run is bad; nothing is deleted."""
    project = opened(asked)
    with working("Marking"):
        done = project.mark(entity, run, reason=reason, by=by, exclude=exclude)
    answer_object(done, asked, _told(done))


def unmark(asked: Asked, entity: EntityName, run: RunId, *, by: By, reason: Reason) -> None:
    """Say that a landed run was good after all."""
    project = opened(asked)
    with working("Un-marking"):
        done = project.unmark(entity, run, reason=reason, by=by)
    answer_object(done, asked, _told(done))


def _told(done: Marked) -> Iterator[str]:
    words = {"hold": "is held: derive stops before it", "exclude": "is left out", "none": "counts again"}
    yield f"{done.entity}: run {done.run_id} {words[done.effect]}"
    if done.versions or done.intervals:
        yield f"  {done.versions:,} versions of history and {done.intervals:,} intervals of belief read otherwise now"
