"""Belief: resolve, belief, why, override and pin."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, Output, command
from muniment.cli.output import View, answer_frame, answer_object
from muniment.cli.progress import working
from muniment.cli.projects import opened
from muniment.cli.timeline import AsOf, EntityName, KeyText, KnownAt, Limit, Wide, parsed_key
from muniment.config.mistakes import printable
from muniment.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from muniment.model.entity import Entity
    from muniment.project import Project
    from muniment.steps.results import Pinned, Resolved
    from muniment.steps.what_if import Comparison

By = Annotated[str | None, typer.Option("--by", help="Who.")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for function in (resolve, belief, why, override, pin):
        command(app, function)


def resolve(asked: Asked, entity: EntityName, *, by: By = None, reason: Reason = None) -> None:
    """Bring belief up to the log and to the declared rules."""
    project = opened(asked)
    with working(f"Resolving {entity}"):
        done = project.resolve(entity, by=by, reason=reason)
    answer_object(done, asked, told(done))


def told(done: Resolved) -> Iterator[str]:
    """What a resolve did, in words."""
    if not done.changed:
        yield f"{done.entity}: belief is up to the log; nothing changed"
        return
    yield f"{done.entity}: {done.keys:,} keys looked at, {done.opened:,} intervals opened, {done.closed:,} closed (rules version {done.rule_version})"
    if done.contested:
        yield f"  {done.contested:,} of their intervals are contested"


def belief(
    asked: Asked,
    entity: EntityName,
    key: KeyText = None,
    *,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    history: Annotated[bool, typer.Option("--history", help="Belief over time.")] = False,
    include_deleted: Annotated[bool, typer.Option("--include-deleted", help="Also what is believed to be gone.")] = False,
    rules: Annotated[Path | None, typer.Option("--rules", metavar="FILE", help="Another rule set, to see what it would change.")] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Compare the rules of --rules with those that hold.")] = False,
    limit: Limit = None,
    wide: Wide = False,
) -> None:
    """Show what is believed: all keys or one, at a time, as known at a time."""
    if diff != (rules is not None):
        raise BadArgument(argument="--diff", problem="it goes with --rules FILE", advice="Give both, or none.")
    project = opened(asked)
    if rules is not None:
        _compare(project, asked, entity, rules)
        return
    found = project.entity(entity)
    if history:
        frame = project.belief_history(entity, parsed_key(key), known_at=known_at)
    else:
        frame = project.belief(entity, parsed_key(key), as_of=as_of, known_at=known_at, include_deleted=include_deleted)
    ordered = frame.orderBy(*(f"`{part.name}`" for part in found.key), "effective_from")
    answer_frame(ordered, asked, View(brief(ordered, found), limit, wide, rows=100), empty=f"nothing is believed of {key or entity}")


def brief(frame: DataFrame, entity: Entity) -> DataFrame:
    """What a person looks at first."""
    from pyspark.sql import functions as F

    deleted = F.when(F.col("is_deleted"), "gone")
    doubt = F.when(F.size("contested") > 0, F.concat(F.lit("contested: "), F.concat_ws(", ", "contested")))
    return frame.select(
        *(f"`{part.name}`" for part in entity.key),
        F.col("effective_from").alias("from"),
        F.col("effective_to").alias("to"),
        *(f"`{a.name}`" for a in entity.attributes if not a.sensitive),
        F.concat_ws(", ", deleted, doubt).alias("state"),
    )


def _compare(project: Project, asked: Asked, entity: str, rules: Path) -> None:
    with working("Comparing"):
        found = project.compare_rules(entity, rules.absolute())
    answer_object(found, asked, _compared(found))


def _compared(found: Comparison) -> Iterator[str]:
    yield f"{found.entity}: {printable(found.rules)}"
    yield f"  of {found.keys:,} entities {found.changed:,} would be believed otherwise now, {found.changed_ever:,} at some time"
    for name, count in (found.attributes or {}).items():
        yield f"  {name}: {count:,}"
    for each in found.examples:
        yield printable(f"    {each.key} {each.attribute}: {each.now} → {each.then}")


def why(
    asked: Asked,
    entity: EntityName,
    key: Annotated[str, typer.Argument(help="One key; name=value,name=value for a key of several columns.")],
    attribute: Annotated[str, typer.Argument(help="The attribute, or is_deleted.")],
    *,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Say why something is believed: the winner, the losers, the rule, and where each came from."""
    project = opened(asked)
    with working("Looking"):
        found = project.why(entity, parsed_key(key) or key, attribute, as_of=as_of, known_at=known_at)
    if asked.output is Output.JSON:
        print(json.dumps(found.to_dict(), ensure_ascii=False, indent=2, default=str))
        return
    answer_object(found, asked, map(printable, found.lines()))


