"""The command `muniment`: all groups of commands put together."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from muniment.cli import (
    believing,
    capturing,
    dimensions,
    landing,
    loads,
    looking,
    marking,
    quarantine,
    running,
    series,
    starting,
    story,
    timeline,
    upkeep,
)
from muniment.cli.asked import Asked, Debug, Output, OutputForm, ProjectPlace, TargetName

app = typer.Typer(
    name="muniment",
    help="Keeps what was said, by whom, when it was heard, what was believed, and why.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
GROUPS = (
    starting,
    running,
    landing,
    capturing,
    quarantine,
    timeline,
    believing,
    marking,
    dimensions,
    loads,
    series,
    looking,
    upkeep,
    story,
)
for group in GROUPS:
    group.register(app)


def _version(asked: bool) -> None:
    if asked:
        from muniment import __version__

        print(f"muniment {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    *,
    project: ProjectPlace = None,
    target: TargetName = None,
    output: OutputForm = None,
    debug: Debug = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and end.")] = False,
) -> None:
    """Keeps what was said, by whom, when it was heard, what was believed, and why."""
    context.obj = Asked(project, target, output or Output.TABLE, debug)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code says how it went."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal's encoding lacks must not end the command
            stream.reconfigure(errors="backslashreplace")
    try:
        app(args=None if argv is None else list(argv), prog_name="muniment")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0
