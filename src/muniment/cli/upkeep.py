"""Upkeep: fewer files, no leftovers; no row changes."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.output import answer_objects
from muniment.cli.progress import working
from muniment.cli.projects import entity_names, opened
from muniment.errors import BadArgument


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    command(app, maintain)


def maintain(
    asked: Asked,
    entity: Annotated[str | None, typer.Argument(autocompletion=entity_names, help="One entity; default: all.")] = None,
    vacuum: Annotated[bool, typer.Option("--vacuum", help="Delete the files that no kept version needs.")] = False,
    retention: Annotated[str | None, typer.Option(metavar="DURATION", help="What --vacuum keeps; default and least: 7 days.")] = None,
) -> None:
    """Compact the tables, and with --vacuum delete what nobody needs any more."""
    kept = _duration(retention) if retention is not None else None
    if kept is not None and not vacuum:
        raise BadArgument(argument="--retention", problem="it means nothing without --vacuum", advice="Add --vacuum, or leave it out.")
    project = opened(asked)
    with working("Maintaining"):
        done = project.maintain(entity, vacuum=vacuum, retention=kept)
    from muniment.steps.results import Maintained

    answer_objects(done, asked, of=Maintained)


def _duration(text: str) -> timedelta:
    from muniment.config.times import parse_duration

    try:
        return parse_duration(text)
    except ValueError as error:
        raise BadArgument(argument="--retention", problem=str(error), advice='Write it as "30 days".') from None
