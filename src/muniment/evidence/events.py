"""Immutable facts: said once, however often heard; what else is said under the same key is a conflict, never a change."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.evidence.order import AT, RANK, WHOLE, WITHIN, add_order, rank_of, together
from muniment.evidence.slots import named
from muniment.model.entity import Entity
from muniment.model.tables import event_columns

_KEPT = "_kept"


def facts(assertions: DataFrame, *, entity: Entity, few: bool = False) -> DataFrame:
    """One row per fact: the first statement by R6; the same again moves `last_seen_ts` and the count, anything else is counted as a conflict.

    A correction is a fact of its own that names the one it corrects in the attribute `corrects`.
    """
    whole = _fact().rowsBetween(*WHOLE)
    same = F.col("record_hash").eqNullSafe(F.col(_KEPT))
    received = F.when(same, F.col("ingest_ts"))
    counted = _add_kept(assertions, entity=entity, few=few).withColumns(
        {
            "first_seen_ts": F.min(received).over(whole),
            "last_seen_ts": F.max(received).over(whole),
            "seen_count": F.sum(same.cast("bigint")).over(whole),
            "conflict_count": F.sum((~same).cast("bigint")).over(whole),
            "precedence_rank": rank_of(F.col("source_system"), entity=entity),
            "_place": F.row_number().over(_fact()),
        }
    )
    return counted.where(F.col("_place") == 1).select(*named(column.name for column in event_columns(entity)))


def conflicts(assertions: DataFrame, *, entity: Entity) -> DataFrame:
    """The rows that say something else of a fact than its first statement, with no correction to account for it."""
    differs = ~F.col("record_hash").eqNullSafe(F.col(_KEPT))
    return _add_kept(assertions, entity=entity).where(differs).select(*named(assertions.columns))


def add_corrected_by(facts: DataFrame, *, entity: Entity) -> DataFrame:
    """Facts with `corrected_by`, the `sk` of the latest fact that corrects them: for readers, as a fact itself never changes."""
    if entity.corrects is None:
        return facts.withColumn("corrected_by", F.lit(None).cast("string"))
    names = (quoted(entity.corrects).cast("string")).alias("_corrected")
    latest = F.max_by("sk", F.struct("source_event_ts", "sk")).alias("corrected_by")
    corrections = facts.where(names.isNotNull()).groupBy(names).agg(latest)
    key = quoted(entity.key[0].name).cast("string")
    return facts.withColumn("_corrected", key).join(corrections, ["_corrected"], "left").drop("_corrected")


def _add_kept(assertions: DataFrame, *, entity: Entity, few: bool = False) -> DataFrame:
    return together(add_order(assertions, entity=entity), few=few).withColumn(_KEPT, F.first("record_hash").over(_fact()))


def _fact() -> WindowSpec:
    """All statements of one fact, in order (R6), the stronger source first: the first is kept."""
    return Window.partitionBy("sk").orderBy(AT, F.desc(RANK), "source_system", *WITHIN)
