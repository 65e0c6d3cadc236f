"""One step on: keys whose heads meet one later row that states everything. What it says holds, so nothing is inherited and no chain has to be sorted.

`continue_from` (lanes.py) would say the same of them (`tests/spark/evidence/test_step.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.canon.encode import identifier, literal
from muniment.canon.hashes import kinds_of
from muniment.columns import ORIGIN
from muniment.evidence.order import ABSENCE, rank_of, together
from muniment.evidence.slots import IS_DELETED, Slot, assertion_columns, only, packed, slots_of
from muniment.model.entity import Deletes, Entity
from muniment.model.tables import history_columns

_KEY, _HELD, _TOLD, _OWN, _REPEATS, _RECEIPT, _RANK = "_key", "_held", "_told", "_own", "_repeats", "_receipt", "_rank"
_SOURCE, _AT, _WHAT = "_source", "_at", "_what"
_OPENS, _AGAIN, _ENDS, _FOLLOWED = "opens", "again", "ends", "followed"


def states_all(entity: Entity) -> str:
    """Whether a row is one that a source sent, and states every attribute and whether the key is there (R11, R13)."""
    sent = f"NOT op <=> {literal(ABSENCE)}"
    return " AND ".join((sent, f"{IS_DELETED} IS NOT NULL", *(f"array_contains(asserted, {literal(a.name)})" for a in entity.attributes)))


def heads_met(heads: DataFrame, rows: DataFrame) -> DataFrame:
    """The heads that rows may move: those of their own source, and those that no other of their key follows."""
    told = rows.selectExpr(f"sk AS {_KEY}", f"source_system AS {_SOURCE}")
    return heads.join(told, F.expr(f"sk = {_KEY} AND (source_system = {_SOURCE} OR effective_to IS NULL)"), "left_semi")


def step_from(heads: DataFrame, rows: DataFrame, *, entity: Entity, few: bool = False) -> DataFrame:
    """The heads that change and the versions that open: `before` and `after`, either of them null.

    `heads` are all heads of the keys of `rows`, or those of `heads_met`; each key has one row, which states everything and needs no repair.
    """
    met = _met(heads, rows, entity=entity, few=few).selectExpr("*", f"{_OWN} AND {_repeats(entity, rows)} AS {_REPEATS}")
    moved = met.selectExpr("*", f"explode({_BECOMES}) AS {_WHAT}").selectExpr(
        *(_SOURCE, _AT, _TOLD, _WHAT, f"{_HELD}.last_order.receipt_ts AS {_RECEIPT}"),
        f"CASE WHEN {_WHAT} <> {literal(_OPENS)} THEN {_HELD} END AS before",
    )
    ranked = moved.withColumn(_RANK, rank_of(F.expr(f"coalesce(before.source_system, {_SOURCE})"), entity=entity))
    return ranked.selectExpr("before", f"{_after(entity)} AS after")


def _met(heads: DataFrame, rows: DataFrame, *, entity: Entity, few: bool) -> DataFrame:
    """Each row beside the head of its own source, null where there is none, and, in short, beside that of another source that it moves.

    A join, because to gather the heads of a key copies each of them, and is done in memory that they do not fit in.
    """
    told = only(rows, (column.name for column in assertion_columns(entity)))
    told = together(told.select("sk", packed(told.columns).alias(_TOLD)), few=few)
    held = together(heads.select("sk", packed(heads.columns).alias(_HELD)), few=few).withColumnRenamed("sk", _KEY)
    twice = told.selectExpr(
        "*", f"{_TOLD}.source_system AS {_SOURCE}", f"{_TOLD}.source_event_ts AS {_AT}", f"explode(array(true, false)) AS {_OWN}"
    )
    asked = twice.selectExpr("sk", _SOURCE, _AT, _OWN, f"CASE WHEN {_OWN} THEN {_TOLD} END AS {_TOLD}")
    return asked.join(held.hint("merge"), F.expr(f"sk = {_KEY} AND {_MOVES}"), "left").where(f"{_OWN} OR {_HELD} IS NOT NULL")


# A head is moved by its own source; one of another source where the key's chain ended with it.
_MOVES = (
    f"CASE WHEN {_OWN} THEN {_HELD}.source_system = {_SOURCE} ELSE {_HELD}.source_system <> {_SOURCE} AND {_HELD}.effective_to IS NULL END"
)
_BECOMES = (
    f"CASE WHEN NOT {_OWN} THEN array('{_FOLLOWED}') WHEN {_HELD} IS NULL THEN array('{_OPENS}') "
    f"WHEN {_REPEATS} THEN array('{_AGAIN}') ELSE array('{_ENDS}', '{_OPENS}') END"
)


def _repeats(entity: Entity, rows: DataFrame) -> str:
    """The same state from the source that spoke last is no new version (R15)."""
    kinds = kinds_of(rows.schema)
    slots = [slot for slot in slots_of(entity) if slot.is_tracked]
    was, now = (f"struct({', '.join(slot.compared(_field(side, slot.name), kinds) for slot in slots)})" for side in (_HELD, _TOLD))
    return f"{_HELD} IS NOT NULL AND {_HELD}.effective_to IS NULL AND {was} <=> {now}"


def _after(entity: Entity) -> str:
    told, other = _version(entity, _opened(entity), of=_TOLD), _version(entity, _followed(), of="before")
    again, closed = (_version(entity, fields, of="before") for fields in (_seen_again(entity), {**_followed(), **_ended()}))
    cases = {_OPENS: told, _FOLLOWED: other, _AGAIN: again, _ENDS: closed}
    return f"CASE {_WHAT} {' '.join(f'WHEN {literal(what)} THEN {version}' for what, version in cases.items())} END"


def _version(entity: Entity, fields: Mapping[str, str], *, of: str) -> str:
    """A row of the history: some fields as given, the others taken over."""
    told = {"precedence_rank": _RANK, **fields}
    return _struct((column.name, told.get(column.name, _field(of, column.name))) for column in history_columns(entity))


def _opened(entity: Entity) -> dict[str, str]:
    """The version that the row opens: all of it is its own."""
    is_open = f"NOT {_TOLD}.{IS_DELETED}" if entity.history.deletes is Deletes.CLOSE else "true"  # R16
    *attributes, _ = slots_of(entity)
    return {
        "effective_from": f"{_TOLD}.source_event_ts",
        "effective_to": _NEVER,
        "source_effective_to": _NEVER,
        "is_current": is_open,
        "is_source_current": is_open,
        "is_head": "true",
        "first_seen_ts": f"{_TOLD}.ingest_ts",
        "last_seen_ts": f"{_TOLD}.ingest_ts",
        "seen_count": "1L",
        "origin": _struct((slot.name, _OWN_ORIGIN) for slot in attributes),
        "stated": _struct((slot.name, _stated(slot, unless=slot.attribute is not None)) for slot in slots_of(entity)),
        "last_order": _LAST,
    }


def _seen_again(entity: Entity) -> dict[str, str]:
    """The head that the row says again: an untracked value is the row's (R2), and its source has stated everything anew."""
    *attributes, _ = slots_of(entity)
    untracked = [slot for slot in attributes if not slot.is_tracked]
    return {
        **{slot.name: _field(_TOLD, slot.name) for slot in untracked},
        "first_seen_ts": f"least(before.first_seen_ts, {_TOLD}.ingest_ts)",
        "last_seen_ts": f"greatest(before.last_seen_ts, {_TOLD}.ingest_ts)",
        "seen_count": "before.seen_count + 1L",
        "origin": _struct((slot.name, _field("before.origin", slot.name) if slot.is_tracked else _WHO) for slot in attributes),
        "stated": _struct((slot.name, _stated(slot, unless=not slot.is_tracked)) for slot in slots_of(entity)),
        "last_order": _LAST,
    }


