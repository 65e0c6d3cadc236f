"""How well sources keep time (000 §12.1.10.5): measured from the log and the record of runs, per source and run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from statistics import median

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muniment.gate.reasons import Reason

_JUMP = 5  # times the usual number of versions in a day
_FEWEST = 20  # fewer new versions than this are no jump, whatever is usual
_SILENCE = 3  # times the usual pause
_STATEMENT = ("sk", "source_system", "source_event_ts", "source_sequence")


def measures(log: DataFrame, runs: DataFrame) -> DataFrame:
    """One row per source and run that landed rows of it."""
    counted = _judged(log).groupBy(F.col("source_system").alias("source"), F.col("ingest_run_id").alias("run_id"))
    lag = F.unix_micros("ingest_ts") - F.unix_micros("source_event_ts")
    measured = counted.agg(
        F.count(F.lit(1)).alias("rows"),
        F.count_if("_late").alias("late"),
        *(F.round(F.percentile_approx(lag, share) / 1e6, 3).alias(name) for name, share in (("lag_p50", 0.5), ("lag_p95", 0.95))),
        F.round(F.max(lag) / 1e6, 3).alias("lag_max"),
        F.count_if("_backward").alias("backward"),
        F.count_if("_tied").alias("ties"),
        F.count_if("_repeated").alias("repeats"),
    )
    times = {"null_times": Reason.TIME_MISSING, "impossible_times": Reason.TIME_IMPOSSIBLE}
    bad = (F.coalesce(F.col("reasons")[reason.value], F.lit(0)).alias(name) for name, reason in times.items())
    landings = runs.where(F.col("step").isin("land", "release")).select("entity", "source", "run_id", "received_at", *bad)
    ratio = F.round(F.coalesce(F.col("late") / F.col("rows"), F.lit(0.0)), 4)
    names = ("rows", "late", "late_ratio", "lag_p50", "lag_p95", "lag_max", "backward", "ties", "repeats", *times)
    told = landings.join(measured, ["source", "run_id"], "left").withColumn("late_ratio", ratio)
    return told.select("entity", "source", "run_id", "received_at", *names)


def _judged(log: DataFrame) -> DataFrame:
    """Each row against what its key's source had said in earlier receipts."""
    heard = Window.partitionBy("sk", "source_system").orderBy(F.unix_micros("ingest_ts"))
    earlier = heard.rangeBetween(Window.unboundedPreceding, -1)
    newest = F.max("source_event_ts").over(earlier)
    same = Window.partitionBy(*_STATEMENT)
    again = Window.partitionBy(*_STATEMENT, "record_hash").orderBy("ingest_ts", "ingest_run_id")
    return log.withColumns(
        {
            "_late": F.col("source_event_ts") < newest,
            "_backward": (F.col("source_event_ts") > newest) & (F.col("source_sequence") < F.max("source_sequence").over(earlier)),
            "_tied": F.min("record_hash").over(same) != F.max("record_hash").over(same),
            "_repeated": F.row_number().over(again) > 1,
        }
    )


@dataclass(frozen=True, slots=True)
class Landing:
    """When a run heard a source."""

    source: str
    run_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Grown:
    """How many versions a source made in one day."""

    source: str
    day: date
    versions: int


def growth(versions: DataFrame) -> DataFrame:
    """New versions per source and day of their first receipt, in UTC."""
    day = F.date_from_unix_date(F.floor(F.unix_micros("first_seen_ts") / 86_400_000_000).cast("int"))
    return versions.groupBy(F.col("source_system").alias("source"), day.alias("day")).agg(F.count(F.lit(1)).alias("versions"))


def jumps(grown: Sequence[Grown]) -> dict[str, str]:
    """Sources whose last day made many more versions than is usual."""
    found = {}
    for source, days in _by_source(grown).items():
        *before, last = days
        usual = median(day.versions for day in before) if before else 0
        if usual and last.versions >= max(_FEWEST, _JUMP * usual):
            found[source] = f"jump: {last.versions:,} new versions on {last.day}, usually about {usual:,.0f}"
    return found


def silences(landings: Sequence[Landing], *, now: datetime) -> dict[str, str]:
    """Sources that have been silent for much longer than they usually are."""
    times: dict[str, list[datetime]] = {}
    for landing in sorted(landings, key=lambda each: each.at):
        times.setdefault(landing.source, []).append(landing.at)
    found = {}
    for source, moments in times.items():
        pauses = [(later - earlier).total_seconds() for earlier, later in pairwise(moments) if later > earlier]
        silent = (now - moments[-1]).total_seconds()
        if len(pauses) > 1 and silent > _SILENCE * median(pauses):
            found[source] = f"silent for {_span(silent)}, usually heard every {_span(median(pauses))}"
    return found


def _by_source(grown: Sequence[Grown]) -> dict[str, list[Grown]]:
    found: dict[str, list[Grown]] = {}
    for day in sorted(grown, key=lambda each: (each.source, each.day)):
        found.setdefault(day.source, []).append(day)
    return found


def _span(seconds: float) -> str:
    """A duration as people say it, in its largest unit."""
    for name, unit in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} seconds"
