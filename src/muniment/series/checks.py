"""The declared checks on a partition: what to count in one look at its rows, and what the counts mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.gate.checks import breaks, label
from muniment.model.check import (
    Accepted,
    Fresh,
    NotNull,
    NullShare,
    OnFail,
    Pattern,
    Range,
    RowBand,
    SameChecksum,
    SeriesCheck,
    SqlCheck,
    Unique,
)
from muniment.model.series import Role, Series
from muniment.series.lineage import Standing
from muniment.series.records import Partition
from muniment.series.rows import DELETED

FEWEST = 3  # a band needs so many partitions before it
BY_CHECK = "check"


@dataclass(frozen=True, slots=True)
class Finding:
    """A check that a partition fails, in words."""

    check: str
    said: str
    on_fail: OnFail

    def __str__(self) -> str:
        return f"{self.check}: {self.said}"


def counted(series: Series) -> dict[str, Column]:
    """What the checks on rows need to be counted, by a name for each; deletes state nothing but their key."""
    live = ~quoted(DELETED)
    return {f"c{number}": F.count_if(live & _fails(check)).alias(f"c{number}") for number, check in _on_rows(series)}


def _on_rows(series: Series) -> list[tuple[int, SeriesCheck]]:
    return [
        (n, check)
        for n, check in enumerate(series.checks)
        if isinstance(check, NotNull | Accepted | Range | Pattern | SqlCheck | NullShare)
    ]


def _fails(check: SeriesCheck) -> Column:
    match check:
        case NotNull() | Accepted() | Range() | Pattern():
            return breaks(check)
        case NullShare(column=name):
            return quoted(name).isNull()
        case SqlCheck(predicate=text):
            return F.coalesce(~F.expr(text), F.lit(False))
        case _:
            return F.lit(False)


def of_rows(series: Series, counts: Mapping[str, int], live: int) -> list[Finding]:
    """What the counts of rows mean."""
    found = []
    for number, check in _on_rows(series):
        failing = counts[f"c{number}"]
        allowed = check.most * live if isinstance(check, NullShare) else 0
        if failing > allowed:
            found.append(Finding(_name(check), f"{failing:,} of {live:,} rows", check.on_fail))
    return found


def duplicates(rows: DataFrame, columns: Sequence[str]) -> DataFrame:
    """The values that more than one row has."""
    return rows.where(~quoted(DELETED)).groupBy(*map(quoted, columns)).count().where("count > 1")


def uniques(series: Series, role: Role) -> list[Unique]:
    """Columns that must be unique; the key of a dump is so without being declared."""
    declared = [check for check in series.checks if isinstance(check, Unique)]
    key = Unique(series.key_names, OnFail.MARK)
    of_key = any(set(check.columns) == set(series.key_names) for check in declared)
    return declared if role is not Role.DUMP or of_key else [*declared, key]


def of_unique(check: Unique, twice: int) -> Finding | None:
    return Finding(f"unique {', '.join(check.columns)}", f"{twice:,} values are there more than once", check.on_fail) if twice else None


def of_records(series: Series, made: Partition, standing: Standing, *, now: datetime) -> list[Finding]:
    """The checks that need no row: the number of rows among those before, and how fresh what is heard is."""
    found = [_band(check, made, standing) for check in series.checks if isinstance(check, RowBand)]
    if made.role is Role.TARGET:
        found += [_fresh(check, standing, now) for check in series.checks if isinstance(check, Fresh)]
    return [each for each in found if each is not None]


def _band(check: RowBand, made: Partition, standing: Standing) -> Finding | None:
    before = [each.rows for each in standing.of(made.role) if each.start < made.start and standing.is_good(each)][-check.last :]
    usual = median(before) if len(before) >= FEWEST else None
    if usual is None or abs(made.rows - usual) <= check.within * usual:
        return None
    return Finding("rows", f"{made.rows:,} rows, where {usual:,.0f} are usual", check.on_fail)


def _fresh(check: Fresh, standing: Standing, now: datetime) -> Finding | None:
    heard = [each.produced_at for each in standing.of(Role(check.source)) if each.produced_at is not None]
    if heard and now - max(heard) <= check.within:
        return None
    within = str(check.within).removesuffix(", 0:00:00")
    return Finding(f"fresh {check.source}", f"no {check.source} within {within}", check.on_fail)


def _name(check: SeriesCheck) -> str:
    match check:
        case NullShare(column=name):
            return f"null_share {name}"
        case RowBand() | SameChecksum():
            return type(check).__name__
        case _:
            return label(check)


def that(findings: Iterable[Finding], on_fail: OnFail) -> list[Finding]:
    """The findings with one consequence."""
    return [each for each in findings if each.on_fail is on_fail]
