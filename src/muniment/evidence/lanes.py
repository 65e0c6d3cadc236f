"""Two ways to the same timeline: go on from the heads where everything is newer, fold the log again where it is not (DESIGN, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.compare import comparables
from muniment.canon.encode import identifier
from muniment.canon.hashes import kinds_of, quoted
from muniment.columns import ORIGIN
from muniment.evidence.absence import gone_of, name_keys, scope_names, scope_text, stated_scope
from muniment.evidence.fold import versions_of
from muniment.evidence.heads import own_statement
from muniment.evidence.loads import by_source, looks_of
from muniment.evidence.order import AT, RANK, SPOKEN, WITHIN, merge_repeats, rank_of, sort_chain, together
from muniment.evidence.origin import FIELDS, is_own
from muniment.evidence.slots import Slot, assertion_columns, named, only, packed, slots_of
from muniment.evidence.statements import HEAD, Way, absent_sources, carried
from muniment.model.entity import Completion, Entity

VERSION = ("sk", "source_system", "effective_from")  # what names a version of a timeline


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows of a timeline that change, side by side."""

    rows: DataFrame  # before: struct or null, after: struct or null

    @property
    def removed(self) -> DataFrame:
        """The rows that go."""
        return self.rows.where(F.col("before").isNotNull()).select("before.*")

    @property
    def vanished(self) -> DataFrame:
        """The rows that go and that no other of the same name takes the place of."""
        return self.rows.where(F.col("after").isNull()).select("before.*")

    @property
    def added(self) -> DataFrame:
        """The rows that come."""
        return self.rows.where(F.col("after").isNotNull()).select("after.*")


def continue_from(heads: DataFrame, new_rows: DataFrame, *, entity: Entity, few: bool = False) -> DataFrame:
    """The versions from the heads on, as a fold of everything would give them, without reading what is closed.

    `heads` are all heads of the keys of `new_rows`, whose derived absences (`gone_since`) are among them; no key may need repair.
    """
    placed = merge_repeats(only(new_rows, (column.name for column in assertion_columns(entity))), entity=entity, few=few)
    going_on = _carry_heads(together(heads, few=few), entity=entity)
    rows = placed.select(*carried(entity))  # which have no head
    chains = sort_chain(together(going_on.unionByName(rows, allowMissingColumns=True), few=few))
    return versions_of(chains, way=Way(entity, from_heads=True), kinds=kinds_of(new_rows.schema))


def gone_since(heads: DataFrame, new_rows: DataFrame, loads: DataFrame, *, accepted: DataFrame, entity: Entity) -> DataFrame:
    """The absences that loads amount to after the heads' newest statements, for the keys of these heads and rows.

    `heads` are those of every key that a new load looks at, `loads` all headers. With `absences` above 1 a key needs its past.
    """
    mine = F.col("source_system").isin(*absent_sources(entity))
    rows = name_keys(new_rows.where(mine), entity=entity)
    namings = _name_heads(heads.where(mine), entity=entity).unionByName(rows)
    return gone_of(together(namings), looks_of(loads, accepted, entity=entity), entity=entity)


def needs_repair(new_rows: DataFrame, heads: DataFrame, loads: DataFrame, *, entity: Entity) -> DataFrame:
    """The keys that cannot go on from their heads, `sk`, `why` and how many rows came `late`; `loads` are the headers counted already."""
    newest = heads.groupBy("sk").agg(
        F.max("last_order.statement_ts").alias("_newest"),
        F.max("last_order.receipt_ts").alias("_receipt"),
    )
    rows = new_rows.join(newest, ["sk"], "left")
    rows = _add_newest_load(rows, loads, entity=entity) if absent_sources(entity) else rows.withColumn("_newest_load", F.lit(None))
    late = F.col("source_event_ts") <= F.col("_newest")
    found = rows.select("sk", _why_repair(entity).alias("why"), late.alias("late")).where(F.col("why").isNotNull())
    return found.groupBy("sk").agg(F.min("why").alias("why"), F.count_if("late").alias("late"))


def difference(before: DataFrame, after: DataFrame, *, identity: Sequence[str] = VERSION, kind: T.StructType | None = None) -> Difference:
    """What must go and what must come to turn one table into the other: null-safe, on all columns (R3); their `kind`, where it is known."""
    kind = before.schema if kind is None else kind
    row, compared = packed(kind.names), comparables(kind)
    sides = [side.select(*identity, row.alias(name), compared.alias(f"_{name}")) for side, name in ((before, "before"), (after, "after"))]
    met = sides[0].join(sides[1], list(identity), "full")
    return Difference(met.where(~F.col("_before").eqNullSafe(F.col("_after"))).select("before", "after"))


