"""The fold: a key's assertions → its versions, as the log alone says (R5–R16)."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import identifier, literal
from muniment.canon.hashes import HASH_VERSION, attr_hash, kinds_of
from muniment.evidence import origin
from muniment.evidence.heads import kept
from muniment.evidence.order import AT, SO_FAR, merge_repeats, rank_of, sort_chain
from muniment.evidence.slots import Slot, assertion_columns, only, row_names, slots_of
from muniment.evidence.statements import (
    FINAL_DELETION,
    FINAL_RECEIPT,
    HEAD,
    LEAVING_OUT,
    NEXT_AT,
    NEXT_SOURCE,
    ROW,
    SEEN,
    STATED_DELETION,
    Way,
    carried,
    own_words,
    rows_of_chain,
    statement_of,
)
from muniment.model.entity import Deletes, Entity
from muniment.model.tables import history_columns

Kinds = Mapping[str, T.DataType]

_SHOWN, _STATED, _ORDER, _OPENING, _START = "_shown", "_stated", "_last_order", "_opening", "_start"
_SOURCE_TO, _FROM, _ROWS_SO_FAR = "_source_to", "_from", "_rows_so_far"


def fold(assertions: DataFrame, *, entity: Entity, few: bool = False, places: int | None = None) -> DataFrame:
    """The versions of every key of these assertions, with all columns of the history.

    All assertions of a key must be there; derived absences (absence.py) are folded like rows. `few` and `places`: see `together`.
    """
    rows = only(assertions, (column.name for column in assertion_columns(entity)))
    placed = merge_repeats(rows, entity=entity, few=few, places=places)
    chains = sort_chain(placed.select(*carried(entity)))
    return versions_of(chains, way=Way(entity), kinds=kinds_of(assertions.schema))


def versions_of(chains: DataFrame, *, way: Way, kinds: Kinds) -> DataFrame:
    """The versions that the rows of whole keys, or heads and what came after them, amount to."""
    entity = way.entity
    rows = _complete(rows_of_chain(chains, way=way), way=way)
    return _present(_collapse(rows, entity=entity, kinds=kinds), entity=entity, kinds=kinds)


def _complete(rows: DataFrame, *, way: Way) -> DataFrame:
    """Each row with what it shows and does not state itself: the own source's last statement, else the latest of any source (R12)."""
    slots = slots_of(way.entity)
    ordered = rows.sortWithinPartitions("sk", "source_system", AT)
    so_far = _own_so_far()
    own = {slot.own: F.last(_own_statement(slot, way), ignorenulls=True).over(so_far) for slot in slots}
    known = ordered.withColumns({**own, **_chain_of_source(way)})
    shown = F.struct(*(_taken_over(slot, way).alias(f"s{slot.place}") for slot in slots))
    is_head = F.col(_SOURCE_TO).isNull()
    stated = F.struct(*(_without_source(_final(slot, way)).alias(slot.name) for slot in slots))
    return known.select(
        *("sk", "source_system", AT, NEXT_AT, ROW, *SEEN, _SOURCE_TO, _ROWS_SO_FAR, "_follows_own"),
        _started(way).alias(_FROM),
        shown.alias(_SHOWN),
        F.when(is_head, stated).alias(_STATED),
        F.when(is_head, _last_order(way)).alias(_ORDER),
    )


def _own_statement(slot: Slot, way: Way) -> Column:
    """What the row's own source states at its instant: the row, else one before it, which the latest statement of any source shows (R6).

    Where all rows of the source state everything, nobody asks.
    """
    mine = f"CASE WHEN {slot.latest}.source = source_system AND {slot.latest}.event_ts = {AT} THEN {slot.latest} END"
    if slot.attribute is not None:
        mine = f"CASE WHEN array_contains({LEAVING_OUT}, source_system) THEN if({slot.latest} IS NULL, {own_words(slot)}, {mine}) END"
    elif way.weighs_absence:
        mine = f"coalesce({STATED_DELETION}, {mine})"
    if way.from_heads:
        mine = f"if({HEAD} IS NULL, {mine}, {HEAD}.stated.{identifier(slot.name)})"
    return F.expr(mine)


