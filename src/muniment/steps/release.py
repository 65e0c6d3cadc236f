"""Release: a person lets rows out of quarantine. They pass the gate again and land once, known from now on (R29)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.arrival.captured import dated
from muniment.arrival.debezium import events
from muniment.arrival.place import objects
from muniment.captures.modes import OWN_DATES, source_of
from muniment.captures.pages import Mode
from muniment.decisions.records import TABLE as DECISIONS
from muniment.decisions.records import Decision, decide
from muniment.gate.examine import Receipt, examine
from muniment.gate.fields import Fields
from muniment.gate.reasons import TRUNCATED, Reason
from muniment.gate.rows import FILE, INSTANT, PATH, RECEIPT, SPECIAL, TEXT, UNIT, UNREADABLE, Rows
from muniment.gate.verdict import REASON, judge
from muniment.lake.tables import Lake
from muniment.ledger.chain import linked
from muniment.ledger.runs import plain
from muniment.model.entity import Entity
from muniment.model.source import Format, Source
from muniment.model.tables import log_name
from muniment.steps.errors import NothingToDecide
from muniment.steps.finish import finish, owing, recover
from muniment.steps.headers import truncates_of
from muniment.steps.logrows import log_rows, sealed
from muniment.steps.quarantine import TABLE
from muniment.steps.results import Released
from muniment.steps.stores import ensure_stores
from muniment.steps.tally import Tally, count

_one_at_a_time = threading.Lock()  # two threads must not release one row both
_TABULAR = frozenset({"csv", "parquet", "delta", "frame"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who decides, and why."""

    by: str
    reason: str


def release(lake: Lake, entities: Mapping[str, Entity], ids: Sequence[str], *, verdict: Verdict) -> Released:
    """Land the rows of these ids, as far as nothing but a policy kept them out."""
    with _one_at_a_time, lake.lock("release"):
        named = {row["entity"] for row in _waiting(lake, ids, decided=True)}
        _refuse_without_log(named - entities.keys())
        for entity in named:
            ensure_stores(lake, entities[entity])
            recover(lake, entities[entity])
        waiting = _waiting(lake, ids)
        results = [
            _release(lake, entities[name], list(group), verdict=verdict)
            for name, group in groupby(sorted(waiting, key=_order), key=lambda row: row["entity"])
        ]
    return replace(_total(results), repeated=len(set(ids)) - len(waiting))


def _refuse_without_log(names: set[str]) -> None:
    """Of a load only the result is kept: an old row could take the place of a newer one."""
    if names:
        advice = "Mend the source and load its next slice, or reject the rows."
        problem = "it is no entity and keeps no log, so its rows cannot be released"
        raise NothingToDecide(entity=", ".join(sorted(names)), problem=problem, advice=advice)


def decide_rows(lake: Lake, kind: str, ids: Sequence[str], *, verdict: Verdict) -> int:
    """Record a decision about rows that wait, without landing them."""
    with _one_at_a_time, lake.lock(kind):
        waiting = _waiting(lake, ids)
        run_id = clock.new_id()
        decide(lake, [_decision(kind, row, verdict) for row in waiting], run_id=run_id)
    return len(waiting)


def with_status(lake: Lake) -> DataFrame:
    """The quarantine with what became of each row."""
    last = F.max_by("kind", "made_at").alias("kind")
    decided = (
        lake.table(DECISIONS)
        .read()
        .where(F.col("kind").isin("release", "reject"))
        .groupBy(F.col("target").alias("quarantine_id"))
        .agg(last)
    )
    said = F.when(F.col("kind") == "release", "released").when(F.col("kind") == "reject", "rejected").otherwise("waiting")
    return lake.table(TABLE).read().join(decided, "quarantine_id", "left").withColumn("status", said).drop("kind")


def _waiting(lake: Lake, ids: Sequence[str], *, decided: bool = False) -> list[Row]:
    rows = with_status(lake).where(F.col("quarantine_id").isin(list(ids)))
    found = rows.select("quarantine_id", "entity", "source_system", "source_type", "reason", "status").collect()
    unknown = sorted(set(ids) - {row["quarantine_id"] for row in found})
    if unknown:
        advice = "'muniment quarantine ENTITY' lists what waits."
        raise NothingToDecide(entity="quarantine", problem=f"there is no row {', '.join(unknown[:3])}", advice=advice)
    return [row for row in found if decided or row["status"] == "waiting"]


