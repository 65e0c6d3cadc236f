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

_CONTENT = "__content"
_NOTED = {"undeclared": UNDECLARED, "warnings": WARNINGS, "stops": STOPS, "marks": MARKS}


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
    earliest: int | None = None  # the first event time of what landed, in microseconds

    @property
    def is_nothing(self) -> bool:
        """No row is left of what came."""
        return not self.landed and not self.quarantined

    @property
    def quarantined(self) -> int:
        return sum(self.reasons.values())


def count(judged: DataFrame, *, source: Source) -> Tally:
    """The tally of judged rows; a complete set's keys are counted by load and scope too (R17)."""
    content = F.expr(f"sha2(if({REASON} IS NULL, concat(sk, record_hash), coalesce({RAW}, '')), 256) AS {_CONTENT}")
    groups = judged.select("*", content).groupBy(UNIT, REASON)
    rows = groups.agg(
        F.expr("count(1) AS rows"),
        F.expr(f"min(unix_micros({INSTANT})) AS instant"),
        F.expr("min(unix_micros(source_event_ts)) AS earliest"),
        *(F.expr(f"max(size({column})) AS {name}") for name, column in _NOTED.items()),
        *lanes("row_digest", "d"),
        *lanes(_CONTENT, "c"),
    ).collect()
    said = {name: _noted(judged, column) for name, column in _NOTED.items() if any(row[name] for row in rows)}
    emptied = _emptied(judged) if any(row[REASON] == TRUNCATED for row in rows) else ()
    carried = _carried(judged, source, units={row[UNIT] for row in rows}) if source.is_complete_set else {}
    return _tally(rows, said, emptied=emptied, carried=carried)


def _noted(judged: DataFrame, column: str) -> dict[str, int]:
    """How many rows have each of the names in a column of lists; of what is set aside only the undeclared fields count."""
    told = judged if column == UNDECLARED else judged.where(F.col(REASON).isNull())
    found = told.select(F.explode(quoted(column)).alias("name")).groupBy("name").agg(F.count(F.lit(1)).alias("n")).collect()
    return {row["name"]: row["n"] for row in sorted(found, key=lambda row: str(row["name"]))}


def _emptied(judged: DataFrame) -> tuple[Truncation, ...]:
    found = judged.where(F.col(REASON) == TRUNCATED).agg(F.array_sort(F.collect_set(_emptying())).alias("all")).collect()
    return tuple(made for each in found[0]["all"] if (made := _truncation(each)) is not None)


def _tally(
    rows: list[Row],
    said: Mapping[str, Mapping[str, int]],
    *,
    emptied: tuple[Truncation, ...],
    carried: Mapping[str, Mapping[str, int]],
) -> Tally:
    good = [row for row in rows if row[REASON] is None]
    bad = [row for row in rows if row[REASON] is not None and row[REASON] not in BESIDE]
    return Tally(
        landed=sum(row["rows"] for row in good),
        reasons=dict(sum((Counter({row[REASON]: row["rows"]}) for row in bad), Counter())),
        digest=seal(good, "d", count="rows"),
        content=seal(rows, "c", count="rows"),  # what was set aside is part of what came (R19)
        set_aside=dict(sum((Counter({row[UNIT]: row["rows"]}) for row in bad), Counter())),
        rows=dict(sum((Counter({row[UNIT]: row["rows"]}) for row in good), Counter())),
        instants={row[UNIT]: clock.from_micros(row["instant"]) for row in rows},
        undeclared=tuple(said.get("undeclared", ())),
        warnings=said.get("warnings", {}),
        stops=said.get("stops", {}),
        marks=said.get("marks", {}),
        carried=carried,
        earliest=min((row["earliest"] for row in good if row["earliest"] is not None), default=None),
        ignored=sum(row["rows"] for row in rows if row[REASON] == IGNORED),
        truncated=sum(row["rows"] for row in rows if row[REASON] == TRUNCATED),
        truncates=emptied,
    )


def _emptying() -> Column:
    return F.struct(F.unix_micros("source_event_ts").alias("at"), F.col("source_sequence").cast("array<string>").alias("sequence"))


def _truncation(row: Row) -> Truncation | None:
    instant, parts = clock.from_micros(row["at"]), row["sequence"]
    sequence = None if parts is None else tuple(None if part is None else int(part) for part in parts)
    return None if instant is None else Truncation(instant, sequence)


def _carried(judged: DataFrame, source: Source, *, units: set[str]) -> dict[str, dict[str, int]]:
    scope = scope_text([quoted(name) for name in source.scope]).alias("scope")
    unit = F.lit(next(iter(units))).alias(UNIT) if len(units) == 1 else quoted(UNIT)  # a constant is not carried through the shuffle
    keys = judged.where(F.col(REASON).isNull()).groupBy(unit, scope).agg(F.count_distinct("sk").alias("keys"))
    found: dict[str, dict[str, int]] = {}
    for row in keys.collect():
        found.setdefault(row[UNIT], {})[row["scope"]] = row["keys"]
    return found
