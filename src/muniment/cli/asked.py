"""What may stand beside every command, before or after its name: which project, which target, in which form to answer."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from muniment.cli.failures import reported


class Output(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"


ProjectPlace = Annotated[
    Path | None, typer.Option("--project", metavar="PATH", help="muniment.yml or its folder; default: the nearest one upwards.")
]
TargetName = Annotated[str | None, typer.Option("--target", metavar="NAME", help="Another lake than the default one.")]
OutputForm = Annotated[Output | None, typer.Option("--output", help="The form of what is printed; default: table.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from (or MUNIMENT_DEBUG=1).")]


@dataclass(frozen=True, slots=True)
class Asked:
    """The shared options of one call."""

    project: Path | None = None
    target: str | None = None
    output: Output = Output.TABLE
    debug: bool = False

    @property
    def as_table(self) -> bool:
        return self.output is Output.TABLE


_CONTEXT = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
_DEBUG = Parameter("debug", Parameter.KEYWORD_ONLY, annotation=Debug, default=False)
_SHARED = (
    Parameter("project", Parameter.KEYWORD_ONLY, annotation=ProjectPlace, default=None),
    Parameter("target", Parameter.KEYWORD_ONLY, annotation=TargetName, default=None),
    Parameter("output", Parameter.KEYWORD_ONLY, annotation=OutputForm, default=None),
)


def command(app: typer.Typer, function: Callable[..., None], *, shared: bool = True, name: str | None = None) -> None:
    """Make a command of a function whose first parameter is what was `Asked`; its failures become exit codes."""
    first, *own = signature(function, eval_str=True).parameters.values()

    @wraps(function)
    def run(*, context: typer.Context, debug: bool, **given: Any) -> None:
        above = context.find_root().obj or Asked()
        asked = _merged(above, {each.name: given.pop(each.name) for each in (_SHARED if shared else ())}, debug=debug)
        with reported(debug=asked.debug):
            function(**{first.name: asked}, **given)

    # typer reads the options of a command from its signature
    parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own]
    run.__signature__ = Signature([_CONTEXT, *parameters, *(_SHARED if shared else ()), _DEBUG])  # type: ignore[attr-defined]
    app.command(name or function.__name__)(run)


def _merged(above: Asked, given: dict[str, Any], *, debug: bool) -> Asked:
    """What stands after the command's name goes before what stands ahead of it."""
    said = {name: value for name, value in given.items() if value is not None}
    wanted = above.debug or debug or os.environ.get("MUNIMENT_DEBUG", "") not in ("", "0")
    return replace(above, **said, debug=wanted)
