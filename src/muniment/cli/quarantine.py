"""Quarantine: what was set aside and why, and a person's decision on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from muniment.cli.asked import Asked, command
from muniment.cli.held import held_loads
from muniment.cli.landing import word
from muniment.cli.output import View, answer_frame, answer_object
from muniment.cli.progress import working
from muniment.cli.projects import entity_names, opened
from muniment.errors import BadArgument, UnknownName
from muniment.gate.reasons import Reason
from muniment.model.names import find, hint

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHORT = 12  # characters of an id in a table; any beginning that only one row has will do

Entity = Annotated[str, typer.Argument(autocompletion=entity_names, help="The entity that the rows were meant for.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Rows by their id, or the beginning of it.")]
By = Annotated[str, typer.Option(help="Who decides.")]
Why = Annotated[str, typer.Option("--reason", help="Why.")]


class ListedByDefault(TyperGroup):
    """`quarantine customer` means `quarantine list customer`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `list` in where no other command is named."""
        named = bool(args) and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if named else ["list", *args])


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    group = typer.Typer(cls=ListedByDefault, help="What was set aside, and a person's decision on it: quarantine [ENTITY] lists it.")
    command(group, list_rows, name="list")
    command(group, release)
    command(group, reject)
    command(group, accept)
    app.add_typer(group, name="quarantine")


def list_rows(
    asked: Asked,
    entity: Annotated[str | None, typer.Argument(autocompletion=entity_names, help="One entity; default: all.")] = None,
    reason: Annotated[list[str] | None, typer.Option(metavar="CODE", help="Only these reasons.")] = None,
    all_rows: Annotated[bool, typer.Option("--all", help="Those that were decided on too.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="How many rows; default for a table: 50.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="All columns.")] = False,
) -> None:
    """List the rows that were set aside, and why."""
    codes = [find("reason", code, {known.value: known.value for known in Reason}) for code in reason or ()]
    project = opened(asked)
    rows = _chosen(project.quarantine(entity, include_decided=all_rows), codes)
    view = View(brief(rows, named=entity is not None, decided=all_rows), limit, wide, names=frozenset({"id"}), rows=50)
    shown = answer_frame(rows, asked, view, empty="nothing is set aside")
    if not asked.as_table:
        return
    if shown:
        print(f"\nmuniment quarantine release|reject {entity or 'ENTITY'} ID… --by NAME --reason WHY")
    for load in held_loads(project, entity) if entity else ():
        print(f"\nheld: load {load.load_id[:SHORT]}, because {load.note}")
        print(f"muniment quarantine accept {entity} {load.load_id[:SHORT]} --by NAME --reason WHY")


def release(asked: Asked, entity: Entity, ids: Ids, *, by: By, reason: Why) -> None:
    """Land rows after all, once; what could never be read stays."""
    project = opened(asked)
    with working("Releasing"):
        result = project.release(_whole(project.quarantine(entity, include_decided=True), "quarantine_id", ids), by=by, reason=reason)
    counts = f"{entity}: released {result.released:,}, refused {result.refused:,}, decided before {result.repeated:,}"
    answer_object(result, asked, (counts, *(f"  {message}" for message in result.messages)))


def reject(asked: Asked, entity: Entity, ids: Ids, *, by: By, reason: Why) -> None:
    """Decide that rows stay out for good; they are kept."""
    project = opened(asked)
    with working("Rejecting"):
        number = project.reject(_whole(project.quarantine(entity, include_decided=True), "quarantine_id", ids), by=by, reason=reason)
    print(f"{entity}: rejected {number:,}")


def accept(
    asked: Asked,
    entity: Entity,
    load_id: Annotated[str, typer.Argument(help="A held load by its id, or the beginning of it.")],
    *,
    by: By,
    reason: Why,
) -> None:
    """Let a held load count: what is missing from it is gone."""
    project = opened(asked)
    with working("Accepting"):
        loads = project.table(f"bronze.{project.entity(entity).name}_load")
        (whole,) = _whole(loads, "load_id", [load_id])
        decision = project.accept(whole, by=by, reason=reason)
    print(f"{entity}: load {whole[:SHORT]} accepted (decision {decision})")


def _chosen(rows: DataFrame, codes: Sequence[str]) -> DataFrame:
    from pyspark.sql import functions as F

    ordered = rows.orderBy(F.desc("ingest_ts"), "source_path", "quarantine_id")
    return ordered.where(F.col("reason").isin(*codes)) if codes else ordered


def brief(rows: DataFrame, *, named: bool, decided: bool) -> DataFrame:
    """What a person looks at first."""
    from pyspark.sql import functions as F

    words = F.create_map(*(F.lit(text) for reason in Reason for text in (reason.value, word(reason.value))))
    return rows.select(
        F.substring("quarantine_id", 1, SHORT).alias("id"),
        *([] if named else ["entity"]),
        F.col("source_system").alias("source"),
        F.coalesce(words[F.col("reason")], "reason").alias("reason"),
        "detail",
        F.coalesce("source_file", F.lit("")).alias("file"),
        F.col("raw").alias("what came"),
        *(["status"] if decided else []),
    )


def _whole(rows: DataFrame, column: str, given: Sequence[str]) -> list[str]:
    """The whole ids that these beginnings stand for; each must stand for exactly one."""
    from pyspark.sql import functions as F

    begins = reduce(or_, (F.col(column).startswith(F.lit(text)) for text in given))
    known = [row[column] for row in rows.where(begins).select(column).distinct().collect()]
    return list(dict.fromkeys(_one(text, [each for each in known if each.startswith(text)]) for text in given))


def _one(text: str, found: Sequence[str]) -> str:
    if len(found) > 1:
        raise BadArgument(argument="ID", problem=f"{text} is the beginning of {len(found)} ids", advice="Give more of it.")
    if not found:
        raise UnknownName(kind="id", name=text, hint=hint(text, ()), known="what 'muniment quarantine ENTITY' lists")
    return found[0]
