"""Series: dumps, deltas and targets, and what people say of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.output import View, answer_frame, answer_object
from muniment.cli.progress import working
from muniment.cli.projects import data_place, model_of, opened
from muniment.cli.sheet import stdout
from muniment.config.mistakes import printable
from muniment.errors import BadArgument, MunimentError
from muniment.series.records import shown

if TYPE_CHECKING:
    from muniment.steps.series_backfill import Backfilled, Rebuilt
    from muniment.steps.series_compare import Compared
    from muniment.steps.series_mark import Said
    from muniment.steps.series_scene import Built, Taken

FOUND = 1


def series_names(incomplete: str) -> list[str]:
    """Series of the project at hand, for the shell's completion."""
    try:
        names = [series.name for series in model_of(Asked()).series]
    except MunimentError:
        return []
    return [name for name in names if name.startswith(incomplete)]


SeriesName = Annotated[str, typer.Argument(autocompletion=series_names, help="The series.")]
RoleName = Annotated[str, typer.Argument(metavar="ROLE", help="dump, delta or target.")]
At = Annotated[str, typer.Argument(metavar="TIME", help="The day or hour, ISO-8601; without an offset UTC.")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="All partitions up to this one.")]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Only from this one on.")]
By = Annotated[str, typer.Option("--by", help="Who.")]
Reason = Annotated[str, typer.Option("--reason", help="Why.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    group = typer.Typer(no_args_is_help=True, help="Series: partitions that can be marked bad.")
    for function in (land, build, show, read, mark, unmark, marks, backfill, compare):
        command(group, function)
    app.add_typer(group, name="series")


def land(asked: Asked, name: SeriesName, role: RoleName, at: At, path: Annotated[str, typer.Argument(help="A file or a folder.")]) -> None:
    """Land a dump or a delta of one day or hour."""
    if role not in ("dump", "delta"):
        raise BadArgument(argument="ROLE", problem=f"a {role} is not landed", advice="Write dump or delta; a target is built.")
    project = opened(asked)
    with working(f"Landing {name}"):
        series, place = project.series(name), data_place(path, project.model.root)
        done = series.dump(place, at) if role == "dump" else series.delta(place, at)
    answer_object(done, asked, _taken(done))


def _taken(done: Taken) -> Iterator[str]:
    what = f"{done.series}: {done.role.value} {shown(done.at)}"
    gone = f", {done.deletes:,} of them deletes" if done.deletes else ""
    yield f"{what}: nothing new" if done.skipped else f"{what}: {done.rows:,} rows{gone}, checksum {done.checksum[:12]}"
    for each in done.marked:
        yield printable(f"  marked bad by {each}")
    for each in done.messages:
        yield printable(f"  {each}")


def build(asked: Asked, name: SeriesName, at: At) -> None:
    """Make a target from the newest good base and the deltas after it."""
    project = opened(asked)
    with working(f"Building {name}"):
        done = project.series(name).build(at)
    answer_object(done, asked, _built(done))


def _built(done: Built) -> Iterator[str]:
    state = "built" if done.written else "is there already"
    yield f"{done.series}: target {shown(done.at)} {state}: {done.rows:,} rows, checksum {done.checksum[:12]}"
    yield f"  from {done.base} and {len(done.deltas)} {'delta' if len(done.deltas) == 1 else 'deltas'}"
    if done.missing:
        yield f"  no delta was ever heard for {', '.join(map(shown, done.missing))}"
    for each in (*(f"marked bad by {one}" for one in done.marked), *done.messages):
        yield printable(f"  {each}")


def show(
    asked: Asked,
    name: SeriesName,
    last: Annotated[int, typer.Option(min=1, help="How many days or hours.")] = 30,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write the picture to a file instead.")] = None,
) -> None:
    """Draw the last partitions as a strip; as json or csv: all of them."""
    project = opened(asked)
    series = project.series(name)
    if not asked.as_table:
        answer_frame(series.partitions(), asked, View(), empty=f"{name} has no partitions")
        return
    from muniment.cli.strips import CELL, NAME, drawn
    from muniment.series import strip as strips

    console = stdout()
    room = last if svg is not None else min(last, max((console.width - NAME) // CELL, 1))
    with working("Looking"):
        picture = strips.strip(name, series.standing(), every=series.scene.series.every, last=room)
    if svg is not None:
        svg.write_text(strips.svg(picture), encoding="utf-8")
        print(f"{name}: the last {len(picture.times)} partitions are drawn in {printable(str(svg))}")
        return
    for line in drawn(picture, ascii_only=console.options.ascii_only):
        print(line)


def read(
    asked: Asked,
    name: SeriesName,
    at: Annotated[str | None, typer.Argument(metavar="[TIME]", help="At or before this time; default: the newest.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many rows; default for a table: 100.")] = None,
) -> None:
    """Show the rows of the newest target that nothing bad is in."""
    project = opened(asked)
    series = project.series(name)
    frame = series.read(at).orderBy(*(f"`{part}`" for part in series.scene.series.key_names))
    answer_frame(frame, asked, View(limit=limit), empty=f"{name} has no rows")


def mark(asked: Asked, name: SeriesName, role: RoleName, at: At, *, by: By, reason: Reason, until: Until = None) -> None:
    """Say that a partition is bad; nothing is deleted."""
    project = opened(asked)
    with working("Marking"):
        done = project.series(name).mark(role, at, reason, by=by, until=until)
    answer_object(done, asked, _said(done, "marked bad"))


def unmark(asked: Asked, name: SeriesName, role: RoleName, at: At, *, by: By, reason: Reason, until: Until = None) -> None:
    """Say that a partition was good after all."""
    project = opened(asked)
    with working("Un-marking"):
        done = project.series(name).unmark(role, at, reason, by=by, until=until)
    answer_object(done, asked, _said(done, "is good again"))


def _said(done: Said, what: str) -> Iterator[str]:
    for each in done.partitions:
        yield f"{done.series}: {each} {what}"
    for each in done.repeated:
        yield f"{done.series}: {each} was marked before"
    if done.tainted:
        yield f"  tainted: {', '.join(map(str, done.tainted))}"
        yield f"  muniment series backfill {done.series} --by NAME --reason WHY makes them again"


def marks(asked: Asked, name: SeriesName) -> None:
    """List all that was ever said of the partitions."""
    project = opened(asked)
    frame = project.series(name).marks()
    brief = frame.select("made_at", "verb", "place", "open", "made_by", "reason")
    answer_frame(frame, asked, View(brief), empty="nothing was ever marked")


def backfill(
    asked: Asked,
    name: SeriesName,
    *,
    by: Annotated[str, typer.Option("--by", help="Who.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why.")] = "",
    since: Since = None,
    until: Until = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and write nothing.")] = False,
) -> None:
    """Rebuild what is bad, tainted or stale from what is good, and clear the marks."""
    project = opened(asked)
    with working(f"Backfilling {name}"):
        done = project.series(name).backfill(by=by, reason=reason, since=since, until=until, dry_run=dry_run)
    answer_object(done, asked, _backfilled(done))
    if done.stopped and not dry_run:
        raise typer.Exit(FOUND)


def _backfilled(done: Backfilled) -> Iterator[str]:
    if not (done.rebuilt or done.cleared or done.waiting):
        yield f"{done.series}: there is nothing to mend"
    for each in done.rebuilt:
        yield f"{done.series}: target {shown(each.at)} ({each.was}) {_against(each, dry_run=done.dry_run)}"
    for ref in done.cleared:
        yield f"{done.series}: the mark on {ref} {'would be' if done.dry_run else 'is'} cleared"
    for ref in done.waiting:
        yield f"{done.series}: {ref} waits: land it again"
    if done.stopped:
        yield printable(f"  it {'would stop' if done.dry_run else 'stopped'}: {done.stopped}")


def _against(each: Rebuilt, *, dry_run: bool) -> str:
    if dry_run:
        return "would be built again"
    return "built again, as it was" if each.equal else f"built again: {each.rows:,} rows instead of {each.rows_before:,}"


def compare(
    asked: Asked,
    name: SeriesName,
    other: Annotated[str, typer.Argument(help="Another series, or a table by name.")],
    at: Annotated[str | None, typer.Option(metavar="TIME", help="At this time.")] = None,
) -> None:
    """Compare with another series or any table: columns, counts, checksums, then rows."""
    project = opened(asked)
    with working("Comparing"):
        done = project.series(name).compare(other, at)
    answer_object(done, asked, _compared(done, name, other))
    if not done.equal:
        raise typer.Exit(FOUND)


def _compared(done: Compared, name: str, other: str) -> Iterator[str]:
    if done.columns:
        yield f"{name} and {other} have different columns"
        yield from (printable(f"  {problem}") for problem in done.columns)
        return
    left, right = done.rows or (0, 0)
    yield f"{name} and {other} are {'equal' if done.equal else 'different'}: {left:,} and {right:,} rows"
    if done.differing:
        yield f"  {done.differing:,} keys differ"
    for each in done.examples:
        lacking = f"{each.rows[0]} and {each.rows[1]} rows"
        yield printable(f"    {each.key}: " + (f"{each.column} {each.left} and {each.right}" if each.column else lacking))
