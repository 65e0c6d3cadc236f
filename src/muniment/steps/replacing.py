"""Rows of a derived table in the place of others: only those that differ, in one commit (R24)."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.evidence.lanes import difference
from muniment.lake.changes import Everything, On, Replacement, Where
from muniment.steps.kept import Kept
from muniment.steps.keys import keys_of

ROW = ("sk", "effective_from")  # what names a version


@dataclass(frozen=True, slots=True)
class Change:
    """What a table holds of some members now, what it must hold, and what differs."""

    before: DataFrame
    after: DataFrame
    rows: DataFrame  # before: struct or null, after: struct or null

    def replacement(self, table: DataFrame, *, kept: Kept) -> tuple[DataFrame, Replacement]:
        """The rows to write and those whose place they take: version by version, and whole members where a version goes for good."""
        changed = keys_of(kept.keep(self.rows.select(F.coalesce("before.sk", "after.sk").alias("sk"))))
        vanish, closed = self._reach()
        if not vanish:
            named = f" AND {changed.sql('t.sk')}" if changed.are_short else ""
            lane = "" if closed else " AND t.is_current"
            return self.rows.select("after.*"), On(f"t.sk = s.sk AND t.effective_from = s.effective_from{named}{lane}")
        if changed.are_short:
            return changed.of(self.after), Where(changed.sql("sk"))
        return changed.apart(table).unionByName(changed.of(self.after)), Everything()

    def _reach(self) -> tuple[bool, bool]:
        """Whether a version goes for good, and whether closed ones change: otherwise they need not be looked at."""
        closed = ~F.col("before.is_current") if "is_current" in self.after.columns else F.lit(True)
        row = self.rows.agg(F.count_if(F.col("after").isNull()).alias("vanish"), F.count_if(closed).alias("closed")).first()
        return (bool(row["vanish"]), bool(row["closed"])) if row else (False, True)


def change_of(before: DataFrame, after: DataFrame, *, kept: Kept) -> Change:
    """What has to change."""
    return Change(before, after, kept.keep(difference(before, after, identity=ROW).rows))
