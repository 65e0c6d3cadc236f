"""From assertions to the rows of a key's chain, each with what every source has stated up to it (R6, R8, R12, R17)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from muniment.canon.encode import identifier, literal
from muniment.evidence.order import AT, BEFORE, INSTANT, RANK, SO_FAR, SPOKEN, WHOLE, WITHIN
from muniment.evidence.slots import IS_DELETED, Slot, assertion_columns, deletion_of, named, packed, slots_of
from muniment.model.entity import Completion, Entity
from muniment.model.source import Absence

HEAD = "_head"  # a version to go on from, null for an assertion (lanes.py)
ROW = "_row"
STATEMENT = ("value", "source", "event_ts", "assertion_id")
LEAVING_OUT = "_leaving_out"  # the sources of the key that have a row which leaves attributes out
NEXT_AT = "_next_at"
NEXT_SOURCE = "_next_source"
STATED_DELETION = "_stated_deletion"
FINAL_DELETION = "_final_deletion"
FINAL_RECEIPT = "_final_receipt"
SEEN = ("first_seen_ts", "last_seen_ts", "seen_count")


@dataclass(frozen=True, slots=True)
class Way:
    """What the rows of a chain carry, by the entity and the lane: to ask Spark for the columns of so wide a row takes longer than some looks at it."""

    entity: Entity
    from_heads: bool = False  # heads are among the rows

    @property
    def hears(self) -> bool:
        """A row is completed once, as received (R8)."""
        return self.entity.history.completion is Completion.AS_RECEIVED

    @property
    def weighs_absence(self) -> bool:
        """Deletion is followed source by source (R17)."""
        return bool(absent_sources(self.entity))


def carried(entity: Entity) -> list[Column]:
    """A row of a chain: what orders it, and all it says in one piece, which costs a window less than its fields do."""
    told = (column.name for column in assertion_columns(entity) if column.name != "sk")
    return [*named(("sk", "source_system", AT, RANK, *WITHIN, *SEEN)), packed(told).alias(ROW)]


def rows_of_chain(chains: DataFrame, *, way: Way) -> DataFrame:
    """One row per key, source and instant, in the key's chain: the last assertion of the instant, for all of them (R6).

    A slot's `latest` is null where the row states the slot itself: what it says stands in `ROW`, and windows need not carry it twice.
    """
    slots = slots_of(way.entity)
    early = slots if way.hears else slots[-1:] if way.weighs_absence else ()  # a statement is wide: it is made when it is needed
    rows = _say(chains, early, way=way)
    rows = _hear(rows, way=way) if way.hears else rows
    rows = _leave_out_stayed_away(rows, way=way) if way.weighs_absence else rows
    rows = _say(_gather_instants(rows), [slot for slot in slots if slot not in early], way=way)
    return _inherited(_add_latest(rows, way=way).where("_is_last"), way=way)


def own_words(slot: Slot, source: str = "source_system", at: str = AT, row: str = ROW) -> str:
    """What a row states of a slot, with who said it, for when, and in which assertion; wrapped, so that a stated null is no missing statement (R11)."""
    value = f"{row}.{identifier(slot.name)}"
    return f"named_struct('value', {value}, 'source', {source}, 'event_ts', {at}, 'assertion_id', {row}.assertion_id)"


def statement_of(statement: str) -> str:
    """A statement, and one without any field where there is none."""
    fields = ", ".join(f"'{field}', {statement}.{field}" for field in STATEMENT)
    return f"named_struct({fields})"


def _say(rows: DataFrame, slots: Sequence[Slot], *, way: Way) -> DataFrame:
    """Each row with its statement of each of these slots: `asserted` decides, not the value (R11)."""
    return rows.withColumns({slot.said: _said(slot, way) for slot in slots})


def _said(slot: Slot, way: Way) -> Column:
    is_stated = f"{ROW}.{IS_DELETED} IS NOT NULL" if slot.attribute is None else f"array_contains({ROW}.asserted, {literal(slot.name)})"
    own = f"WHEN {is_stated} THEN {own_words(slot)}"
    return F.expr(
        f"CASE WHEN {HEAD} IS NOT NULL THEN {HEAD}.latest.{identifier(slot.name)} {own} END" if way.from_heads else f"CASE {own} END"
    )


def _inherited(rows: DataFrame, *, way: Way) -> DataFrame:
    """Rows with the latest statements of those slots only that they leave out."""
    *attributes, _ = slots_of(way.entity)
    left_out = {slot.latest: F.expr(f"CASE WHEN {slot.said} IS NULL THEN {statement_of(slot.latest)} END") for slot in attributes}
    return rows.withColumns(left_out).drop(RANK, *WITHIN, "_is_last", *(slot.said for slot in slots_of(way.entity)))


def absent_sources(entity: Entity) -> tuple[str, ...]:
    """The sources whose silence means something (R17)."""
    speaking = (s for s in entity.sources if (s.is_complete_set and s.absence is Absence.DELETES) or s.truncates)
    return tuple(source.name for source in speaking)


def _gather_instants(rows: DataFrame) -> DataFrame:
    """Count all of a source's assertions at one instant in the last of them; absence counts only where it is alone (R17)."""
    instant = Window.partitionBy(*INSTANT).orderBy(*WITHIN)
    whole = instant.rowsBetween(*WHOLE)
    first = F.min(F.when(F.col(SPOKEN), F.col("first_seen_ts"))).over(whole)
    last = F.max(F.when(F.col(SPOKEN), F.col("last_seen_ts"))).over(whole)
    return rows.withColumns(
        {
            "first_seen_ts": F.coalesce(first, F.col("first_seen_ts")),
            "last_seen_ts": F.coalesce(last, F.col("last_seen_ts")),
            "seen_count": F.sum("seen_count").over(whole),
            "_is_last": F.lead(SPOKEN).over(instant).isNull(),
        }
    )


