"""Starting: init, check and schema. None of them starts a JVM."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.output import answer_objects
from muniment.cli.projects import model_of
from muniment.errors import UserMistake

_IGNORED = "/lake/\n"


class AlreadyThere(UserMistake):
    """`init` never writes over a file."""

    code = "MU-CLI-002"
    what = "{place} is there already; nothing was written"
    do = "Choose another folder: {again}"


@dataclass(frozen=True, slots=True)
class Assessed:
    """The gate's opinion of one source."""

    entity: str
    source: str
    contract: str
    reasons: tuple[str, ...]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    command(app, init, shared=False)
    command(app, check)
    command(app, schema, shared=False)


def init(asked: Asked, path: Annotated[Path, typer.Argument(help="The folder of the project; it may exist.")] = Path()) -> None:
    """Write a small project that runs."""
    contents = dict(packaged(files("muniment.cli") / "starter"))
    contents[".gitignore"] = _IGNORED
    there = next((path / name for name in sorted(contents) if (path / name).exists()), None)
    if there is not None:
        raise AlreadyThere(place=str(there), again="muniment init PATH")
    for name, text in contents.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    print(f"{len(contents)} files written in {path.resolve()}: two systems that speak about customers, and what they have sent. Next:")
    print(f"  {'' if path.resolve() == Path.cwd() else f'cd {path} && '}muniment check")
    print("  muniment land customer crm")


def packaged(folder: Traversable, above: str = "") -> list[tuple[str, str]]:
    """The files below a folder of the package, by the names they have in it."""
    found: list[tuple[str, str]] = []
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            found += packaged(each, f"{above}{each.name}/")
        else:
            found.append((f"{above}{each.name}", each.read_text(encoding="utf-8")))
    return found


def check(asked: Asked) -> None:
    """Read the configuration: every mistake at once, and what the gate says of each source."""
    model = model_of(asked)
    from muniment.gate.contract import assess

    opinions = [assess(entity, source) for entity in model.entities for source in entity.sources]
    if asked.as_table:
        entities, sources = len(model.entities), len(opinions)
        print(f"{model.name}: {_several(entities, 'entity', 'entities')}, {_several(sources, 'source', 'sources')}, no mistakes")
    if asked.as_table and not opinions:
        return
    answer_objects([Assessed(o.entity, o.source, o.status.value, o.reasons) for o in opinions], asked, of=Assessed)


def schema(asked: Asked) -> None:
    """Print the JSON Schema of the configuration, for editors."""
    from muniment.config import json_schema

    print(json.dumps(json_schema(), ensure_ascii=False, indent=2))


def _several(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