def override(
    asked: Asked,
    entity: EntityName,
    key: KeyText = None,
    values: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="What to set; NAME= alone sets null.")] = None,
    *,
    start: Annotated[str | None, typer.Option("--start", help="From when; default: from the beginning.")] = None,
    end: Annotated[str | None, typer.Option("--end", help="Until when; default: for good.")] = None,
    withdraw: Annotated[str | None, typer.Option("--withdraw", metavar="ID", help="End an override instead.")] = None,
    by: By = None,
    reason: Reason = None,
) -> None:
    """Set values by hand, on top of all sources, or withdraw that; without a key: list what is set."""
    project = opened(asked)
    if key is None and withdraw is None:
        _list_overrides(project, asked, entity)
        return
    if not by or not reason:
        raise BadArgument(argument="--by and --reason", problem="who sets it, and why, is kept with it", advice="Give both.")
    with working("Resolving"):
        if withdraw is not None:
            project.withdraw(withdraw, by=by, reason=reason)
            print(f"{entity}: override {withdraw} withdrawn")
            return
        made = project.override(entity, parsed_key(key) or "", _values(values or []), start=start, end=end, by=by, reason=reason)
    print(f"{entity} {key}: set by hand (override {made})")


def _list_overrides(project: Project, asked: Asked, entity: str) -> None:
    from pyspark.sql import functions as F

    frame = project.table("ops.override").where(F.col("entity") == project.entity(entity).name).orderBy("made_at")
    brief = frame.select("override_id", "key", "given", "start_ts", "end_ts", "made_by", "reason", "withdraws")
    answer_frame(frame, asked, View(brief, names=frozenset({"override_id"})), empty="nothing is set by hand")


def _values(texts: list[str]) -> dict[str, object]:
    wrong = [text for text in texts if "=" not in text]
    if wrong:
        raise BadArgument(argument="NAME=VALUE", problem=f"'{wrong[0]}' sets nothing", advice="Write, for example, status=Active.")
    return {name: value or None for name, _, value in (text.partition("=") for text in texts)}


def pin(
    asked: Asked,
    entity: EntityName,
    name: Annotated[str | None, typer.Argument(help="A name for the answer; without it: list those that are kept.")] = None,
    *,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    by: By = None,
    reason: Reason = None,
) -> None:
    """Keep what is believed at a time by name, with the proof of how it was made."""
    project = opened(asked)
    if name is None:
        answer_frame(project.pins(entity), asked, View(), empty="nothing is pinned")
        return
    with working("Pinning"):
        done = project.pin(entity, name, as_of, known_at, by=by, reason=reason)
    answer_object(done, asked, _pinned(done))


def _pinned(done: Pinned) -> Iterator[str]:
    state = "is as it was kept" if done.repeated else "is kept"
    yield f"{done.entity} pin {done.name} {state}: {done.rows:,} entities, digest {done.digest[:16]}"
    yield f"  as of {done.as_of.isoformat()}, as known at {done.known_at.isoformat()}, rules version {done.rule_version}"
