"""Captures: fetch, list, replay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from muniment.cli.asked import Asked, command
from muniment.cli.landing import HELD, parse_scope
from muniment.cli.output import View, answer_frame, answer_object
from muniment.cli.progress import working
from muniment.cli.projects import entity_names, opened, source_names
from muniment.cli.timeline import Limit, Wide
from muniment.config.mistakes import printable
from muniment.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from muniment.steps.capture import Captured
    from muniment.steps.replay import Replayed

EntityName = Annotated[str, typer.Argument(autocompletion=entity_names, help="What the records are about.")]
SourceName = Annotated[str, typer.Argument(autocompletion=source_names, help="The source that keeps captures.")]


class TakenByDefault(TyperGroup):
    """`capture symbol vendor_x` means `capture take symbol vendor_x`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `take` in where no other command is named."""
        named = not args or args[0] in self.commands or args[0] in ("-h", "--help")
        return super().parse_args(ctx, args if named else ["take", *args])


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    group = typer.Typer(cls=TakenByDefault, no_args_is_help=True, help="What an API says now, kept as it came: capture ENTITY SOURCE.")
    command(group, take)
    command(group, replay)
    app.add_typer(group, name="capture")
    command(app, captures)


def take(
    asked: Asked,
    entity: EntityName,
    source: SourceName,
    mode: Annotated[str, typer.Option(help="full_snapshot, incremental, history or delistings.")] = "full_snapshot",
    captured_at: Annotated[str | None, typer.Option(metavar="TIME", help="When it was captured; default: now.")] = None,
    scope: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="The part that is asked for.")] = None,
) -> None:
    """Fetch all pages as the configuration says and keep them; land takes them from there."""
    project = opened(asked)
    with working(f"Capturing {entity} from {source}"):
        result = project.capture(entity, source, mode=mode, captured_at=captured_at, scope=parse_scope(scope) if scope else None)
    answer_object(result, asked, _told(result, entity, source))
    if not result.complete:
        raise typer.Exit(HELD)


def replay(
    asked: Asked,
    entity: EntityName,
    source: Annotated[str | None, typer.Argument(help="Taken for completeness: all captures of the entity are replayed.")] = None,
    *,
    from_start: Annotated[bool, typer.Option("--from-start", help="All captures, in their true order, into a new history.")] = False,
    into: Annotated[Path | None, typer.Option(help="An empty folder for the new lake; default: beside the lake.")] = None,
) -> None:
    """Take all captures again in their true order into a new history, and say what differs from the one there is."""
    if not from_start:
        raise BadArgument(argument="--from-start", problem="a replay begins at the start", advice="Add --from-start.")
    project = opened(asked)
    with working(f"Replaying {entity}"):
        result = project.replay(entity, into=into)
    if not asked.as_table:
        answer_frame(result.differences, asked, View())
        return
    for line in _replayed(result):
        print(line)
    if result.differs:
        answer_frame(result.differences, asked, View(rows=20))


def captures(
    asked: Asked,
    entity: Annotated[str | None, typer.Argument(autocompletion=entity_names, help="One entity; default: all.")] = None,
    *,
    changes: Annotated[bool, typer.Option("--changes", help="What each showed to be listed, modified or delisted.")] = False,
    limit: Limit = None,
    wide: Wide = False,
) -> None:
    """List captures and what became of them."""
    project = opened(asked)
    if changes:
        if entity is None:
            raise BadArgument(argument="ENTITY", problem="a change log is that of one entity", advice="Name it.")
        answer_frame(project.change_log(entity), asked, View(None, limit, wide), empty="no capture changed anything yet")
        return
    rows = project.captures(entity)
    answer_frame(rows, asked, View(_brief(rows), limit, wide), empty="nothing was captured yet")


def _brief(rows: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    counts = {name: F.col(f"scd2_{name}").alias(name) for name in ("new", "modified", "delisted", "unchanged")}
    return rows.select("entity", "source", "effective_ts", "status", F.col("record_count").alias("records"), *counts.values(), "reason")


def _told(result: Captured, entity: str, source: str) -> Iterator[str]:
    yield printable(f"{entity} from {source}: {result.records:,} records for {result.effective_ts.isoformat()}, {result.status}")
    if result.reason:
        yield printable(f"  {result.reason}")
    if result.format_note:
        yield printable(f"  its records are kept as {result.record_format}: {result.format_note}")
    if result.repeated_keys:
        yield f"  {len(result.repeated_keys)} keys are there more than once; the manifest names them"
    yield printable(f"  {result.path}")
    if result.complete:
        yield f"    muniment land {entity} {source}"


def _replayed(result: Replayed) -> Iterator[str]:
    yield f"{result.entity}: {result.landed:,} rows of all captures in order, {result.versions:,} versions, in {result.path}"
    yield "  the same as the history there is" if not result.differs else f"  {result.differs:,} versions are in one of the two only:"
