"""The header of each load of a complete set: written after its rows, so that a load without one says nothing of absence (R17)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import LOAD
from muniment.evidence.loads import HELD, verdicts
from muniment.evidence.statements import absent_sources
from muniment.lake.tables import Lake
from muniment.ledger.digest import digest_of
from muniment.ledger.runs import plain
from muniment.model.entity import Entity
from muniment.model.source import Source
from muniment.model.tables import load_name
from muniment.steps.intake import Intake
from muniment.steps.request import Request
from muniment.steps.tally import Tally, Truncation

_SCHEMA = ", ".join(f"`{col.name}` {col.type}" for col in LOAD)


def headers_of(request: Request, intake: Intake, tally: Tally, *, run_id: str) -> list[dict[str, Any]]:
    """One header for each load that came, empty ones included, in plain values."""
    stamp = {"ingest_run_id": run_id, "ingest_ts": plain(request.received_at)}
    heard = {file.unit: {"ingest_ts": plain(file.heard)} for file in intake.files if file.heard is not None}
    if not request.source.is_complete_set:
        return truncates_of(request.source, tally, stamp)
    files: dict[str, list[str]] = {}
    for file in intake.files:
        files.setdefault(file.unit, []).append(file.place)
    refused = {file.unit for file in intake.refused}
    units = sorted({*files, *tally.rows, *tally.set_aside, *refused} or {""})
    made = ((unit, _header(request, intake, tally, unit=unit, files=files.get(unit, []))) for unit in units)
    return [{**header, **stamp, **heard.get(unit, {})} for unit, header in made if header]


def truncates_of(source: Source, tally: Tally, stamp: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One header for each truncate that counts."""
    return [{**_truncate(source, each), **stamp} for each in tally.truncates]


def write_headers(lake: Lake, entity: Entity, headers: Sequence[Mapping[str, Any]], *, run_id: str) -> int | None:
    """Append the headers of a run."""
    if not headers:
        return None
    rows = [tuple(_cell(col.name, col.type, header) for col in LOAD) for header in headers]
    return (
        lake.table(load_name(entity))
        .append(lake.spark.createDataFrame(rows, _SCHEMA), txn=lake.once(f"run:{run_id}"), metadata={"run": run_id})
        .version
    )


def holds(lake: Lake, entity: Entity, headers: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the absence of one of these loads waits for a person's decision (R17)."""
    mine = [header["load_id"] for header in headers if header["source_system"] in absent_sources(entity)]
    if not mine or any(not header["complete"] for header in headers):
        return bool(mine)
    nobody = lake.spark.createDataFrame([], "load_id string")
    judged = verdicts(lake.table(load_name(entity)).read(), nobody, entity=entity)
    return not judged.where(F.col("load_id").isin(mine) & (F.col("verdict") == HELD)).isEmpty()


def given_scope(source: Source, scope: Mapping[str, object] | None) -> str | None:
    """The scope given with a call as the text that rows have."""
    return None if scope is None else json.dumps([str(scope[name]) for name in source.scope], separators=(",", ":"), ensure_ascii=False)


def _header(request: Request, intake: Intake, tally: Tally, *, unit: str, files: Sequence[str]) -> dict[str, Any] | None:
    named = next((file.instant for file in intake.files if file.unit == unit and file.instant), None)
    instant = tally.instants.get(unit) or named or request.as_of or (request.received_at if request.source.event_time is None else None)
    if instant is None:  # no moment to speak for: its rows are in quarantine
        return None
    carried = dict(tally.carried.get(unit, {}))
    given = given_scope(request.source, request.scope) or next((file.scope for file in intake.files if file.unit == unit), None)
    for scope in [given] if given else [] if request.source.scope else ["[]"]:
        carried.setdefault(scope, 0)
    why = _not_complete(request, intake, tally, unit=unit)
    return {
        "load_id": digest_of([request.source.name, str(plain(instant)), *sorted(carried)]),
        "source_system": request.source.name,
        "load_ts": plain(instant),
        "carried": carried,
        "rows": tally.rows.get(unit, 0),
        "files": list(files),
        "complete": why is None,
        "note": why,
    }


def _truncate(source: Source, made: Truncation) -> dict[str, Any]:
    """A truncate is a complete load without a row, and has a place among the rows of its instant (R6, R17)."""
    place = None if made.sequence is None else list(made.sequence)
    named = [source.name, str(plain(made.instant)), "[]", *map(str, place or ())]
    said = {"source_system": source.name, "load_ts": plain(made.instant), "carried": {"[]": 0}, "rows": 0, "files": [], "complete": True}
    return {"load_id": digest_of(named), **said, "note": "truncate", "load_sequence": place}


def _not_complete(request: Request, intake: Intake, tally: Tally, *, unit: str) -> str | None:
    """Why the absence of a key in this load says nothing; a row set aside may be the very one that is missed."""
    if request.complete is not None:
        return None if request.complete else "declared incomplete by the caller"
    if any(file.unit == unit for file in intake.refused):
        return "one of its files could not be read"
    doubt = next((file.doubt for file in intake.files if file.unit == unit and file.doubt), None)
    if doubt is not None:
        return doubt
    aside = tally.set_aside.get(unit, 0)
    return f"{aside} of its rows were set aside" if aside else None


def _cell(name: str, kind: str, header: Mapping[str, Any]) -> Any:
    value = header.get(name)
    if name == "load_sequence" and value is not None:
        return [None if part is None else Decimal(part) for part in value]
    return clock.from_micros(value) if kind == "timestamp" else value
