"""Landing: what arrived goes into the log, through the gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.held import Held, held_loads
from muniment.cli.output import answer_object
from muniment.cli.progress import working
from muniment.cli.projects import data_place, entity_names, opened, source_names
from muniment.config.mistakes import printable
from muniment.errors import BadArgument
from muniment.gate.reasons import WORDS, Reason

if TYPE_CHECKING:
    from muniment.steps.results import Landed

HELD = 3
BESIDE = 50  # a longer line has the next command below it


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    command(app, land)


def land(
    asked: Asked,
    entity: Annotated[str, typer.Argument(autocompletion=entity_names, help="What the rows are about.")],
    source: Annotated[str, typer.Argument(autocompletion=source_names, help="Who says it.")],
    path: Annotated[str | None, typer.Argument(help="A file, a folder or a glob; default: what is new at the source's place.")] = None,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="The time the rows speak for.")] = None,
    received_at: Annotated[str | None, typer.Option(metavar="TIME", help="When they were received; default: now.")] = None,
    batch_id: Annotated[str | None, typer.Option(metavar="ID", help="A name for the batch: the same again adds nothing.")] = None,
    scope: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="The part that a complete set is complete for.")] = None,
    complete: Annotated[bool | None, typer.Option("--complete/--incomplete", help="Whether what is missing from the load is gone.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen and write nothing.")] = False,
) -> None:
    """Take what arrived into the log, through the gate."""
    project = opened(asked)
    with working(f"Landing {entity} from {source}"):
        result = project.land(
            entity,
            source,
            None if path is None else data_place(path, project.model.root),
            as_of=as_of,
            received_at=received_at,
            batch_id=batch_id,
            scope=parse_scope(scope) if scope else None,
            complete=complete,
            dry_run=dry_run,
        )
        held = held_loads(project, entity, run_id=result.run_id) if result.held and not dry_run else []
    answer_object(result, asked, told(result, held))
    if result.held or result.marked:
        raise typer.Exit(HELD)


def parse_scope(pairs: Sequence[str]) -> dict[str, str]:
    """What was typed as name=value.

    >>> parse_scope(["region=north", "unit=a=b"])
    {'region': 'north', 'unit': 'a=b'}
    """
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise BadArgument(argument="--scope", problem=f"'{pair}' is not name=value", advice="Write it as --scope region=north.")
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


def told(result: Landed, held: Sequence[Held] = ()) -> Iterator[str]:
    """What a landing did, as people read it."""
    yield printable(_counts(result))
    yield from _set_aside(result)
    for message in result.messages:
        yield printable(f"  {message}")
    if result.marked and not result.dry_run:
        yield f"  held: derive stops before it until somebody decides; 'muniment unmark {result.entity} {result.run_id}' lets it count,"
        yield f"    'muniment mark {result.entity} {result.run_id} --exclude' leaves it out"
    if result.held and not held:
        yield "  held: what is missing from it would say nothing until somebody accepts it"
    for load in held:
        yield printable(f"  held, because {load.note}: what is missing from it says nothing until somebody accepts it")
        yield f"    muniment quarantine accept {result.entity} {load.load_id[:12]} --by NAME --reason WHY"


def _set_aside(result: Landed) -> Iterator[str]:
    """How many rows for which reasons, and the command that shows them."""
    if not result.quarantined:
        return
    reasons = ", ".join(
        f"{number:,} × {word(code)}" for code, number in sorted(result.reasons.items(), key=lambda each: (-each[1], each[0]))
    )
    line = f"  {result.quarantined:,} set aside: {reasons}"
    if result.dry_run:
        yield line
    elif len(line) <= BESIDE:
        yield f"{line:<{BESIDE}}  muniment quarantine {result.entity}"
    else:
        yield from (line, f"    muniment quarantine {result.entity}")


def word(code: str) -> str:
    """A reason in words."""
    return WORDS[Reason(code)] if code in {reason.value for reason in Reason} else code


def _counts(result: Landed) -> str:
    who = f"{result.entity} from {result.source}"
    if not result.received:
        return f"{who}: nothing new" if result.skipped else f"{who}: nothing was received"
    run = "dry run, nothing is written" if result.dry_run else f"run {result.run_id}"
    ignored = f", ignored {result.ignored:,}" if result.ignored else ""
    return f"{who} ({run}): received {result.received:,}, landed {result.landed:,}, set aside {result.quarantined:,}{ignored}"
