"""Land: take what arrived into the log, through the gate. Only appends; a second call with the same input adds nothing (R30)."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from threading import Lock
from typing import Any

from pyspark.sql import DataFrame

from muniment import clock, faults
from muniment.gate.around import look_around, refers_to
from muniment.gate.examine import Receipt, examine
from muniment.gate.fields import Fields
from muniment.gate.reasons import Reason
from muniment.gate.rows import Rows
from muniment.gate.verdict import judge
from muniment.lake.failed import FAILED
from muniment.lake.tables import Lake
from muniment.lake.trouble import summary
from muniment.ledger import known
from muniment.ledger.chain import linked
from muniment.ledger.runs import plain
from muniment.model.source import Absence, GivenTime, Source, Undeclared
from muniment.model.tables import log_name
from muniment.steps.contracts import record_contract
from muniment.steps.errors import AsOfMissing, CheckStopped, FilesUnreadable
from muniment.steps.finish import finish, owing, recover
from muniment.steps.headers import headers_of, holds
from muniment.steps.holding import hold_run, tell_held, words
from muniment.steps.intake import Intake, take_in, without_broken
from muniment.steps.lateness import refuse_late, set_late_aside
from muniment.steps.logrows import log_rows, sealed
from muniment.steps.quarantine import set_aside, set_aside_files
from muniment.steps.request import Request
from muniment.steps.results import Landed
from muniment.steps.stores import ensure_stores
from muniment.steps.tally import Tally, count

_turns: defaultdict[str, Lock] = defaultdict(Lock)  # threads share the lake's lock; of two that bring one file, one must see the other's


def land(lake: Lake, request: Request) -> Landed:
    """Take one delivery into the log."""
    if isinstance(request.source.event_time, GivenTime) and request.as_of is None:
        raise AsOfMissing(entity=request.entity.name, source=request.source.name)
    with _turns[f"{lake.table(log_name(request.entity)).identifier} {request.source.name}"], lake.lock(request.name):
        if request.dry_run:
            return _land(lake, request)
        ensure_stores(lake, request.entity)
        recover(lake, request.entity)
        record_contract(lake, request.entity, request.entity.source(request.source.name))
        return _land(lake, request)


def _land(lake: Lake, request: Request) -> Landed:
    started, run_id = clock.now(), clock.new_id()
    intake = take_in(lake, request)
    if intake.is_nothing and not _is_empty_load(request, intake):
        return _landed(request, run_id, intake=intake, tally=_EMPTY)
    intake, judged, tally = _judged(lake, request, intake=intake, run_id=run_id)
    try:
        if tally.stops:
            raise CheckStopped(
                entity=request.entity.name, source=request.source.name, rows=sum(tally.stops.values()), checks=", ".join(tally.stops)
            )
        if request.sift and tally.is_nothing:
            return _landed(request, run_id, intake=intake, tally=tally)
        repeat = _known_load(lake, request, tally)
        if repeat:
            said = (f"this load was landed before by run {repeat}; nothing was added",)
            return _landed(request, run_id, intake=replace(intake, skipped=1, messages=said), tally=_EMPTY)
        headers = headers_of(request, intake, tally, run_id=run_id)
        refuse_late(judged, lake, request, headers=headers, since=tally.earliest)
        if not request.dry_run:
            facts = _facts(request, intake, tally, headers=headers, run_id=run_id)
            _commit(lake, request, facts={**facts, "started_at": plain(started)}, judged=judged, intake=intake)
            tell_held(request, run_id, tally.marks)
        held = not request.dry_run and holds(lake, request.entity, headers)
        return _landed(request, run_id, intake=intake, tally=tally, held=held)
    finally:
        if judged is not None:
            judged.unpersist()


def _judged(lake: Lake, request: Request, *, intake: Intake, run_id: str) -> tuple[Intake, DataFrame | None, Tally]:
    """Judge and count; if a file breaks while it is read through, it is refused as a whole and the others go on (R19)."""
    try:
        return intake, *_count(lake, request, intake.rows, run_id=run_id)
    except FAILED as error:
        mended = without_broken(lake.spark, intake, request) if intake.files else intake
        if len(mended.refused) == len(intake.refused):
            raise FilesUnreadable(entity=request.entity.name, source=request.source.name, problem=summary(error)[:300]) from error
    return mended, *_count(lake, request, mended.rows, run_id=run_id)


def _count(lake: Lake, request: Request, groups: Sequence[Rows], *, run_id: str) -> tuple[DataFrame | None, Tally]:
    if not groups:
        return None, _EMPTY
    receipt, fields = Receipt(run_id, request.received_at), Fields(request.entity, request.source)
    timely = set_late_aside(reduce(DataFrame.unionByName, (_gated(lake, request, rows, receipt=receipt) for rows in groups)), lake, request)
    judged = sealed(timely, fields, nonce=clock.nonce()).persist()
    try:
        if request.sift and not (request.is_news and request.is_news(judged)):
            judged.unpersist()
            judged = sealed(request.sift(timely, receipt), fields, nonce=clock.nonce()).persist()
        return judged, count(judged, source=request.source)
    except FAILED:
        judged.unpersist()
        raise


def _gated(lake: Lake, request: Request, rows: Rows, *, receipt: Receipt) -> DataFrame:
    entity = request.entity
    examined = examine(rows, entity=entity, source=request.source, receipt=receipt)
    seen = look_around(examined, {name: lake.table(name).read() for name in refers_to(entity)}, entity=entity)
    return judge(seen, entity=entity, source=request.source)


def _commit(lake: Lake, request: Request, *, facts: Mapping[str, Any], judged: DataFrame | None, intake: Intake) -> None:
    faults.point("land:start")
    if judged is not None and facts["counts"]["quarantined"]:
        set_aside(lake, judged, request=request, intake=intake)
    set_aside_files(lake, request, intake=intake, run_id=facts["run"])
    faults.point("land:after-quarantine")
    hold_run(lake, request.entity, facts["run"], facts["marks"])
    with owing(facts["run"]):
        version = None
        if judged is not None and facts["counts"]["landed"] > facts["counts"].get("truncated", 0):
            log = lake.table(log_name(request.entity))
            facts = linked(facts, log)
            version = log.append(log_rows(judged, request.entity), txn=lake.once(f"run:{facts['run']}"), metadata=facts).version
        faults.point("land:after-log")
        finish(lake, request.entity, facts, version=version, to=request.record)


def _facts(request: Request, intake: Intake, tally: Tally, *, headers: Sequence[Mapping[str, Any]], run_id: str) -> dict[str, Any]:
    """All that a run has to say: it stands in the log's commit, so that a crash after it loses nothing."""
    files = [*intake.files, *intake.refused]
    return {
        "run": run_id,
        "step": "land",
        "source": request.source.name,
        "received_at": plain(request.received_at),
        "as_of": plain(request.as_of),
        "batch_id": request.batch_id,
        "content": tally.content,
        "counts": _counts(intake, tally),
        "reasons": _reasons(intake, tally),
        "files": [[file.place, file.size, file.sha256] for file in files],
        "headers": list(headers),
        "digest": tally.digest,
        "messages": list(_messages(request, intake, tally)),
        "marks": dict(tally.marks),
    }