def _add_latest(rows: DataFrame, *, way: Way) -> DataFrame:
    """The latest statement of any source up to each row, and the row that follows in the key's chain."""
    missing = [slot for slot in slots_of(way.entity) if not (way.weighs_absence and slot.attribute is None)]  # that of deletion is there
    chain = _chain()
    latest = {slot.latest: _last(F.col(slot.said), chain) for slot in missing}
    follows = {NEXT_AT: F.lead(AT).over(chain), NEXT_SOURCE: F.lead("source_system").over(chain)}
    leaves_out = F.collect_set(_leaves_out(way)).over(chain.rowsBetween(*WHOLE))
    rows = rows.withColumns({**latest, **follows, LEAVING_OUT: leaves_out})
    if not way.from_heads:
        return rows
    ended = F.col(HEAD)["effective_to"]
    source = F.when(ended.isNull(), F.col(NEXT_SOURCE))
    return rows.withColumns({NEXT_AT: F.coalesce(ended, NEXT_AT), NEXT_SOURCE: source})


def _leaves_out(way: Way) -> Column:
    """The source of a row that needs what its own source said before; a head does."""
    *attributes, _ = slots_of(way.entity)
    missing = [*([f"{HEAD} IS NOT NULL"] if way.from_heads else []), *(f"{slot.said} IS NULL" for slot in attributes)]
    return F.expr(f"CASE WHEN {' OR '.join(missing) or 'false'} THEN source_system END")


def _last(value: Column, chain: WindowSpec) -> Column:
    return F.last(value, ignorenulls=True).over(chain.rowsBetween(*SO_FAR))


def _mine(slot: Slot, way: Way) -> Column:
    """What the row's own source states here; a head has that beside what all sources do."""
    if not way.from_heads:
        return F.col(slot.said)
    return F.when(F.col(HEAD).isNull(), F.col(slot.said)).otherwise(slot.of(F.col(HEAD)["stated"]))


