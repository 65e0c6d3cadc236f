"""Absence as a statement: *gone at my instant*, derived from the headers of complete loads and never written as rows (R17)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.evidence.loads import by_source, looks_of
from muniment.evidence.order import ABSENCE, AT, SO_FAR, WHOLE, WITHIN, add_order, merge_repeats, together
from muniment.evidence.slots import assertion_columns, named
from muniment.evidence.statements import absent_sources
from muniment.model.entity import Entity

_NEXT_AT, _IS_FIRST, _IS_THERE = "_next_at", "_is_first", "_is_there"
_FIRST_LOOK_AFTER = "_first_look_after"
_SINCE = "_since"  # the sequence of what a source said first at an instant


def gone(assertions: DataFrame, loads: DataFrame, accepted: DataFrame, *, entity: Entity, few: bool = False) -> DataFrame:
    """The absences that the accepted loads amount to, as assertions to be folded together with the rows.

    All assertions of a key must be there. No source with absence: none, and nothing is read.
    """
    if not absent_sources(entity):
        return assertions.select(*named(column.name for column in assertion_columns(entity))).limit(0)
    namings = name_keys(assertions.where(F.col("source_system").isin(*absent_sources(entity))), entity=entity, few=few)
    return gone_of(namings, looks_of(loads, accepted, entity=entity), entity=entity)


def scope_text(values: Sequence[Column]) -> Column:
    """The name of one scope in a load header: a JSON array of its values as text, `[]` where the source has no scope."""
    return F.to_json(F.array(*(value.cast("string") for value in values))) if values else F.lit("[]")


def scope_names(entity: Entity) -> tuple[str, ...]:
    """The attributes and key columns that any source with absence is scoped by."""
    return tuple(dict.fromkeys(name for source in absent_sources(entity) for name in entity.source(source).scope))


def stated_scope(name: str, *, entity: Entity) -> Column:
    """What a row states of a scope's column: a key column always, an attribute where `asserted` says so; wrapped, for stated nulls."""
    value = F.struct(quoted(name).alias("value"))
    return value if name in {part.name for part in entity.key} else F.when(F.array_contains("asserted", name), value)


def name_keys(assertions: DataFrame, *, entity: Entity, few: bool = False) -> DataFrame:
    """Each instant at which a source named a key: whether a whole set's row did, and what it states of its scope."""
    if scope_names(entity):
        placed = merge_repeats(assertions, entity=entity, few=few)
    else:  # the order inside an instant tells nothing
        placed = together(add_order(assertions, entity=entity), few=few)
    scopes = (stated_scope(name, entity=entity).alias(_scope_column(place)) for place, name in enumerate(scope_names(entity)))
    keys = named(part.name for part in entity.key)
    there = F.coalesce(F.col("load_type") == "FULL", F.lit(False)).alias(_IS_THERE)
    return placed.select("sk", "source_system", *keys, AT, *WITHIN, there, *scopes)


def gone_of(namings: DataFrame, looks: DataFrame, *, entity: Entity) -> DataFrame:
    """The absences among the looks at keys so named."""
    wanted = {entity.source(name).complete.absences for name in absent_sources(entity)}
    stretches = _stretches(namings, entity=entity)
    absences = [_absent(stretches, looks, in_a_row=count, entity=entity) for count in sorted(wanted)]
    return _as_assertions(reduce(DataFrame.unionByName, absences), entity=entity)


def _scope_column(place: int) -> str:
    return f"_scope{place}"


def _stretches(namings: DataFrame, *, entity: Entity) -> DataFrame:
    """From each instant a source named a key to the next: there or not at its start, and the scope that holds in it (R17)."""
    instant = Window.partitionBy("sk", "source_system", AT).orderBy(*WITHIN)
    own = _own().rowsBetween(*SO_FAR)
    places = range(len(scope_names(entity)))
    known = namings.withColumns(
        {
            **{_scope_column(place): F.last(_scope_column(place), ignorenulls=True).over(own) for place in places},
            _IS_THERE: F.max(_IS_THERE).over(instant.rowsBetween(*WHOLE)),
            _IS_FIRST: F.min(AT).over(_own().rowsBetween(*WHOLE)) == F.col(AT),
            _NEXT_AT: F.lead(AT).over(_own()),
            _SINCE: F.first("source_sequence").over(instant.rowsBetween(*WHOLE)),
        }
    ).where(~F.col(_NEXT_AT).eqNullSafe(F.col(AT)))
    keys = named(part.name for part in entity.key)
    return known.select("sk", "source_system", *keys, AT, _NEXT_AT, _IS_FIRST, _IS_THERE, _SINCE, _scope(entity).alias("scope"))


