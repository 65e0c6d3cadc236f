"""Why: the winner, the losers, the rule, and the file and run of each, for one key, attribute and time (R23)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from muniment import clock
from muniment.belief.explanation import Explanation, Said, SetByHand
from muniment.belief.questions import Question, decides_deletion
from muniment.belief.resolution import OVERRIDE
from muniment.belief.why import decision, question_of, statements
from muniment.decisions.overrides import override_row
from muniment.evidence.slots import Slot, slots_of
from muniment.lake.tables import Lake
from muniment.model.belief import RuleName
from muniment.model.entity import Entity
from muniment.model.names import find
from muniment.model.tables import log_name
from muniment.steps.believe import evidence_asked
from muniment.steps.errors import NothingKnown
from muniment.steps.evidence import Evidence
from muniment.steps.kept import keeping
from muniment.steps.marking import left_out
from muniment.steps.overrides import override_version, overrides_at
from muniment.steps.resolve import refuse_facts
from muniment.steps.timeline import Asked, Key, key_of

_LOST = {
    RuleName.PRECEDENCE: "it is weaker than {winner}",
    RuleName.MOST_RECENT: "it is older",
    RuleName.MOST_COMPLETE: "it has fewer values, or is older",
    RuleName.LONGEST: "it is shorter, or older",
    RuleName.MOST_FREQUENT: "fewer say so, or it is older",
}


@dataclass(frozen=True, slots=True)
class _Case:
    """One explanation in the making."""

    entity: Entity
    slot: Slot
    question: Question | None
    blank: Explanation
    sk: str


def why(lake: Lake, asked: Asked, attribute: str) -> Explanation:
    """The explanation of what is believed of one attribute."""
    refuse_facts(asked.entity)
    key = asked.key if asked.key is not None else ""
    slot = find("attribute", attribute, {slot.name: slot for slot in slots_of(asked.entity)})
    sk = key_of(lake, asked.entity, key)
    if not lake.table(log_name(asked.entity)).exists():
        raise NothingKnown(entity=asked.entity.name, key=key)
    evidence, version = evidence_asked(lake, asked, sk)
    sensitive = slot.attribute is not None and slot.attribute.sensitive
    blank = Explanation(asked.entity.name, key_text(key), attribute, asked.as_of, asked.known_at, rule_version=version, sensitive=sensitive)
    case = _Case(evidence.entity, slot, question_of(slot, entity=evidence.entity), blank, sk)
    return _with_marks(lake, _explained(lake, case, evidence), evidence, sk)


def _with_marks(lake: Lake, told: Explanation, evidence: Evidence, sk: str) -> Explanation:
    """What runs say of the key that somebody marked stands beside the answer, with who and why."""
    if not evidence.at.excluded:
        return told
    mine = (F.col("sk") == sk) & F.col("ingest_run_id").isin(evidence.at.excluded)
    runs = lake.table(log_name(evidence.entity)).read(evidence.at.log).where(mine).select("ingest_run_id").distinct().collect()
    notes = left_out(lake, evidence.entity, {str(row["ingest_run_id"]) for row in runs}, told.known_at)
    return replace(told, note="; ".join([told.note, *notes] if told.note else notes)) if notes else told


def key_text(key: Key) -> str:
    """A key as people read it."""
    return str(key) if isinstance(key, str | int) else ", ".join(f"{name} {value}" for name, value in key.items())


def _explained(lake: Lake, case: _Case, evidence: Evidence) -> Explanation:
    asked = case.blank
    with keeping() as kept:
        rows = kept.now(evidence.assertions(few=True))
        overrides = overrides_at(lake, case.entity, override_version(lake), known_at=asked.known_at)
        found = decision(rows, overrides, entity=case.entity, slot=case.slot, until=asked.as_of).first()
        if found is None:
            return _nothing_yet(lake, case, evidence, rows)
        said = statements(rows, entity=case.entity, slot=case.slot, until=asked.as_of).collect()
    return _told(lake, case, found, said)


def _nothing_yet(lake: Lake, case: _Case, evidence: Evidence, rows: DataFrame) -> Explanation:
    """A time before the first evidence, or before it was heard; a key of which nothing was ever said is a mistake."""
    known = rows.agg(F.min(F.unix_micros("source_event_ts")).alias("first")).first()
    first = clock.from_micros(known["first"]) if known else None
    if first is not None:
        return replace(case.blank, note=f"nothing is believed of it then; the first that is known of it is of {first.isoformat()}")
    log = lake.table(log_name(case.entity)).read(evidence.at.log).where(F.col("sk") == case.sk)
    ever = log.agg(F.min(F.unix_micros("ingest_ts")).alias("first")).first()
    heard = clock.from_micros(ever["first"]) if ever else None
    if heard is None:
        raise NothingKnown(entity=case.entity.name, key=case.blank.key)
    if case.blank.known_at is None or heard <= case.blank.known_at:
        return replace(case.blank, note="nothing that counts was ever said of it")
    return replace(case.blank, note=f"nothing had been heard of it by then; the first was heard at {heard.isoformat()}")


def _told(lake: Lake, case: _Case, found: Row, said: Sequence[Row]) -> Explanation:
    by_hand = found["rule"] == OVERRIDE
    winner = next((row for row in said if row["assertion_id"] == found["assertion_id"] and row["source_system"] == found["source"]), None)
    losers = tuple(_said(row, _note(case, row, found)) for row in said if row is not winner)
    return replace(
        case.blank,
        value=bool(found["value"]) if case.question is None else found["value"],
        source=found["source"],
        rule=found["rule"] or (case.question.rule.rule.value if case.question else None),
        assertion_id=found["assertion_id"],
        event_ts=clock.from_micros(found["event_ts"]),
        received_at=clock.from_micros(winner["received"]) if winner else None,
        run_id=winner["ingest_run_id"] if winner else None,
        file=winner["file"] if winner else None,
        contested=bool(found["contested"]),
        is_deleted=bool(found["is_deleted"]),
        losers=losers,
        deletions=tuple(_deletion(case, row) for row in found["gone"] if row is not None),
        override=_by_hand(lake, found["assertion_id"]) if by_hand else None,
        note="" if found["source"] is not None else "no source has said anything that competes",
    )


def _said(row: Row, note: str) -> Said:
    return Said(
        row["source_system"],
        row["value"],
        clock.from_micros(row["event_ts"]),
        clock.from_micros(row["received"]),
        row["assertion_id"],
        row["ingest_run_id"],
        row["file"],
        note,
    )


def _note(case: _Case, row: Row, found: Row) -> str:
    """Why a source's statement is not what is believed."""
    if case.question is None:
        has_say = decides_deletion(row["source_system"], entity=case.entity)
        return ("set by hand" if found["rule"] == OVERRIDE else "it is older") if has_say else "it has no say in deletion"
    rule = case.question.rule
    if rule.sources and row["source_system"] not in rule.sources:
        return "it has no say in this"
    if row["value"] is None and not case.question.nulls_compete:
        return "it says nothing, and that does not compete"
    return "it was set by hand" if found["rule"] == OVERRIDE else _LOST[rule.rule].format(winner=found["source"])


def _deletion(case: _Case, row: Row) -> Said:
    note = "has a say in deletion" if decides_deletion(row["source"], entity=case.entity) else "has no say in deletion"
    return Said(row["source"], row["value"], clock.from_micros(row["event_ts"]), None, row["assertion_id"], None, None, note)


def _by_hand(lake: Lake, override_id: str) -> SetByHand | None:
    row = override_row(lake, override_id)
    if row is None:
        return None
    made, start, end = (row[name] for name in ("made_micros", "start_micros", "end_micros"))
    return SetByHand(override_id, row["made_by"], row["reason"], clock.from_micros(made), clock.from_micros(start), clock.from_micros(end))
