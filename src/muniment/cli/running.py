"""Running: everything that is due, in order, and what that would be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.output import answer_object
from muniment.cli.progress import working
from muniment.cli.projects import entity_names, opened
from muniment.cli.streaming import follow
from muniment.config.mistakes import printable

if TYPE_CHECKING:
    from muniment.steps.run import Run

Names = Annotated[list[str] | None, typer.Argument(metavar="[ENTITY]...", autocompletion=entity_names, help="Default: all.")]
Select = Annotated[str | None, typer.Option("--select", help="Only these: a name, or tag:NAME.")]
Exclude = Annotated[str | None, typer.Option("--exclude", help="All but these: a name, or tag:NAME.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for function in (run, plan):
        command(app, function)


def run(
    asked: Asked,
    entities: Names = None,
    *,
    select: Select = None,
    exclude: Exclude = None,
    stream: Annotated[bool, typer.Option("--stream", help="Land and derive what comes, until stopped.")] = False,
    available_now: Annotated[
        bool, typer.Option("--available-now", help="With --stream: take what is there, batch by batch, and end.")
    ] = False,
    max_files: Annotated[int, typer.Option(min=1, metavar="N", help="With --stream: files in one batch at most.")] = 1000,
    max_messages: Annotated[int, typer.Option(min=1, metavar="N", help="With --stream: messages in one batch at most.")] = 100_000,
) -> None:
    """Land what is new, derive and resolve; a failure stops only what depends on it."""
    if stream:
        follow(asked, entities, available_now=available_now, limits=(max_files, max_messages))
        return
    project = opened(asked)
    with working("Running"):
        done = project.run(*(entities or ()), select=select, exclude=exclude)
    answer_object(done, asked, _told(done))
    if done.exit_code:
        raise typer.Exit(done.exit_code)


def plan(asked: Asked, entities: Names = None, *, select: Select = None, exclude: Exclude = None) -> None:
    """Say what run would do; nothing is written."""
    project = opened(asked)
    with working("Looking"):
        found = project.plan(*(entities or ()), select=select, exclude=exclude)
    answer_object(found, asked, _told(found))


def _told(done: Run) -> Iterator[str]:
    for outcome in done.outcomes:
        what = " ".join(part for part in (outcome.stage.verb, outcome.stage.entity, outcome.stage.source) if part)
        status = "" if outcome.status in ("done", "planned") else f"{outcome.status}: "
        yield printable(f"{what}: {status}{outcome.detail}".replace("\n", " "))
