"""Loads: slices into a table, what a load is, and how far it has read its source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.output import View, answer_frame, answer_object
from muniment.cli.progress import working
from muniment.cli.projects import data_place, model_of, opened
from muniment.config.mistakes import printable
from muniment.errors import BadArgument, MunimentError

if TYPE_CHECKING:
    from muniment.loads.result import Loaded
    from muniment.project import Project

NONE = "none"


def load_names(incomplete: str) -> list[str]:
    """Loads of the project at hand, for the shell's completion."""
    try:
        names = [load.name for load in model_of(Asked()).loads]
    except MunimentError:
        return []
    return [name for name in names if name.startswith(incomplete)]


LoadName = Annotated[str, typer.Argument(autocompletion=load_names, help="The load.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    group = typer.Typer(help="Slices into a table by a strategy: full, merge or historic.", no_args_is_help=True)
    for function in (run, show, watermarks):
        command(group, function)
    app.add_typer(group, name="load")


def run(
    asked: Asked,
    name: LoadName,
    path: Annotated[
        str | None, typer.Argument(help="One slice: a file or a folder; default: all that are new at the load's place.")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="The processing time; default: now.")] = None,
) -> None:
    """Load a slice, or all that are new."""
    project = opened(asked)
    with working(f"Loading {name}"):
        done = project.load(name, None if path is None else data_place(path, project.model.root), at=at)
    answer_object(done, asked, told(done))


def told(done: Loaded) -> Iterator[str]:
    """What a load did, in words."""
    if not done.slices:
        yield printable(f"{done.load}: nothing new")
    else:
        run_of = f"run {done.run_id}" if done.slices == 1 else f"{done.slices} slices"
        changes = f"inserted {done.inserted:,}, updated {done.updated:,}, deleted {done.deleted:,}, seen again {done.unchanged:,}"
        yield printable(f"{done.load} ({run_of}): received {done.received:,}: {changes}")
    if done.quarantined:
        yield printable(f"  {done.quarantined:,} rows set aside    muniment quarantine {done.load}")
    if done.ignored:
        yield f"  {done.ignored:,} said to be gone that were never known"
    if done.inferred_deletes:
        yield f"  {done.inferred_deletes:,} were not in the slice though they are in its window: deleted"
    for column, value in done.watermarks.items():
        yield printable(f"  watermark {column}: {value}")
    for message in done.messages:
        yield printable(f"  {message}")


def show(
    asked: Asked,
    name: LoadName,
    limit: Annotated[int | None, typer.Option(min=1, help="How many rows; default for a table: 20.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="System columns too.")] = False,
) -> None:
    """Show what a load has made: its live rows, and for a historic one those that are current."""
    project = opened(asked)
    frame = project.loaded(name)
    own = [column for column in frame.columns if column not in project.load_of(name).system_columns]
    answer_frame(frame, asked, View(frame.select(*(f"`{column}`" for column in own)), limit, wide, rows=20), empty="nothing was loaded yet")


def watermarks(
    asked: Asked,
    name: Annotated[str | None, typer.Argument(autocompletion=load_names, help="One load; default: all.")] = None,
    reset: Annotated[str | None, typer.Option(metavar="COLUMN", help="Set the watermark of this column by hand.")] = None,
    to: Annotated[str | None, typer.Option(metavar="VALUE", help="To this value, or none: everything is read again.")] = None,
    by: Annotated[str | None, typer.Option(help="Who resets it.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    every: Annotated[bool, typer.Option("--history", help="All that became of them, with who and why.")] = False,
) -> None:
    """Show how far each load has read its source, or set that by hand."""
    project = opened(asked)
    if reset is not None:
        _reset(project, name, reset, to, (by, reason))
    frame = project.watermarks(name, every=every)
    brief = frame.select("load", "column", "value", "kind", "made_at", *(["before", "made_by", "reason"] if every else []))
    answer_frame(frame, asked, View(brief, None, rows=100), empty="no load has a watermark yet")
    if asked.as_table and name is not None:
        print(printable(f"the source is read next with: {project.next_read(name)}"))


def _reset(project: Project, name: str | None, column: str, to: str | None, who: tuple[str | None, str | None]) -> None:
    by, reason = who
    if name is None or to is None or by is None or reason is None:
        raise BadArgument(
            argument="--reset",
            problem="a watermark is set for one load, to a value or none, by somebody and for a reason",
            advice="muniment load watermarks NAME --reset COLUMN --to VALUE|none --by NAME --reason WHY",
        )
    project.reset_watermark(name, column, None if to == NONE else to, by=by, reason=reason)
