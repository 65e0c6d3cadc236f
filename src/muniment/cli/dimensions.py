"""Dimensions: apply, show, verify, repair, stamp, rebuild and statistics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.output import View, answer_frame, answer_object
from muniment.cli.progress import working
from muniment.cli.projects import data_place, dimension_names, opened
from muniment.cli.timeline import AsOf, Limit, Wide
from muniment.config.mistakes import printable
from muniment.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from muniment.model.dimension import Dimension
    from muniment.project import Project
    from muniment.steps.mend import Defect, Repaired, Verified
    from muniment.steps.results import Applied

FOUND = 1
Name = Annotated[str, typer.Argument(autocompletion=dimension_names, help="The dimension.")]
By = Annotated[str | None, typer.Option("--by", help="Who.")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why.")]
_READERS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".parquet": "parquet"}


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    group = typer.Typer(help="Tables that analysts join to: each column ages as it was declared.", no_args_is_help=True)
    for function in (apply, show, verify, repair, stamp, rebuild, statistics):
        command(group, function)
    app.add_typer(group, name="dimension")


def apply(
    asked: Asked,
    name: Name,
    path: Annotated[str | None, typer.Argument(help="A file with rows; left out: what is believed, or what waits.")] = None,
    *,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="From when the rows hold; default: now.")] = None,
    absence: Annotated[str | None, typer.Option(metavar="kept|deletes", help="Whether who is not among the rows is gone.")] = None,
    by: By = None,
    reason: Reason = None,
) -> None:
    """Bring a dimension up to rows, or to what is believed."""
    project = opened(asked)
    data = None if path is None else data_place(path, project.model.root)
    with working(f"Applying {name}"):
        done = project.apply(name, data, at=at, absence=absence, by=by, reason=reason)
    answer_object(done, asked, told(done))


def told(done: Applied) -> Iterator[str]:
    """What an apply did, in words."""
    members = f"inserted {done.inserted:,}, updated {done.updated:,}, deleted {done.deleted:,}, unchanged {done.unchanged:,}"
    yield f"{done.dimension}: {members}; versions opened {done.opened:,}, closed {done.closed:,}"
    if done.rejected:
        yield f"  {done.rejected:,} rows set aside    muniment quarantine {done.dimension}"
    if done.refused:
        yield f"  {done.refused:,} attempts to change what never changes were refused and recorded in gold.{done.dimension}_audit"
    yield from (printable(f"  {message}") for message in done.messages)


def show(asked: Asked, name: Name, *, as_of: AsOf = None, limit: Limit = None, wide: Wide = False) -> None:
    """Show the versions of a dimension, or those that hold at a time."""
    project = opened(asked)
    spec = _spec(project, name)
    frame = project.dimension(name, as_of=as_of).orderBy(*(f"`{part.name}`" for part in spec.key), "effective_from")
    answer_frame(frame, asked, View(frame.drop("sk", "is_inferred"), limit, wide), empty=f"{name} has no member")


def verify(
    asked: Asked,
    name: Name,
    facts: Annotated[str | None, typer.Option("--facts", metavar="PATH", help="Stamped facts, to look for keys that nobody has.")] = None,
) -> None:
    """Check that a dimension is what all that was said makes of it."""
    project = opened(asked)
    with working(f"Verifying {name}"):
        found = project.verify_dimension(name, facts=None if facts is None else _read(project, facts))
    answer_object(found, asked, _verdict(found))
    if not found.ok:
        raise typer.Exit(FOUND)


def _verdict(found: Verified) -> Iterator[str]:
    wrong = len(found.defects) + len(found.problems)
    yield f"{found.dimension}: checked {', '.join(found.checks)}: {'nothing is wrong' if found.ok else f'{wrong:,} found'}"
    yield from _listed(found.defects)
    yield from (printable(f"  {problem.check}  {problem.where}: {problem.detail}") for problem in found.problems)
    if found.defects:
        yield f"  muniment dimension repair {found.dimension} --by NAME --reason WHY"


def _listed(defects: tuple[Defect, ...]) -> Iterator[str]:
    yield from (printable(f"  {defect.check}: {defect.count:,} members, such as {', '.join(defect.examples)}") for defect in defects)


def repair(
    asked: Asked,
    name: Name,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    by: By = None,
    reason: Reason = None,
) -> None:
    """Mend what verify finds: shows the plan, asks, and keeps what it takes out."""
    project = opened(asked)
    with working("Looking"):
        plan = project.repair_dimension(name, plan=True)
    if not plan.defects:
        answer_object(plan, asked, [f"{name}: there is nothing to repair"])
        return
    if asked.as_table:
        for line in _plan(plan):
            print(line)
    if not yes and not typer.confirm("Repair it?", err=True):
        return
    with working("Repairing"):
        done = project.repair_dimension(name, by=by, reason=reason)
    answer_object(done, asked, [f"{name}: repaired; what was taken out is in gold.{name}_removed"])


def _plan(plan: Repaired) -> Iterator[str]:
    yield f"{plan.dimension}: {plan.removed:,} rows would go (and be kept in gold.{plan.dimension}_removed), {plan.added:,} would come"
    yield from _listed(plan.defects)


def stamp(
    asked: Asked,
    name: Name,
    facts: Annotated[str, typer.Argument(help="A file of facts (csv, json, parquet), or a table of the lake.")],
    *,
    key: Annotated[
        list[str] | None, typer.Option("--key", metavar="COLUMN", help="The facts' column with the key; default: its own name.")
    ] = None,
    at: Annotated[str, typer.Option("--at", metavar="COLUMN", help="The facts' column with their time.")],
    repair: Annotated[bool, typer.Option("--repair", help="They were stamped before: list those whose key is another now.")] = False,
    to: Annotated[Path | None, typer.Option("--to", metavar="FOLDER", help="Write the stamped facts there as Parquet.")] = None,
    limit: Limit = None,
) -> None:
    """Give facts the surrogate keys that were valid at their time; -1 where none was."""
    if to is not None and to.exists():
        raise BadArgument(argument="--to", problem=f"'{to}' is there already", advice="Name a folder that is not there yet.")
    project = opened(asked)
    rows = _read(project, facts)
    stamped = project.stamp(name, rows, key, at, repair=repair)
    surrogate = _spec(project, name).surrogate
    if to is not None:
        with working("Stamping"):
            stamped.write.mode("error").parquet(str(to.absolute()))
        print(f"{name}: stamped facts are in {printable(str(to))}")
        return
    shown = stamped.where(f"`previous_{surrogate}` IS NOT NULL") if repair else stamped
    answer_frame(shown, asked, View(None, limit), empty="every fact has the key of its time" if repair else "no facts")


def rebuild(asked: Asked, name: Name, *, by: By = None, reason: Reason = None) -> None:
    """Make a dimension again, from all that was said of its members; surrogate keys stay."""
    project = opened(asked)
    with working(f"Rebuilding {name}"):
        done = project.rebuild_dimension(name, by=by, reason=reason)
    answer_object(done, asked, told(done))


def statistics(asked: Asked, name: Name) -> None:
    """Say how often each column changes, and whether it should age otherwise."""
    project = opened(asked)
    answer_frame(project.dimension_statistics(name), asked, View(counts=frozenset({"rows", "members", "changes", "members_changed"})))


def _spec(project: Project, name: str) -> Dimension:
    from muniment.model.names import find

    return find("dimension", name, {each.name: each for each in project.model.dimensions})


def _read(project: Project, place: str) -> DataFrame:
    """Facts by the name of a table, or from files."""
    if place in project.lake.names():
        return project.table(place)
    path = Path(place)
    form = _READERS.get(path.suffix, "parquet" if path.is_dir() else None)
    if form is None or not path.exists():
        raise BadArgument(
            argument="facts", problem=f"'{place}' is no table and no file that can be read", advice="Give a csv, json or parquet file."
        )
    return project.spark.read.format(form).options(header="true", inferSchema="true").load(str(path.absolute()))
