"""The timeline: derive, rebuild, history and changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from muniment import clock
from muniment.cli.asked import Asked, command
from muniment.cli.drawing import Bar, draw
from muniment.cli.output import View, answer_frame, answer_object
from muniment.cli.progress import working
from muniment.cli.projects import entity_names, opened
from muniment.cli.sheet import stdout
from muniment.model.entity import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from muniment.model.entity import Entity
    from muniment.steps.results import Derived

EntityName = Annotated[str, typer.Argument(autocompletion=entity_names, help="The entity.")]
KeyText = Annotated[str | None, typer.Argument(metavar="[KEY]", help="One key; name=value,name=value for a key of several columns.")]
Limit = Annotated[int | None, typer.Option(min=1, help="How many rows; default for a table: 100.")]
Wide = Annotated[bool, typer.Option("--wide", help="All columns.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="The time asked about, ISO-8601; without an offset UTC.")]
HELD = 3
KnownAt = Annotated[str | None, typer.Option("--known-at", help="As known at this time.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for function in (derive, rebuild, history, changes):
        command(app, function)


def derive(asked: Asked, entity: EntityName) -> None:
    """Bring the history up to the log."""
    project = opened(asked)
    with working(f"Deriving {entity}"):
        done = project.derive(entity)
    answer_object(done, asked, told(done))
    if done.held:
        raise typer.Exit(HELD)


def rebuild(asked: Asked, entity: EntityName) -> None:
    """Make the history again, from the log alone."""
    project = opened(asked)
    with working(f"Rebuilding {entity}"):
        done = project.rebuild(entity)
    answer_object(done, asked, told(done))


def told(done: Derived) -> Iterator[str]:
    """What a derive did, in words."""
    for run in done.held:
        yield f"{done.entity}: run {run} is held; nothing from it on is derived until it is unmarked or excluded"
    if not done.changed:
        yield f"{done.entity}: the history is up to the log; nothing changed"
        return
    yield f"{done.entity}: {done.keys:,} keys touched, {done.opened:,} versions opened, {done.closed:,} closed"
    if done.repaired:
        yield f"  {done.late:,} rows were late; {done.repaired:,} keys were folded again"
    if done.collisions:
        yield f"  {done.collisions:,} rows of one source and instant have no sequence that orders them"


def history(
    asked: Asked,
    entity: EntityName,
    key: KeyText = None,
    *,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Limit = None,
    wide: Wide = False,
) -> None:
    """Show the timeline: all keys or one, at a time, as known at a time."""
    project = opened(asked)
    found = project.entity(entity)
    frame = project.history(entity, parsed_key(key), as_of=as_of, known_at=known_at)
    order = ("source_event_ts",) if found.kind is Kind.EVENT else ("effective_from", "precedence_rank", "source_system")
    ordered = frame.orderBy(*(f"`{part.name}`" for part in found.key), *order)
    if key is not None and as_of is None and asked.as_table and found.kind is Kind.STATE:
        picture(ordered, found)
    shown = _brief_facts(ordered, found) if found.kind is Kind.EVENT else brief(ordered, found)
    answer_frame(ordered, asked, View(shown, limit, wide, rows=100), empty=f"nothing is known of {key or entity}")


def changes(
    asked: Asked,
    entity: EntityName,
    key: KeyText = None,
    *,
    since: Annotated[str | None, typer.Option("--since", help="From this event time on.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Before this event time.")] = None,
    limit: Limit = None,
    wide: Wide = False,
) -> None:
    """Show what changed: attribute, old, new, source, event time, received."""
    project = opened(asked)
    frame = project.changes(entity, parsed_key(key), since=since, until=until).orderBy("effective_from", "attribute")
    answer_frame(frame, asked, View(frame.drop("assertion_id", "source_event_ts"), limit, wide, rows=100), empty="nothing changed")


def brief(frame: DataFrame, entity: Entity) -> DataFrame:
    """What a person looks at first."""
    from pyspark.sql import functions as F

    current = F.when(F.col("is_current"), "current").otherwise("")
    deleted = F.when(F.col("is_deleted"), "deleted").otherwise("")
    return frame.select(
        *(f"`{part.name}`" for part in entity.key),
        F.col("effective_from").alias("from"),
        F.col("effective_to").alias("to"),
        F.col("source_system").alias("source"),
        *(f"`{a.name}`" for a in entity.attributes if not a.sensitive),
        F.concat_ws(" ", current, deleted).alias("state"),
    )


def picture(versions: DataFrame, entity: Entity) -> None:
    """Draw the versions of one key: sources as lanes, versions as bars."""
    console = stdout()
    for line in draw(_bars(versions, entity), width=console.width, unicode=not console.options.ascii_only):
        console.print(line)
    console.print()


def _bars(versions: DataFrame, entity: Entity) -> list[Bar]:
    from pyspark.sql import functions as F

    shown = [a.name for a in entity.attributes if not a.sensitive]
    times = ("effective_from", "effective_to", "source_effective_to", "first_seen_ts")
    rows = versions.select(
        "source_system", "is_deleted", "is_current", *(F.unix_micros(name).alias(name) for name in times),
        F.array(*(F.col(f"`{name}`").cast("string") for name in shown)).cast("array<string>").alias("values"),
    ).collect()  # fmt: skip
    return [
        Bar(
            source=row["source_system"],
            start=clock.from_micros(row["effective_from"]) or clock.now(),
            end=clock.from_micros(row["effective_to"]),
            source_end=clock.from_micros(row["source_effective_to"]),
            values=dict(zip(shown, row["values"], strict=True)),
            deleted=row["is_deleted"],
            current=row["is_current"],
            late=any(o["effective_from"] > row["effective_from"] and o["first_seen_ts"] < row["first_seen_ts"] for o in rows),
        )
        for row in rows
    ]


def _brief_facts(frame: DataFrame, entity: Entity) -> DataFrame:
    from pyspark.sql import functions as F

    conflicts = F.concat("conflict_count", F.lit(" say otherwise"))
    state = F.concat_ws(", ", F.when(F.col("corrected_by").isNotNull(), "corrected"), F.when(F.col("conflict_count") > 0, conflicts))
    return frame.select(
        *(f"`{part.name}`" for part in entity.key),
        F.col("source_event_ts").alias("at"),
        F.col("source_system").alias("source"),
        *(f"`{a.name}`" for a in entity.attributes if not a.sensitive),
        F.col("seen_count").alias("heard"),
        state.alias("state"),
    )


def parsed_key(text: str | None) -> str | dict[str, object] | None:
    """A key as it was typed: one value, or name=value for each of its columns."""
    if text is None or "=" not in text:
        return text
    return {name.strip(): value for name, _, value in (part.partition("=") for part in text.split(","))}
