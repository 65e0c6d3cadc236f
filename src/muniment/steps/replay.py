"""Replay: all captures of an entity once more, in their true order, into a new history beside the old one; then what differs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.canon.hashes import quoted
from muniment.decisions.records import TABLE as DECISIONS
from muniment.errors import BadArgument
from muniment.lake.location import Location
from muniment.lake.tables import Lake
from muniment.ledger.runs import ensure
from muniment.model.entity import Entity
from muniment.model.tables import history_name
from muniment.steps.captured import land
from muniment.steps.derive import derive
from muniment.steps.request import Request

ONLY_OLD, ONLY_NEW = "only in the history there is", "only in the replay"


@dataclass(frozen=True, slots=True)
class Replayed:
    """A new history, where it lies, and how it differs from the one there is."""

    entity: str
    path: str
    received: int
    landed: int
    versions: int
    differs: int
    differences: DataFrame  # one row per version that only one of them has


def replay(lake: Lake, entity: Entity, root: Path, *, into: Path | None = None) -> Replayed:
    """Land all captures of an entity in order into an empty lake, derive, and compare; the lake at hand stays as it is."""
    place = _place(lake, entity, into)
    fresh = Lake(lake.spark, Location.at(place))
    ensure(fresh)
    _take_over_decisions(lake, fresh, entity)
    sources = [source for source in entity.sources if source.is_captured]
    landed = [land(fresh, Request(entity, source, root, clock.now())) for source in sources]
    derive(fresh, entity)
    versions, differences = compare(lake, fresh, entity, sources=[source.name for source in sources])
    return Replayed(
        entity=entity.name, path=str(place), received=sum(each.received for each in landed), landed=sum(each.landed for each in landed),
        versions=versions.count(), differs=differences.count(), differences=differences,
    )  # fmt: skip


def compare(old: Lake, new: Lake, entity: Entity, *, sources: list[str]) -> tuple[DataFrame, DataFrame]:
    """The versions of the new history, and those that only one of the two has, as each source's own chain shows them."""
    before, after = _versions(old, entity, sources), _versions(new, entity, sources)
    gone, come = before.exceptAll(after), after.exceptAll(before)
    told = gone.withColumn("which", F.lit(ONLY_OLD)).unionByName(come.withColumn("which", F.lit(ONLY_NEW)))
    return after, told.orderBy(*(quoted(part.name) for part in entity.key), "source_system", "effective_from", "which")


def _versions(lake: Lake, entity: Entity, sources: list[str]) -> DataFrame:
    names = [*(part.name for part in entity.key), "source_system", "effective_from", "source_effective_to", "is_deleted"]
    table = lake.table(history_name(entity))
    frame = table.read().where(F.col("source_system").isin(*sources))
    return frame.select(*(quoted(name) for name in (*names, *(a.name for a in entity.tracked))))


def _place(lake: Lake, entity: Entity, into: Path | None) -> Path:
    folder = lake.location.local_folder
    if into is None and folder is None:
        raise BadArgument(
            argument="into", problem="this lake has no folder to put a new one beside", advice="Name a folder for the replay."
        )
    place = into if into is not None else Path(f"{folder}-replay") / f"{entity.name}-{clock.new_id()}"
    if place.exists() and any(place.iterdir()):
        raise BadArgument(argument="into", problem=f"{place} is not empty", advice="A replay begins in an empty folder.")
    return place


def _take_over_decisions(old: Lake, new: Lake, entity: Entity) -> None:
    """Loads that a person accepted count in the replay too: the same capture has the same load."""
    if not old.table(DECISIONS).exists():
        return
    accepted = old.table(DECISIONS).read().where((F.col("entity") == entity.name) & (F.col("kind") == "accept"))
    if not accepted.isEmpty():
        new.table(DECISIONS).append(accepted, metadata={"run": clock.new_id()})