def _chain_of_source(way: Way) -> dict[str, Column]:
    receipt = F.col("last_seen_ts")
    if way.from_heads:
        receipt = F.coalesce(F.col(HEAD)["receipt_ts"], receipt)
    return {
        _SOURCE_TO: F.lead(AT).over(_own()),
        _ROWS_SO_FAR: F.sum("seen_count").over(_own_so_far()),
        "_receipt": F.max(receipt).over(_own_so_far()),
        "_follows_own": F.lag(NEXT_SOURCE).over(_own()).eqNullSafe(F.col("source_system")),
    }


def _taken_over(slot: Slot, way: Way) -> Column:
    """What the row shows of a slot; null where an attribute is the row's own, without fields where nobody has stated it."""
    completed = slot.heard if way.hears else f"coalesce({slot.own}, {slot.latest})"
    if slot.attribute is not None:
        completed = f"CASE WHEN {slot.latest} IS NOT NULL THEN {statement_of(completed) if way.hears else completed} END"
    if way.from_heads:
        completed = f"if({HEAD} IS NULL, {completed}, {HEAD}.shown.{identifier(slot.name)})"
    return F.expr(completed)


def _final(slot: Slot, way: Way) -> Column:
    """The last own statement of a head."""
    if slot.attribute is None:
        return F.coalesce(F.col(FINAL_DELETION), F.col(slot.own)) if way.weighs_absence else F.col(slot.own)
    is_own = f"{slot.latest} IS NULL AND {HEAD} IS NULL" if way.from_heads else f"{slot.latest} IS NULL"
    return F.expr(f"if({is_own}, {own_words(slot)}, {slot.own})")


def _without_source(statement: Column) -> Column:
    return F.when(statement.isNotNull(), F.struct(*(statement[name].alias(name) for name in ("value", "event_ts", "assertion_id"))))


def _last_order(way: Way) -> Column:
    newest, receipt = F.col(AT), F.col("_receipt")
    if way.weighs_absence:
        newest = F.greatest(newest, F.col(FINAL_DELETION)["event_ts"])
        receipt = F.greatest(receipt, F.col(FINAL_RECEIPT))
    return F.struct(F.col(AT).alias("event_ts"), newest.alias("statement_ts"), receipt.alias("receipt_ts"))


def _started(way: Way) -> Column:
    return F.coalesce(F.col(HEAD)["effective_from"], F.col(AT)) if way.from_heads else F.col(AT)


def _collapse(rows: DataFrame, *, entity: Entity, kinds: Kinds) -> DataFrame:
    """Rows that follow each other in the key's chain, from one source, with one state: the last of them, with what the first opened."""
    state = ", ".join(slot.compared(_value_of(slot), kinds) for slot in slots_of(entity) if slot.is_tracked)
    compared = rows.withColumn("_state", F.expr(f"struct({state})"))
    repeats = F.col("_follows_own") & F.lag("_state").over(_own()).eqNullSafe(F.col("_state"))
    opened = compared.withColumn("_opens", ~repeats).drop("_state", "_follows_own")
    start = F.struct(_FROM, (F.col(_ROWS_SO_FAR) - F.col("seen_count")).alias("rows_before"))
    runs = opened.withColumns(
        {
            _START: F.last(F.when(F.col("_opens"), start), ignorenulls=True).over(_own_so_far()),
            "_ends": F.coalesce(F.lead("_opens").over(_own()), F.lit(True)),
        }
    )
    return runs.withColumns({**_receipts_of_run(), _OPENING: _opening_of_run()}).where("_ends").drop(_FROM, "_opens")


def _value_of(slot: Slot, of: str = "") -> str:
    """What a row shows of a slot: what it took over, else what it states."""
    shown = f"{of}{_SHOWN}.s{slot.place}"
    if slot.attribute is None:
        return f"{shown}.value"
    return f"if({shown} IS NULL, {of}{ROW}.{identifier(slot.name)}, {shown}.value)"


def _opening_of_run() -> Column:
    """What the first row of the run was and showed, the widest part of a row: only a run of several rows carries it along."""
    opens, opening = F.col("_opens"), F.struct(ROW, _SHOWN)
    carried = F.last(F.when(opens & ~F.col("_ends"), opening), ignorenulls=True).over(_own_so_far())
    return F.when(opens, opening).otherwise(carried)


