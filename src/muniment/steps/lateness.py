"""What comes late, where the entity does not want it to be repaired quietly (R9). Judged under the lake's lock, against what is in the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.canon.hashes import quoted
from muniment.gate.reasons import Reason
from muniment.gate.times import utc_text
from muniment.gate.verdict import DETAIL, REASON
from muniment.lake.tables import Lake
from muniment.model.entity import Late
from muniment.model.tables import load_name, log_name
from muniment.steps.errors import LateRefused
from muniment.steps.request import Request

_NEWEST, _KNOWN = "__newest", "__known"
_EXAMPLES = 3


def set_late_aside(judged: DataFrame, lake: Lake, request: Request) -> DataFrame:
    """With `late: quarantine`, rows at or before the newest of their key and source wait for a person."""
    if request.entity.history.late is not Late.QUARANTINE or not _has_log(lake, request):
        return judged
    met = _against_log(judged, lake, request)
    detail = F.concat(F.lit("not later than "), utc_text(F.col(_NEWEST)), F.lit(", which is held already"))
    told = {
        REASON: F.when(_is_late(), Reason.TOO_LATE.value).otherwise(quoted(REASON)),
        DETAIL: F.when(_is_late(), detail).otherwise(quoted(DETAIL)),
    }
    return met.withColumns(told).drop(_NEWEST, _KNOWN)


def refuse_late(judged: DataFrame | None, lake: Lake, request: Request, *, headers: Sequence[Mapping[str, Any]], since: int | None) -> None:
    """With `late: forward_only`, one late row or load refuses the whole call, with examples; exact repeats pass. No row is before `since`."""
    if request.entity.history.late is not Late.FORWARD_ONLY or not _has_log(lake, request):
        return
    examples = [*_late_loads(lake, request, headers), *(_late_rows(judged, lake, request, since=since) if judged is not None else ())]
    if examples:
        raise LateRefused(entity=request.entity.name, source=request.source.name, examples="; ".join(examples[:_EXAMPLES]))


def _late_rows(judged: DataFrame, lake: Lake, request: Request, *, since: int | None) -> list[str]:
    """What is later than all that its source ever said cannot be late for its key: mostly that is everything, and no key is looked up."""
    newest = _mine(lake, request).agg(F.max(F.unix_micros("source_event_ts"))).collect()[0][0]
    if newest is None or since is None or since > newest:
        return []
    early = judged.where(F.unix_micros("source_event_ts") <= F.lit(newest))
    late = _against_log(early, lake, request).where(_is_late())
    keys = F.to_json(F.struct(*(quoted(part.name) for part in request.entity.key)))
    told = late.select(
        F.concat(keys, F.lit(" says "), utc_text(F.col("source_event_ts")), F.lit(", but "), utc_text(F.col(_NEWEST)), F.lit(" is held"))
    )
    return [str(row[0]) for row in told.limit(_EXAMPLES).collect()]


def _late_loads(lake: Lake, request: Request, headers: Sequence[Mapping[str, Any]]) -> list[str]:
    table = lake.table(load_name(request.entity))
    if not headers or not table.exists():
        return []
    mine = table.read().where(F.col("source_system") == request.source.name)
    rows = (
        mine.select(F.explode(F.map_keys("carried")).alias("scope"), "load_ts")
        .groupBy("scope")
        .agg(F.max(F.unix_micros("load_ts")).alias("at"))
    )
    newest = {row["scope"]: row["at"] for row in rows.collect()}
    late = [
        (header["load_ts"], newest[scope])
        for header in headers
        for scope in header["carried"]
        if header["load_ts"] <= newest.get(scope, -(2**62))
    ]
    return [f"a load for {clock.from_micros(said)}, but one for {clock.from_micros(held)} is held" for said, held in late]


def _against_log(judged: DataFrame, lake: Lake, request: Request) -> DataFrame:
    mine = _mine(lake, request).join(judged.select("sk").distinct(), "sk", "left_semi")
    newest = mine.groupBy("sk").agg(F.max("source_event_ts").alias(_NEWEST))
    known = mine.select("assertion_id").distinct().withColumn(_KNOWN, F.lit(True))
    return judged.join(newest, "sk", "left").join(known, "assertion_id", "left")


def _mine(lake: Lake, request: Request) -> DataFrame:
    return lake.table(log_name(request.entity)).read().where(F.col("source_system") == request.source.name)


def _is_late() -> Column:
    late = F.coalesce(F.col("source_event_ts") <= F.col(_NEWEST), F.lit(False))
    return quoted(REASON).isNull() & late & F.col(_KNOWN).isNull()


def _has_log(lake: Lake, request: Request) -> bool:
    return lake.table(log_name(request.entity)).exists()
