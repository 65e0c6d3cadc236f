"""The verdict on each examined row: into the log, or aside with a reason (R19). The first reason found counts."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.canon.encode import literal
from muniment.gate.around import SETS, looks_around
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
    verdict = F.coalesce(*_refusals(entity, source), *(() if waive else _policies(entity, source)), F.expr(f"CAST(NULL AS {_TYPE})"))
    bare = looks_around(entity) and SETS not in examined.columns
    seen = examined.withColumn(SETS, F.array().cast("array<string>")) if bare else examined
    judged = seen.withColumn("__verdict", verdict)
    checks = row_checks(entity)
    return judged.withColumns(
        {
            REASON: F.col("__verdict.code"),
            DETAIL: F.col("__verdict.detail"),
            RAW: F.expr(RAW if entity.history.late is Late.QUARANTINE else f"CASE WHEN __verdict IS NOT NULL THEN {RAW} END"),
            **{name: failed_labels([c for c in checks if c.on_fail is on_fail], entity=entity) for name, on_fail in _NOTED.items()},
        }
    ).drop("__verdict", SETS, KEY_FAILED, KEY_NULL, SEQUENCE_FAILED, TIME_STATED, VALUES_FAILED)


_TYPE = "struct<code: string, detail: string>"
_NOTED = {WARNINGS: OnFail.WARN, STOPS: OnFail.STOP, MARKS: OnFail.MARK}  # checks that a row may fail and still be one


def _refusal(condition: Column, reason: Reason | str, *detail: Column | str) -> Column:
    words = F.concat(*(F.lit(part) if isinstance(part, str) else part for part in detail))
    return F.when(condition, F.struct(F.lit(str(reason)).alias("code"), words.alias("detail")))


def _when(condition: str, reason: Reason | str, detail: str) -> str:
    """The same as SQL, `detail` too: these refusals are asked for by every landing, and a tree of columns takes its time to make."""
    return f"CASE WHEN {condition} THEN named_struct('code', {literal(str(reason))}, 'detail', {detail}) END"


def _refusals(entity: Entity, source: Source) -> list[Column]:
    """What cannot become an assertion, whoever says so; what is left out on purpose does not look like a failure."""
    ignored = F.expr(_when(f"{SPECIAL} != '{TRUNCATE}'", IGNORED, SPECIAL))
    excluded = [_refusal(holds(source.exclude, entity=entity), IGNORED, "excluded as declared")] if source.exclude is not None else []
    return [ignored, *excluded, F.expr(f"coalesce({', '.join(_faults(entity, source))})")]


def _faults(entity: Entity, source: Source) -> list[str]:
    keys = ", ".join(part.name for part in entity.key)
    op = source.op.column if source.op else "op"
    unkeyed = [_when("true", Reason.NO_STABLE_KEY, literal("the source declares that it has no stable key"))] if source.lacks_key else []
    impossible = literal("the event time cannot be read, or lies outside the years 1900 to 2199")
    sequence = literal(f"{', '.join(source.sequence)}: not a whole number")
    values = f"concat(array_join({VALUES_FAILED}, ', '), {literal(': not of the declared type')})"
    return [
        *unkeyed,
        _when(f"{UNREADABLE} IS NOT NULL", Reason.UNREADABLE, UNREADABLE),
        _truncated(source),
        _when(KEY_FAILED, Reason.KEY_CAST, literal(f"{keys}: not of the declared type")),
        _when(KEY_NULL, Reason.KEY_MISSING, literal(f"{keys}: missing or null")),
        _when("op IS NULL", Reason.OP_UNKNOWN, literal(f"{op}: no known operation")),
        _when(f"source_event_ts IS NULL AND NOT {TIME_STATED}", Reason.TIME_MISSING, literal("no event time")),
        _when("source_event_ts IS NULL", Reason.TIME_IMPOSSIBLE, impossible),
        _when(SEQUENCE_FAILED, Reason.SEQUENCE_CAST, sequence),
        _when(f"size({VALUES_FAILED}) > 0", Reason.VALUE_CAST, values),
    ]


def _truncated(source: Source) -> str:
    """A truncate names no key: it waits, or counts as a load without a row (R17)."""
    found = f"{SPECIAL} = '{TRUNCATE}' AND source_event_ts IS NOT NULL"
    if source.truncate is Truncate.APPLY:
        return _when(found, TRUNCATED, literal("every key known before it is gone"))
    said = literal("a truncate deletes every key known before it; 'truncate: apply' lets it count")
    return _when(found, Reason.TRUNCATE, said)


def _policies(entity: Entity, source: Source) -> list[Column]:
    """What the configuration asks to set aside; a person may release it."""
    found = []
    if source.undeclared is Undeclared.QUARANTINE:
        found.append(_refusal(F.size(UNDECLARED) > 0, Reason.UNDECLARED, "nobody declared ", F.array_join(UNDECLARED, ", ")))
    limit = entity.history.max_lateness
    if limit is not None and source.event_time is not None:
        late = F.col("ingest_ts") > F.col("source_event_ts") + F.lit(limit)
        found.append(_refusal(late, Reason.TOO_LATE, f"received more than {limit} after its event time"))
    checks = [c for c in row_checks(entity) if c.on_fail is OnFail.QUARANTINE]
    aside = failed_labels(checks, entity=entity)
    return [*found, *([_refusal(F.size(aside) > 0, Reason.CHECK, F.array_join(aside, "; "))] if checks else [])]