def _scope(entity: Entity) -> Column:
    columns = {name: F.col(_scope_column(place))["value"] for place, name in enumerate(scope_names(entity))}
    source = F.col("source_system")
    texts = ((name, scope_text([columns[column] for column in entity.source(name).scope])) for name in absent_sources(entity))
    return F.coalesce(*(F.when(source == name, text) for name, text in texts))


def _absent(stretches: DataFrame, looks: DataFrame, *, in_a_row: int, entity: Entity) -> DataFrame:
    """The looks that begin so many absent ones in a row, heard with the last of them."""
    mine = stretches.where(by_source(entity, lambda source: source.complete.absences) == in_a_row)
    if in_a_row == 1:
        return _look(_with_gap(mine, looks), looks).where(~F.col(_IS_THERE))
    frame = Window.partitionBy("sk", "source_system").orderBy("at").rowsBetween(0, in_a_row - 1)
    found = _look(mine, looks).withColumns(
        {
            "heard": F.max("heard").over(frame),
            "_all_absent": (F.count("at").over(frame) == in_a_row) & ~F.max(_IS_THERE).over(frame),
        }
    )
    return found.where("_all_absent").drop("_all_absent")


def _with_gap(stretches: DataFrame, looks: DataFrame) -> DataFrame:
    """Leave out, before anything is multiplied, the stretches that end at or before the look after the one they start at."""
    after = F.lead("at").over(Window.partitionBy("source_system", "scope").orderBy("at"))
    steps = looks.select("source_system", "scope", F.col("at").alias(AT), after.alias(_FIRST_LOOK_AFTER), F.lit(True).alias("_is_look"))
    met = stretches.join(F.broadcast(steps), ["source_system", "scope", AT], "left")
    nothing_after = F.col(_FIRST_LOOK_AFTER).isNull() | F.coalesce(F.col(_FIRST_LOOK_AFTER) >= F.col(_NEXT_AT), F.lit(False))
    without_gap = F.col(_IS_THERE) & F.col("_is_look").isNotNull() & nothing_after
    return met.where(~without_gap).drop("_is_look", _FIRST_LOOK_AFTER)


def _look(stretches: DataFrame, looks: DataFrame) -> DataFrame:
    """A row per look of a stretch; only a look at its very start can find the key there."""
    member = F.struct("at", "heard", "load_id", "ingest_run_id", "load_sequence")
    by_scope = looks.groupBy("source_system", "scope").agg(F.array_sort(F.collect_list(member)).alias("_looks"))

    def falls_in(look: Column) -> Column:
        after_start = (look["at"] > F.col(AT)) | ((look["at"] == F.col(AT)) & ~F.col(_IS_FIRST))
        emptied = (
            (look["at"] == F.col(AT)) & look["load_sequence"].isNotNull() & F.coalesce(look["load_sequence"] > F.col(_SINCE), F.lit(True))
        )
        return (after_start | emptied) & (F.col(_NEXT_AT).isNull() | (look["at"] < F.col(_NEXT_AT)))

    met = stretches.join(F.broadcast(by_scope), ["source_system", "scope"]).withColumn("_looks", F.filter("_looks", falls_in))
    seen = met.select("*", F.inline("_looks")).drop("_looks")
    return seen.withColumn(_IS_THERE, F.col(_IS_THERE) & (F.col("at") == F.col(AT)))


def _as_assertions(absences: DataFrame, *, entity: Entity) -> DataFrame:
    told = {
        "assertion_id": F.concat_ws("/", "load_id", "sk"),
        "sk": F.col("sk"),
        **{part.name: quoted(part.name) for part in entity.key},
        "source_system": F.col("source_system"),
        "ingest_run_id": F.col("ingest_run_id"),
        "ingest_ts": F.col("heard"),
        "source_event_ts": F.col("at"),
        "source_sequence": F.col("load_sequence"),
        "load_type": F.lit("FULL"),
        "op": F.lit(ABSENCE),
        "is_deleted": F.lit(True),
        "asserted": F.array().cast("array<string>"),
        "time_basis": F.lit("SOURCE"),
    }
    columns = assertion_columns(entity)
    return absences.select(*(told.get(c.name, F.lit(None)).cast(c.type).alias(c.name) for c in columns))


def _own() -> WindowSpec:
    """The chain of a key's source, every assertion in it."""
    return Window.partitionBy("sk", "source_system").orderBy(AT, *WITHIN)