def _carry_heads(heads: DataFrame, *, entity: Entity) -> DataFrame:
    """Heads as rows of the chain, with what all sources stated last and what the head itself has to carry on."""
    slots = slots_of(entity)
    key = Window.partitionBy("sk")
    own = {slot.own: own_statement(slot) for slot in slots}  # named once: what stands in a plan twice doubles what Spark concludes
    rank = rank_of(F.col("source_system"), entity=entity)
    placed = heads.withColumns({**own, AT: F.col("last_order.event_ts"), RANK: rank, SPOKEN: F.lit(True)})
    latest = F.struct(*(F.max_by(F.col(slot.own), _statement_order(slot)).over(key).alias(slot.name) for slot in slots))
    return placed.select(*carried(entity), _to_go_on(slots, latest).alias(HEAD))


def _statement_order(slot: Slot) -> Column:
    """Across sources time, rank and source order statements (R6)."""
    return F.expr(f"CASE WHEN {slot.own} IS NOT NULL THEN struct({slot.own}.event_ts, {RANK}, source_system) END")


def _to_go_on(slots: tuple[Slot, ...], latest: Column) -> Column:
    return F.struct(
        F.col("effective_from"),
        F.col("effective_to"),
        F.col("is_deleted"),
        F.col("last_order.receipt_ts").alias("receipt_ts"),
        latest.alias("latest"),
        F.struct(*(F.col(slot.own).alias(slot.name) for slot in slots)).alias("stated"),
        F.struct(*(_shown(slot).alias(slot.name) for slot in slots)).alias("shown"),
    )


def _shown(slot: Slot) -> Column:
    """What the head displays and its row does not state, as a statement; nobody asks for the origin of `is_deleted`."""
    name = identifier(slot.name)
    origin = f"CAST(NULL AS {ORIGIN})" if slot.attribute is None else f"origin.{name}"
    fields = ", ".join(f"'{field}', {origin}.{field}" for field in FIELDS)
    shown = f"named_struct('value', {name}, {fields})"
    return F.expr(shown if slot.attribute is None else f"CASE WHEN NOT ({is_own(slot.name)}) THEN {shown} END")


def _name_heads(heads: DataFrame, *, entity: Entity) -> DataFrame:
    """What a head knows of the naming of its key: its newest instant, already looked at, and the scope stated last."""
    attributes = {slot.name: slot for slot in slots_of(entity)}

    def scope(name: str) -> Column:
        if name not in attributes:
            return F.struct(quoted(name).alias("value"))
        own = own_statement(attributes[name])
        return F.when(own.isNotNull(), F.struct(own["value"].alias("value")))

    placed = heads.withColumns({AT: F.col("last_order.statement_ts"), SPOKEN: F.lit(True), "_is_there": F.lit(True)})
    scopes = (scope(name).alias(f"_scope{place}") for place, name in enumerate(scope_names(entity)))
    return placed.select("sk", "source_system", *named(part.name for part in entity.key), AT, *WITHIN, "_is_there", *scopes)


def _why_repair(entity: Entity) -> Column:
    """Why a row cannot go on from its key's heads, or null (DESIGN, section 6)."""
    at, unknown = F.col("source_event_ts"), F.lit(None).cast("string")
    why = F.when(at <= F.col("_newest"), "not later than what the key has").when(at <= F.col("_newest_load"), "not later than a load")
    if entity.history.completion is Completion.AS_RECEIVED:
        why = why.when(F.col("ingest_ts") < F.col("_receipt"), "received before what the key has")
    if absent_sources(entity):
        why = why.when(by_source(entity, lambda source: source.complete.absences) > 1, "absence counts in a row")
    return why.otherwise(unknown)


def _add_newest_load(rows: DataFrame, loads: DataFrame, *, entity: Entity) -> DataFrame:
    """The newest load of the row's source and scope; of its source, where the row does not say its scope."""
    scopes = loads.select("source_system", "load_ts", F.explode(F.map_keys("carried")).alias("scope"))
    of_scope = scopes.groupBy("source_system", "scope").agg(F.max("load_ts").alias("_of_scope"))
    of_source = loads.groupBy("source_system").agg(F.max("load_ts").alias("_of_source"))
    met = rows.withColumn("scope", _row_scope(entity)).join(F.broadcast(of_source), ["source_system"], "left")
    met = met.join(F.broadcast(of_scope), ["source_system", "scope"], "left")
    newest = F.when(F.col("scope").isNull(), F.col("_of_source")).otherwise(F.col("_of_scope"))
    return met.withColumn("_newest_load", newest)


def _row_scope(entity: Entity) -> Column:
    """The scope a row states itself; null where it leaves any of it out."""

    def text(names: tuple[str, ...]) -> Column:
        stated = [stated_scope(name, entity=entity) for name in names]
        whole = F.array(*(value.isNotNull() for value in stated), F.lit(True))
        return F.when(F.forall(whole, lambda is_stated: is_stated), scope_text([value["value"] for value in stated]))

    source = F.col("source_system")
    return F.coalesce(*(F.when(source == name, text(entity.source(name).scope)) for name in absent_sources(entity)))