def _hear(rows: DataFrame, *, way: Way) -> DataFrame:
    """Complete each row once, from the statements at or before it that were heard no later than it was (R8)."""
    slots = slots_of(way.entity)
    fields = [F.col(slot.said) for slot in slots] + [_mine(slot, way).alias(slot.own) for slot in slots]
    member = F.struct(F.col("first_seen_ts").alias("received"), F.col("source_system").alias("source"), *fields)
    before = rows.withColumn("_before", F.collect_list(member).over(_chain().rowsBetween(*SO_FAR)))
    heard = before.withColumn("_before", F.filter("_before", lambda other: other["received"] <= F.col("first_seen_ts")))
    return heard.withColumns({slot.heard: _heard(slot) for slot in slots}).drop("_before")


def _heard(slot: Slot) -> Column:
    def own(other: Column) -> Column:
        return (other["source"] == F.col("source_system")) & other[slot.own].isNotNull()

    def any_source(other: Column) -> Column:
        return other[slot.said].isNotNull()

    return F.coalesce(_newest(own)[slot.own], _newest(any_source)[slot.said])


def _newest(wanted: Callable[[Column], Column]) -> Column:
    return F.try_element_at(F.filter("_before", wanted), F.lit(-1))


def _leave_out_stayed_away(rows: DataFrame, *, way: Way) -> DataFrame:
    """Absence of a key that its source holds deleted already is a statement and makes no row: a key that stays away makes nothing."""
    known, entity = _add_deletion(rows, way=way), way.entity
    chain = _chain()
    before = chain.rowsBetween(*BEFORE)
    was = _of_source(lambda own: F.last(F.when(own, F.col("_deleted")), ignorenulls=True).over(before), entity)
    follows = (F.lead(AT).over(chain) == F.col(AT)) & (F.lead("source_system").over(chain) == F.col("source_system"))
    stayed_away = ~F.col(SPOKEN) & ~F.coalesce(follows, F.lit(False)) & F.coalesce(was, F.lit(False))
    return known.withColumn("_stayed_away", stayed_away).where(~F.col("_stayed_away")).drop("_stayed_away", "_deleted")


def _add_deletion(rows: DataFrame, *, way: Way) -> DataFrame:
    """What the sources with absence have stated of deletion: up to each row, and in the end."""
    entity, deletion = way.entity, deletion_of(way.entity)
    mine, chain = _mine(deletion, way), _chain()
    whole = chain.rowsBetween(*WHOLE)
    rows = rows.withColumns(
        {
            deletion.latest: _last(F.col(deletion.said), chain),
            STATED_DELETION: _of_source(lambda own: _last(F.when(own, mine), chain), entity),
            FINAL_DELETION: _of_source(lambda own: F.last(F.when(own, mine), ignorenulls=True).over(whole), entity),
            FINAL_RECEIPT: _of_source(lambda own: F.max(F.when(own, F.col("last_seen_ts"))).over(whole), entity),
        }
    )
    return rows.withColumn("_deleted", F.coalesce(_deleted(way), F.lit(False)))


def _deleted(way: Way) -> Column:
    deletion = deletion_of(way.entity)
    by_time = F.coalesce(F.col(STATED_DELETION), F.col(deletion.latest))["value"]
    completed = F.col(deletion.heard)["value"] if way.hears else by_time
    return F.coalesce(F.col(HEAD)["is_deleted"], completed) if way.from_heads else completed


def _of_source(make: Callable[[Column], Column], entity: Entity) -> Column:
    """A value per source with absence, taken for the row's own source; null for the others."""
    source = F.col("source_system")
    return F.coalesce(*(F.when(source == name, make(source == name)) for name in absent_sources(entity)))


def _chain() -> WindowSpec:
    """A key's chain over all sources, in order (R6); made when asked for, because Spark must be there by then."""
    return Window.partitionBy("sk").orderBy(AT, RANK, "source_system", *WITHIN)