def _receipts_of_run() -> dict[str, Column]:
    """Receipts of the run so far: its start grows along the chain, so the greatest pair is always one of the current run."""
    start = F.col(_START)[_FROM]
    first = F.max(F.struct(start, (-F.unix_micros("first_seen_ts")).alias("seen"))).over(_own_so_far())["seen"]
    last = F.max(F.struct(start, F.col("last_seen_ts").alias("seen"))).over(_own_so_far())["seen"]
    count = F.col(_ROWS_SO_FAR) - F.col(_START)["rows_before"]
    return {"first_seen_ts": F.timestamp_micros(-first), "last_seen_ts": last, "seen_count": count}


def _present(runs: DataFrame, *, entity: Entity, kinds: Kinds) -> DataFrame:
    taken = {name: F.col(_OPENING)[ROW][name] for name in row_names(entity)}
    columns = {**taken, **_chain_columns(entity), **_state_columns(entity), **{name: F.col(name) for name in ("sk", *SEEN)}}
    versions = runs.select(*(columns[column.name].alias(column.name) for column in history_columns(entity)))
    return _seal(versions, entity=entity, kinds=kinds)


def _chain_columns(entity: Entity) -> dict[str, Column]:
    deleted = _value(slots_of(entity)[-1])
    is_open = ~F.coalesce(deleted, F.lit(False)) if entity.history.deletes is Deletes.CLOSE else F.lit(True)  # R16
    return {
        "effective_from": F.col(_START)[_FROM],
        "effective_to": F.col(NEXT_AT),
        "is_current": F.col(NEXT_AT).isNull() & is_open,
        "source_effective_to": F.col(_SOURCE_TO),
        "is_source_current": F.col(_SOURCE_TO).isNull() & is_open,
        "is_head": F.col(_SOURCE_TO).isNull(),
        "stated": F.when(F.col(_STATED).isNotNull(), F.struct(*(_kept(slot).alias(slot.name) for slot in slots_of(entity)))),
        "last_order": F.col(_ORDER),
        "precedence_rank": rank_of(F.col("source_system"), entity=entity),
    }


def _state_columns(entity: Entity) -> dict[str, Column]:
    *attributes, deletion = slots_of(entity)
    origins = (origin.kept(_shown(slot), F.col(_OPENING)[ROW], slot).alias(slot.name) for slot in attributes)
    return {
        **{slot.name: _value(slot) for slot in attributes},
        "is_deleted": F.coalesce(_value(deletion), F.lit(False)),  # R13
        "origin": F.struct(*origins),
    }


def _of(slot: Slot) -> str:
    """A tracked value is that of the run's first row, an untracked one that of its last (R2)."""
    return f"{_OPENING}." if slot.is_tracked else ""


def _shown(slot: Slot) -> Column:
    """What a version shows of a slot, as a statement."""
    shown, row = f"{_of(slot)}{_SHOWN}.s{slot.place}", f"{_of(slot)}{ROW}"
    if slot.attribute is None:
        return F.expr(shown)
    own = own_words(slot, source=f"{row}.source_system", at=f"{row}.source_event_ts", row=row)
    return F.expr(f"CASE WHEN {shown} IS NULL THEN {own} WHEN {shown}.assertion_id IS NOT NULL THEN {shown} END")


def _value(slot: Slot) -> Column:
    return F.expr(_value_of(slot, _of(slot)))


def _kept(slot: Slot) -> Column:
    return kept(slot.of(F.col(_STATED)), _shown(slot), slot)


def _seal(versions: DataFrame, *, entity: Entity, kinds: Kinds) -> DataFrame:
    """The hash of the whole state; where the assertion stated all of it, the one made at landing."""
    is_whole = F.expr(" AND ".join(f"array_contains(asserted, {literal(attribute.name)})" for attribute in entity.tracked) or "true")
    return versions.withColumns(
        {
            "attr_hash": F.when(is_whole, F.col("attr_hash")).otherwise(attr_hash(entity, kinds)),
            "hash_version": F.when(is_whole, F.col("hash_version")).otherwise(F.lit(HASH_VERSION)),
        }
    )


def _own() -> WindowSpec:
    """The chain of a key's source."""
    return Window.partitionBy("sk", "source_system").orderBy(AT)


def _own_so_far() -> WindowSpec:
    return _own().rowsBetween(*SO_FAR)
