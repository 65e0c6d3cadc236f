"""What a dimension follows from: the rows given to it, or what is believed of an entity."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.dimensions.statements import from_belief, from_log
from muniment.dimensions.types import AT
from muniment.evidence.lanes import difference
from muniment.evidence.slots import only
from muniment.lake.errors import VersionGone
from muniment.lake.failed import FAILED
from muniment.lake.tables import Lake, Table
from muniment.model.dimension import Dimension
from muniment.model.tables import log_columns, log_name
from muniment.steps.errors import NotBelieved
from muniment.steps.kept import Kept
from muniment.steps.keys import FEW
from muniment.steps.position import runs_between

_CLEANED: tuple[type[Exception], ...] = (VersionGone, *FAILED)  # what reading files that maintenance took away raises


@dataclass(frozen=True, slots=True)
class Heard:
    """What is new in numbers: of how many members, and the first and last instant it was said for, if that can be told."""

    members: int
    statements: int = 0
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class News(Heard):
    """What is new."""

    rows: DataFrame  # statements, or no more than the members' `sk`

    @property
    def are_few(self) -> bool:
        """Few enough to be folded in one place."""
        return self.members <= FEW


@dataclass(frozen=True, slots=True)
class Spoken:
    """The statements of a dimension, at one version of the table that holds them."""

    dimension: Dimension
    table: Table
    version: int

    def statements(self) -> DataFrame:
        """All of them."""
        rows = self.table.read(self.version)
        if self.dimension.believes is not None:
            return from_belief(rows, dimension=self.dimension)
        return from_log(rows, dimension=self.dimension)

    def news(self, lake: Lake, *, was: int, kept: Kept, heard: Heard | None = None) -> News | None:
        """What came after a version, counted unless whoever landed it did; None where that can no longer be told."""
        if self.dimension.believes is not None:
            return self._believed_since(was, kept=kept)
        entity = self.dimension.spoken_of
        added = self.table.appended(log_columns(entity), since=was, until=self.version)
        if added is None:
            runs = runs_between(lake, log_name(entity), since=was, until=self.version)
            added = self.table.read(self.version).where(F.col("ingest_run_id").isin(runs))
        rows = kept.keep(from_log(added, dimension=self.dimension))
        return news_of(rows, heard if self.version == was + 1 else None)

    def _believed_since(self, was: int, *, kept: Kept) -> News | None:
        names = ["sk", "effective_from", "is_deleted", *(column.name for column in self.dimension.columns)]
        try:
            before, after = (only(self.table.read(version), names) for version in (was, self.version))
            found = difference(before, after, identity=("sk", "effective_from")).rows
            members = kept.keep(found.select(F.coalesce("before.sk", "after.sk").alias("sk")).distinct())
            return News(members.count(), rows=members)
        except _CLEANED:
            return None


def news_of(statements: DataFrame, heard: Heard | None = None) -> News:
    """Statements, and what one look at them tells, unless that is known."""
    if heard is not None:
        return News(heard.members, heard.statements, heard.since, heard.until, rows=statements)
    counted = (
        "count(DISTINCT sk) AS members",
        "count(1) AS statements",
        f"min(unix_micros({AT})) AS first",
        f"max(unix_micros({AT})) AS last",
    )
    row = statements.selectExpr(*counted).collect()[0]
    return News(row["members"], row["statements"], clock.from_micros(row["first"]), clock.from_micros(row["last"]), rows=statements)


def spoken_at(lake: Lake, dimension: Dimension) -> Spoken | None:
    """What is there now; None where nothing was said yet."""
    name = f"silver.{dimension.believes}_history" if dimension.believes is not None else log_name(dimension.spoken_of)
    table = lake.table(name)
    if not table.exists():
        return None
    if dimension.believes is None:
        table.create(log_columns(dimension.spoken_of))  # a column that was declared since is unknown so far
    else:
        _refuse_strangers(dimension, table)
    return Spoken(dimension, table, table.version())


def _refuse_strangers(dimension: Dimension, belief: Table) -> None:
    known = {name.casefold() for name in belief.read().columns}
    names = [*(part.name for part in dimension.key), *(column.name for column in dimension.columns)]
    strange = [name for name in names if name.casefold() not in known]
    if strange:
        raise NotBelieved(dimension=dimension.name, entity=dimension.believes, columns=", ".join(strange))
