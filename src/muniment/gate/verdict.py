"""The verdict on each examined row: into the log, or aside with a reason (R19). The first reason found counts."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.gate.around import SETS
from muniment.gate.checks import failed_labels, holds, row_checks
from muniment.gate.examine import KEY_FAILED, KEY_NULL, RAW, SEQUENCE_FAILED, TIME_STATED, UNDECLARED, VALUES_FAILED
from muniment.gate.reasons import IGNORED, TRUNCATED, Reason
from muniment.gate.rows import SPECIAL, TRUNCATE, UNREADABLE
from muniment.model.check import OnFail
from muniment.model.entity import Entity, Late
from muniment.model.source import Source, Truncate, Undeclared

REASON = "__reason"
DETAIL = "__detail"
WARNINGS = "__warnings"
STOPS = "__stops"
MARKS = "__marks"


def judge(examined: DataFrame, *, entity: Entity, source: Source, waive: bool = False) -> DataFrame:
    """Adds the reason for setting a row aside, or null; with `waive` what a person may wave through does not count."""
    verdict = F.coalesce(*_refusals(entity, source), *(() if waive else _policies(entity, source)), F.lit(None).cast(_TYPE))
    seen = examined if SETS in examined.columns else examined.withColumn(SETS, F.array().cast("array<string>"))
    judged = seen.withColumn("__verdict", verdict)
    checks = row_checks(entity)
    return judged.withColumns(
        {
            REASON: F.col("__verdict.code"),
            DETAIL: F.col("__verdict.detail"),
            RAW: quoted(RAW) if entity.history.late is Late.QUARANTINE else F.when(F.col("__verdict").isNotNull(), quoted(RAW)),
            **{name: failed_labels([c for c in checks if c.on_fail is on_fail], entity=entity) for name, on_fail in _NOTED.items()},
        }
    ).drop("__verdict", SETS, KEY_FAILED, KEY_NULL, SEQUENCE_FAILED, TIME_STATED, VALUES_FAILED)


_TYPE = "struct<code: string, detail: string>"
_NOTED = {WARNINGS: OnFail.WARN, STOPS: OnFail.STOP, MARKS: OnFail.MARK}  # checks that a row may fail and still be one


def _refusal(condition: Column, reason: Reason | str, *detail: Column | str) -> Column:
    words = F.concat(*(F.lit(part) if isinstance(part, str) else part for part in detail))
    return F.when(condition, F.struct(F.lit(str(reason)).alias("code"), words.alias("detail")))


def _refusals(entity: Entity, source: Source) -> list[Column]:
    """What cannot become an assertion, whoever says so."""
    keys = ", ".join(part.name for part in entity.key)
    op = source.op.column if source.op else "op"
    time = F.col("source_event_ts").isNull()
    return [
        _refusal(F.col(SPECIAL) != TRUNCATE, IGNORED, F.col(SPECIAL)),
        _excluded(entity, source),
        _refusal(F.lit(source.lacks_key), Reason.NO_STABLE_KEY, "the source declares that it has no stable key"),
        _refusal(F.col(UNREADABLE).isNotNull(), Reason.UNREADABLE, F.col(UNREADABLE)),
        _truncated(source),
        _refusal(F.col(KEY_FAILED), Reason.KEY_CAST, f"{keys}: not of the declared type"),
        _refusal(F.col(KEY_NULL), Reason.KEY_MISSING, f"{keys}: missing or null"),
        _refusal(F.col("op").isNull(), Reason.OP_UNKNOWN, f"{op}: no known operation"),
        _refusal(time & ~F.col(TIME_STATED), Reason.TIME_MISSING, "no event time"),
        _refusal(time, Reason.TIME_IMPOSSIBLE, "the event time cannot be read, or lies outside the years 1900 to 2199"),
        _refusal(F.col(SEQUENCE_FAILED), Reason.SEQUENCE_CAST, f"{', '.join(source.sequence)}: not a whole number"),
        _refusal(F.size(VALUES_FAILED) > 0, Reason.VALUE_CAST, F.array_join(VALUES_FAILED, ", "), ": not of the declared type"),
    ]


def _excluded(entity: Entity, source: Source) -> Column:
    """What is left out on purpose does not look like a failure."""
    if source.exclude is None:
        return F.lit(None).cast(_TYPE)
    return _refusal(holds(source.exclude, entity=entity), IGNORED, "excluded as declared")


def _truncated(source: Source) -> Column:
    """A truncate names no key: it waits, or counts as a load without a row (R17)."""
    found = (F.col(SPECIAL) == TRUNCATE) & F.col("source_event_ts").isNotNull()
    if source.truncate is Truncate.APPLY:
        return _refusal(found, TRUNCATED, "every key known before it is gone")
    return _refusal(found, Reason.TRUNCATE, "a truncate deletes every key known before it; 'truncate: apply' lets it count")


def _policies(entity: Entity, source: Source) -> list[Column]:
    """What the configuration asks to set aside; a person may release it."""
    found = []
    if source.undeclared is Undeclared.QUARANTINE:
        found.append(_refusal(F.size(UNDECLARED) > 0, Reason.UNDECLARED, "nobody declared ", F.array_join(UNDECLARED, ", ")))
    limit = entity.history.max_lateness
    if limit is not None and source.event_time is not None:
        late = F.col("ingest_ts") > F.col("source_event_ts") + F.lit(limit)
        found.append(_refusal(late, Reason.TOO_LATE, f"received more than {limit} after its event time"))
    aside = failed_labels([c for c in row_checks(entity) if c.on_fail is OnFail.QUARANTINE], entity=entity)
    return [*found, _refusal(F.size(aside) > 0, Reason.CHECK, F.array_join(aside, "; "))]