def _counts(intake: Intake, tally: Tally) -> dict[str, int]:
    quarantined = tally.quarantined + len(intake.refused)
    return {
        "received": tally.landed + tally.truncated + quarantined + tally.ignored,
        "landed": tally.landed + tally.truncated,  # a truncate that counts is kept with the load headers
        "quarantined": quarantined,
        "ignored": tally.ignored,
        "skipped": intake.skipped,
        **({"truncated": tally.truncated} if tally.truncated else {}),
    }


def _reasons(intake: Intake, tally: Tally) -> dict[str, int]:
    refused = {Reason.FILE_UNREADABLE.value: len(intake.refused)} if intake.refused else {}
    return {**tally.reasons, **refused}


def _messages(request: Request, intake: Intake, tally: Tally) -> tuple[str, ...]:
    refused = (f"{file.place} could not be read and was refused as a whole: {why}" for file, why in intake.refused.items())
    failed = (f"{number} rows fail the check {label}" for label, number in tally.warnings.items())
    left_out = (f"{tally.ignored:,} rows were left out as 'exclude' declares",) if request.source.exclude and tally.ignored else ()
    return (
        *intake.messages,
        *refused,
        *failed,
        *words(tally.marks),
        *left_out,
        *_undeclared(request.source, tally),
        *_missing(request, intake),
        *_silent(request, tally),
    )


def _undeclared(source: Source, tally: Tally) -> tuple[str, ...]:
    if not tally.undeclared or source.undeclared is Undeclared.QUARANTINE:
        return ()
    fate = "kept in payload" if source.undeclared is Undeclared.KEEP else "ignored"
    lines = (f"    {_as_yaml(name)}: string" for name in tally.undeclared)  # which takes every value
    return (f"nobody declared {', '.join(tally.undeclared)}: {fate}; to use them add to the entity's file:", "  attributes:", *lines)


def _as_yaml(name: str) -> str:
    """A name as it may stand in YAML."""
    return (
        name
        if re.fullmatch(r"[A-Za-z_]\w+", name) and name.lower() not in {"yes", "no", "on", "off", "true", "false", "null"}
        else json.dumps(name)
    )


def _missing(request: Request, intake: Intake) -> tuple[str, ...]:
    """Columns that `carries` promises and a file lacks (R14)."""
    promised = request.source.carries or ()
    fields = Fields(request.entity, request.source)
    lacking = sorted({name for rows in intake.rows if rows.columns for name in promised if not rows.may_have(fields.names(name))})
    return (f"'carries' promises {', '.join(lacking)}, which is not in the data",) if lacking else ()


def _silent(request: Request, tally: Tally) -> tuple[str, ...]:
    """A load that lost rows at the gate may miss a key for that reason alone (R17)."""
    if not request.source.is_complete_set or request.source.absence is not Absence.DELETES or not tally.set_aside or request.complete:
        return ()
    return (f"{len(tally.set_aside)} load(s) had rows set aside: what they lack counts as nothing said",)


def _known_load(lake: Lake, request: Request, tally: Tally) -> str | None:
    """A complete set given with a call, for an instant: known by what it says (R30)."""
    given = request.source.is_complete_set and request.as_of is not None and not isinstance(request.data, str) and request.data is not None
    if not given or not lake.table("ops.run").exists():
        return None
    return known.load(lake, request.entity.name, request.source.name, instant=request.as_of, content=tally.content)  # type: ignore[arg-type]


def _is_empty_load(request: Request, intake: Intake) -> bool:
    """A complete set without a row is still a load that was seen (R17)."""
    return request.source.is_complete_set and request.data is not None and not intake.skipped


def _landed(request: Request, run_id: str, *, intake: Intake, tally: Tally, held: bool = False) -> Landed:
    counts = _counts(intake, tally)
    return Landed(
        run_id=run_id,
        entity=request.entity.name,
        source=request.source.name,
        held=held,
        reasons=_reasons(intake, tally),
        messages=_messages(request, intake, tally),
        dry_run=request.dry_run,
        marked=tuple(tally.marks),
        **{name: number for name, number in counts.items() if name != "truncated"},
    )


_EMPTY = Tally(landed=0, reasons={}, digest="", content="", set_aside={}, rows={}, instants={})
