"""One look at the judged rows that counts everything a run has to say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from muniment import clock
from muniment.canon.hashes import quoted
from muniment.gate.examine import RAW, UNDECLARED
from muniment.gate.reasons import BESIDE, IGNORED, TRUNCATED
from muniment.gate.rows import INSTANT, UNIT
from muniment.gate.scope import scope_text
from muniment.gate.verdict import MARKS, REASON, STOPS, WARNINGS
from muniment.ledger.digest import lanes, seal
from muniment.model.source import Source


@dataclass(frozen=True, slots=True)
class Truncation:
    """When a table was emptied, and at which place among the changes of that instant."""

    instant: datetime
    sequence: tuple[int | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts and digests of one landing."""

    landed: int
    reasons: Mapping[str, int]
    digest: str
    content: str
    set_aside: Mapping[str, int]  # per load
    rows: Mapping[str, int]  # landed per load
    instants: Mapping[str, datetime | None]
    undeclared: tuple[str, ...] = ()
    warnings: Mapping[str, int] = field(default_factory=dict)
    stops: Mapping[str, int] = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)
    carried: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    ignored: int = 0
    truncated: int = 0  # truncates that count, by the instants below
    truncates: tuple[Truncation, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """No row is left of what came."""
        return not self.landed and not self.quarantined

    @property
    def quarantined(self) -> int:
        return sum(self.reasons.values())


def count(judged: DataFrame, *, source: Source) -> Tally:
    """The tally of judged rows; a complete set's keys are counted by load and scope too (R17)."""
    groups = judged.groupBy(UNIT, REASON).agg(
        F.count(F.lit(1)).alias("rows"),
        F.min(F.unix_micros(INSTANT)).alias("instant"),
        _names(UNDECLARED, "undeclared"),
        *(_labels(column, name) for column, name in ((WARNINGS, "warnings"), (STOPS, "stops"), (MARKS, "marks"))),
        F.array_sort(F.collect_set(F.when(F.col(REASON) == TRUNCATED, _emptying()))).alias("truncates"),
        *lanes("row_digest", "d"),
        *lanes(f"sha2(if({REASON} IS NULL, concat(sk, record_hash), coalesce({RAW}, '')), 256)", "c"),
    )
    rows = groups.collect()
    carried = _carried(judged, source) if source.is_complete_set else {}
    return _tally(rows, carried)


def _labels(column: str, name: str) -> Column:
    return F.flatten(F.collect_list(F.when(F.size(column) > 0, quoted(column)))).alias(name)


def _names(column: str, name: str) -> Column:
    return F.array_sort(F.array_distinct(F.flatten(F.collect_set(quoted(column))))).alias(name)


def _tally(rows: list[Row], carried: Mapping[str, Mapping[str, int]]) -> Tally:
    good = [row for row in rows if row[REASON] is None]
    bad = [row for row in rows if row[REASON] is not None and row[REASON] not in BESIDE]
    emptied = dict.fromkeys(_truncation(each) for row in rows for each in row["truncates"])
    return Tally(
        landed=sum(row["rows"] for row in good),
        reasons=dict(sum((Counter({row[REASON]: row["rows"]}) for row in bad), Counter())),
        digest=seal(good, "d", count="rows"),
        content=seal(rows, "c", count="rows"),  # what was set aside is part of what came (R19)
        set_aside=dict(sum((Counter({row[UNIT]: row["rows"]}) for row in bad), Counter())),
        rows=dict(sum((Counter({row[UNIT]: row["rows"]}) for row in good), Counter())),
        instants={row[UNIT]: clock.from_micros(row["instant"]) for row in rows},
        undeclared=tuple(sorted({name for row in rows for name in row["undeclared"] or ()})),
        warnings=Counter(label for row in good for label in row["warnings"] or ()),
        stops=Counter(label for row in good for label in row["stops"] or ()),
        marks=Counter(label for row in good for label in row["marks"] or ()),
        carried=carried,
        ignored=sum(row["rows"] for row in rows if row[REASON] == IGNORED),
        truncated=sum(row["rows"] for row in rows if row[REASON] == TRUNCATED),
        truncates=tuple(found for found in emptied if found is not None),
    )


def _emptying() -> Column:
    return F.struct(F.unix_micros("source_event_ts").alias("at"), F.col("source_sequence").cast("array<string>").alias("sequence"))


def _truncation(row: Row) -> Truncation | None:
    instant, parts = clock.from_micros(row["at"]), row["sequence"]
    sequence = None if parts is None else tuple(None if part is None else int(part) for part in parts)
    return None if instant is None else Truncation(instant, sequence)


def _carried(judged: DataFrame, source: Source) -> dict[str, dict[str, int]]:
    scope = scope_text([quoted(name) for name in source.scope]).alias("scope")
    keys = judged.where(F.col(REASON).isNull()).groupBy(UNIT, scope).agg(F.count_distinct("sk").alias("keys"))
    found: dict[str, dict[str, int]] = {}
    for row in keys.collect():
        found.setdefault(row[UNIT], {})[row["scope"]] = row["keys"]
    return found