def _release(lake: Lake, entity: Entity, rows: Sequence[Row], *, verdict: Verdict) -> Released:
    readable = [row for row in rows if row["reason"] != Reason.FILE_UNREADABLE]
    results = [
        _land(lake, entity, list(group), verdict=verdict)
        for _, group in groupby(readable, key=lambda row: (row["source_system"], row["source_type"]))
    ]
    files = Released("", refused=len(rows) - len(readable), messages=("a file cannot be released: land the mended file",))
    return _total([*results, files] if len(rows) > len(readable) else results)


def _land(lake: Lake, entity: Entity, rows: Sequence[Row], *, verdict: Verdict) -> Released:
    source = _speaking(entity.source(rows[0]["source_system"]), kind=rows[0]["source_type"])
    receipt = Receipt(clock.new_id(), clock.now())
    ids = [row["quarantine_id"] for row in rows]
    raw = _raw(lake, F.col("quarantine_id").isin(ids), kind=rows[0]["source_type"], fields=Fields(entity, source))
    judged = judge(examine(raw, entity=entity, source=source, receipt=receipt), entity=entity, source=source, waive=True)
    ready = sealed(judged, Fields(entity, source), nonce=clock.nonce()).persist()
    try:
        counts = F.col(REASON).isNull() | (F.col(REASON) == TRUNCATED)  # which may count by now
        good = {row[UNIT] for row in ready.where(counts).select(UNIT).collect()}
        decisions = [asdict(_decision("release", row, verdict)) for row in rows if row["quarantine_id"] in good]
        facts = _facts(count(ready, source=source), source=source, receipt=receipt, decisions=decisions)
        if good:
            _commit(lake, entity, ready, facts=facts)
    finally:
        ready.unpersist()
    stay = len(rows) - len(good)
    said = (f"{stay} rows still cannot be read as {entity.name}: mend the configuration or the data first",) if stay else ()
    return Released(receipt.run_id, released=len(good), refused=stay, messages=said)


def _commit(lake: Lake, entity: Entity, ready: DataFrame, *, facts: Mapping[str, Any]) -> None:
    with owing(facts["run"]):
        version = None
        if facts["counts"]["landed"] > facts["counts"].get("truncated", 0):
            log = lake.table(log_name(entity))
            facts = linked(facts, log)
            version = log.append(log_rows(ready, entity), txn=lake.once(f"run:{facts['run']}"), metadata=facts).version
        faults.point("release:after-log")
        finish(lake, entity, facts, version=version)


def _raw(lake: Lake, condition: Column, *, kind: str, fields: Fields) -> Rows:
    frame = lake.table(TABLE).read().where(condition)
    named = frame.select(
        F.col("raw").alias(TEXT), F.col("source_path").alias(PATH), F.col("source_file").alias(FILE), F.col("quarantine_id").alias(UNIT),
        F.col("as_of").alias(INSTANT), F.lit(None).cast("string").alias(UNREADABLE), F.col("ingest_ts").alias(RECEIPT),
        F.lit(None).cast("string").alias(SPECIAL),
    )  # fmt: skip
    if kind == Format.DEBEZIUM:
        return events(named, fields=fields)
    return dated(replace(objects(named, kind), from_table=kind in _TABULAR), fields=fields)


def _speaking(source: Source, *, kind: str) -> Source:
    """The source as its row had it: one of a capture with dates of its own begins and ends by them."""
    return source_of(source, Mode(kind)) if kind in OWN_DATES else source


def _facts(tally: Tally, *, source: Source, receipt: Receipt, decisions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    headers = truncates_of(source, tally, {"ingest_run_id": receipt.run_id, "ingest_ts": plain(receipt.received_at)})
    landed = tally.landed + tally.truncated
    counts = {"released": landed, "landed": landed, **({"truncated": tally.truncated} if tally.truncated else {})}
    return {
        "run": receipt.run_id, "step": "release", "source": source.name, "received_at": plain(receipt.received_at), "as_of": None, "batch_id": None,
        "content": tally.content, "counts": counts, "reasons": {}, "files": [], "headers": headers,
        "digest": tally.digest, "messages": [], "decisions": list(decisions), "started_at": plain(receipt.received_at),
    }  # fmt: skip


def _decision(kind: str, row: Row, verdict: Verdict) -> Decision:
    return Decision(clock.new_id(), kind, row["entity"], row["quarantine_id"], verdict.by, verdict.reason, clock.micros(clock.now()) or 0)


def _order(row: Row) -> tuple[str, str, str]:
    return row["entity"], row["source_system"], row["source_type"]


def _total(results: Sequence[Released]) -> Released:
    return Released(
        run_id=next((r.run_id for r in results if r.run_id), ""),
        released=sum(r.released for r in results),
        refused=sum(r.refused for r in results),
        messages=tuple(message for r in results for message in r.messages),
    )
