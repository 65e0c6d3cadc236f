"""What is new in the rows given to a dimension: repeats go, members that a complete set lacks are added as deletes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.arrival.given import from_frame
from muniment.arrival.place import Place
from muniment.canon.hashes import quoted
from muniment.dimensions.readers import covers
from muniment.dimensions.statements import DELETED, SEEN, from_log, said
from muniment.dimensions.types import AT
from muniment.evidence.slots import only
from muniment.gate.examine import Receipt, examine
from muniment.gate.reasons import Reason
from muniment.gate.verdict import REASON, judge
from muniment.lake.tables import Lake
from muniment.model.dimension import Dimension, OnChange, ScdColumn
from muniment.model.dimension_tables import dimension_name, named_by
from muniment.model.source import GivenTime, Ops
from muniment.model.tables import log_name
from muniment.steps.errors import EmptySet, OriginalRefused
from muniment.steps.kept import Kept
from muniment.steps.newest import newest
from muniment.steps.position import reached
from muniment.steps.spoken import Heard

_GONE = "__gone"
_KEYLESS = (Reason.UNREADABLE, Reason.KEY_MISSING, Reason.KEY_CAST)


@dataclass(slots=True)
class Sieve:
    """Looks at what came before it is counted, and remembers what it saw."""

    lake: Lake
    dimension: Dimension
    at: datetime
    deletes: bool
    kept: Kept
    received: int = 0  # members that rows came for
    absent: int = 0  # members that a complete set lacked
    messages: list[str] = field(default_factory=list)
    heard: Heard | None = None  # what is new, where all that came is

    def is_news(self, judged: DataFrame) -> bool:
        """Every row is one that may land, the only one of its member, and later than all that was said: what came can stay as it is."""
        if self.deletes or self.dimension.event_time is None or self._frozen:
            return False
        members = judged.groupBy("sk").agg(
            F.expr("count(1) AS n"), F.expr(f"count({REASON}) AS bad"), F.expr("first(unix_micros(source_event_ts)) AS at")
        )
        counts = ("count(1) AS members", "max(n) AS most", "sum(bad) AS bad", "min(at) AS since", "max(at) AS until")
        row = members.selectExpr(*counts).collect()[0]
        self.received, since, until = row["members"], clock.from_micros(row["since"]), clock.from_micros(row["until"])
        if row["most"] != 1 or row["bad"] or not self._is_later(since):
            return False
        self.heard = Heard(row["members"], row["members"], since, until)
        return True

    def sift(self, judged: DataFrame, receipt: Receipt) -> DataFrame:
        """Rows to land, and rows to set aside as they are."""
        rows = self.kept.keep(judged)
        good = rows.where(F.col(REASON).isNull())
        row = rows.agg(
            F.count_distinct(F.when(F.col(REASON).isNull(), F.col("sk"))).alias("keys"),
            F.min(F.when(F.col(REASON).isNull(), F.unix_micros("source_event_ts"))).alias("since"),
            F.count_if(F.col(REASON).isin([str(reason) for reason in _KEYLESS])).alias("keyless"),
        ).first()
        self.received, keyless, since = (row["keys"], row["keyless"], clock.from_micros(row["since"])) if row else (0, 0, None)
        self._refuse_originals(good)
        fresh = self._fresh(good, since).unionByName(rows.where(F.col(REASON).isNotNull()))
        if not self.deletes:
            return fresh
        if keyless:
            self.messages.append(f"{keyless} rows without a key were set aside: who is missing from the set counts as nothing said")
            return fresh
        return fresh.unionByName(self._absences(rows, receipt), allowMissingColumns=True)

    def _fresh(self, good: DataFrame, since: datetime | None) -> DataFrame:
        """Rows that say something new: with times of their own, those that were not said before; without, those that differ from what holds."""
        once = good.dropDuplicates(["assertion_id"])
        log = self.lake.table(log_name(self.dimension.spoken_of))
        if not log.exists():
            return once
        if self.dimension.event_time is not None:
            known = once if self._is_later(since) else once.join(log.read().select("assertion_id"), "assertion_id", "left_anti")
            return known.select(*good.columns)
        held = self._held(log.read().where(F.col("source_event_ts") <= F.lit(self.at)))
        met = once.join(held, "sk", "left").where(~self._says_nothing())
        return met.select(*good.columns)

    def _is_later(self, since: datetime | None) -> bool:
        """All rows are later than all that was said, so none can have been said before; what is not applied yet is not known to be earlier."""
        table, log = self.lake.table(dimension_name(self.dimension)), self.lake.table(log_name(self.dimension.spoken_of))
        known = newest(self.lake, self.dimension) if reached(table).log == log.version() else None
        return known is not None and since is not None and since > known

    def _held(self, log: DataFrame) -> DataFrame:
        """What holds of each member at the instant of this apply."""
        order = F.struct(AT, SEEN)
        statements = from_log(log, dimension=self.dimension)
        names = [said(column.name) for column in self.dimension.columns]
        states = (F.max_by(quoted(name), F.when(quoted(name).isNotNull(), order)).alias(f"_held{name}") for name in names)
        return statements.groupBy("sk").agg(F.max_by(~F.col(DELETED), order).alias("_is_live"), *states)

    def _says_nothing(self) -> Column:
        live, deletes = F.coalesce("_is_live", F.lit(False)), F.col("op") == "delete"
        same = [
            ~F.array_contains("asserted", column.name) | quoted(f"_held{said(column.name)}")["value"].eqNullSafe(quoted(column.name))
            for column in self.dimension.columns
        ]
        equal = live
        for each in same:
            equal = equal & each
        return F.when(deletes, ~live).otherwise(equal)

    def _absences(self, rows: DataFrame, receipt: Receipt) -> DataFrame:
        """Who is there at this instant and is not in the set."""
        if not self.received:
            raise EmptySet(dimension=self.dimension.name)
        entity = self.dimension.spoken_of
        table = self.lake.table(dimension_name(self.dimension))
        if not table.exists():
            return rows.limit(0)
        there = table.read().where(covers(F.lit(self.at)) & ~F.col("is_inferred"))
        names = list(named_by(self.dimension))
        gone = self.kept.keep(only(there.join(only(rows, names), names, "left_anti"), names))
        self.absent = gone.count()
        source = replace(entity.sources[0], event_time=GivenTime(), op=Ops(_GONE, delete=("d",)))
        keys = from_frame(gone.withColumn(_GONE, F.lit("d")), place=Place(entity.name, source.name, instant=self.at))
        return judge(examine(keys, entity=entity, source=source, receipt=receipt), entity=entity, source=source)

    @property
    def _frozen(self) -> list[ScdColumn]:
        return [column for column in self.dimension.of_type(0) if column.on_change is OnChange.FAIL]

    def _refuse_originals(self, good: DataFrame) -> None:
        """Where a column of type 0 says so, a row that would change it refuses the whole call."""
        frozen = self._frozen
        table = self.lake.table(dimension_name(self.dimension))
        if not frozen or not table.exists():
            return
        names = list(named_by(self.dimension))
        held = table.read().where("version = 1").select(*map(quoted, names), *(quoted(c.name).alias(f"_held{c.name}") for c in frozen))
        differs = F.lit(False)
        for c in frozen:
            other = quoted(f"_held{c.name}").isNotNull() & ~quoted(f"_held{c.name}").eqNullSafe(quoted(c.name))
            differs = differs | (F.array_contains("asserted", c.name) & other)
        found = good.join(held, names).where(differs).select(F.to_json(F.struct(*(quoted(p.name) for p in self.dimension.key))))
        examples = [str(row[0]) for row in found.limit(3).collect()]
        if examples:
            raise OriginalRefused(dimension=self.dimension.name, columns=_names([c.name for c in frozen]), examples=_names(examples))


def _names(names: Sequence[str]) -> str:
    return ", ".join(names)
