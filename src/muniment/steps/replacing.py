"""Rows of a derived table in the place of others: only those that differ, in one commit (R24)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from muniment.canon.compare import comparables
from muniment.canon.encode import identifier
from muniment.canon.hashes import kinds_of
from muniment.dimensions.named import sk_of
from muniment.evidence.slots import only, packed
from muniment.lake.changes import Everything, On, Replacement, Where
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import named_by
from muniment.steps.kept import Kept
from muniment.steps.keys import keys_of

ROW = ("sk", "effective_from")  # what names a version


@dataclass(frozen=True, slots=True)
class Naming:
    """How a table names its members: the columns that do, and `sk` as an expression over them."""

    columns: Sequence[str] = ("sk",)
    sk: str = "sk"
    has_current: bool = False  # current versions lie apart, so that one may look at them alone

    def meets(self) -> str:
        """A row of the table (`t`) has the name of one that comes (`s`)."""
        parts = (*self.columns, "effective_from")
        return " AND ".join(f"t.{identifier(part)} = s.{identifier(part)}" for part in parts)


@dataclass(frozen=True, slots=True)
class Counted:
    """What differs, in numbers: of rows, of members, and of rows that decide how they are written."""

    changed: int = 0
    opened: int = 0
    closed: int = 0
    inserted: int = 0
    deleted: int = 0
    members: int = 0
    vanish: int = 0  # versions that go for good
    past: int = 0  # closed versions that change: without any, they need not be looked at


@dataclass(frozen=True, slots=True)
class Change:
    """The versions of some members as a table holds them and as they must be, side by side."""

    rows: DataFrame  # sk; before: struct or null; after: struct or null; differs
    naming: Naming

    def count(self) -> Counted:
        """One look at everything."""
        members = self.rows.groupBy("sk").agg(*(F.expr(f"{what} AS {name}") for name, what in _OF_MEMBER.items()))
        row: Row = members.where("changed > 0").selectExpr(*(f"{what} AS {name}" for name, what in _OF_ALL.items())).collect()[0]
        return Counted(**{name: row[name] or 0 for name in _OF_ALL})

    @property
    def after(self) -> DataFrame:
        """All that must be there."""
        return self.rows.where("after IS NOT NULL").select("after.*")

    def replacement(self, table: DataFrame, counted: Counted) -> tuple[DataFrame, Replacement]:
        """The rows to write and those whose place they take: version by version, and whole members where a version goes for good."""
        changed = self.rows.where("differs")
        if not counted.vanish:
            lane = " AND t.is_current" if self.naming.has_current and not counted.past else ""
            return changed.select("after.*"), On(f"{self.naming.meets()}{lane}")
        keys = keys_of(changed)
        if keys.are_short:
            return keys.of(self.after), Where(keys.sql(self.naming.sk))
        after = self.after
        others = keys.apart(table.withColumn("sk", F.expr(self.naming.sk)))
        return only(others, after.columns).unionByName(keys.of(after)), Everything()


def naming_of(dimension: Dimension, versions: DataFrame) -> Naming:
    """How a dimension's table names its members."""
    return Naming(named_by(dimension), sk_of(dimension, kinds_of(versions.schema)), has_current=True)


def change_of(before: DataFrame, after: DataFrame, *, naming: Naming, kept: Kept) -> Change:
    """What has to change; null-safe, on all columns (R3)."""
    names = after.columns
    current = "is_current" if "is_current" in names else "false"
    sides = [
        side.select(*ROW, F.expr(f"{current} AS _live_{name}"), packed(names).alias(name), comparables(side.schema).alias(f"_{name}"))
        for side, name in ((only(before, names), "before"), (after, "after"))
    ]
    met = sides[0].join(sides[1], list(ROW), "full")
    rows = met.selectExpr("sk", "_live_before", "_live_after", "before", "after", "NOT (_before <=> _after) AS differs")
    return Change(kept.keep(rows), naming)


_ENDS = "after IS NOT NULL AND NOT _live_after AND coalesce(_live_before, true)"
_OF_MEMBER = {
    "changed": "count_if(differs)",
    "opened": "count_if(before IS NULL)",
    "closed": f"count_if(differs AND {_ENDS})",
    "was": "bool_or(_live_before)",
    "lives": "coalesce(bool_or(_live_after), false)",
    "vanish": "count_if(after IS NULL)",
    "past": "count_if(differs AND NOT _live_before)",
}
_OF_ALL = {
    **{name: f"sum({name})" for name in ("changed", "opened", "closed", "vanish", "past")},
    "inserted": "count_if(was IS NULL)",
    "deleted": "count_if(was AND NOT lives)",
    "members": "count(1)",
}