def _followed() -> dict[str, str]:
    """A version that another follows in the key's chain."""
    return {
        "effective_to": f"coalesce(before.effective_to, {_AT})",
        "is_current": "false",
    }


def _ended() -> dict[str, str]:
    """A version that another follows in its own source's chain."""
    return {
        "source_effective_to": f"{_TOLD}.source_event_ts",
        "is_source_current": "false",
        "is_head": "false",
        "stated": "CASE WHEN false THEN before.stated END",
        "last_order": "CASE WHEN false THEN before.last_order END",
    }


_NEVER = "CAST(NULL AS timestamp)"
_OWN_ORIGIN = f"CAST(NULL AS {ORIGIN})"  # origin.py
_WHO = f"struct({_TOLD}.source_system AS source, {_TOLD}.source_event_ts AS event_ts, {_TOLD}.assertion_id AS assertion_id)"
_LAST = (
    f"struct({_TOLD}.source_event_ts AS event_ts, {_TOLD}.source_event_ts AS statement_ts, "
    f"greatest({_RECEIPT}, {_TOLD}.ingest_ts) AS receipt_ts)"
)


def _stated(slot: Slot, *, unless: bool) -> str:
    """What the source has stated last, null where the row shows it (heads.py)."""
    stated = f"struct({_field(_TOLD, slot.name)} AS value, {_TOLD}.source_event_ts AS event_ts, {_TOLD}.assertion_id AS assertion_id)"
    return f"CASE WHEN false THEN {stated} END" if unless else stated


def _field(of: str, name: str) -> str:
    return f"{of}.{identifier(name)}"


def _struct(fields: Iterable[tuple[str, str]]) -> str:
    return f"struct({', '.join(f'{value} AS {identifier(name)}' for name, value in fields)})"
