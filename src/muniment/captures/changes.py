"""What each capture changed against the accepted one before it: pure, one pass over the rows of all captures in question."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.canon.compare import comparable, same
from muniment.canon.encode import identifier
from muniment.canon.hashes import kinds_of, listed, quoted
from muniment.evidence.absence import scope_text
from muniment.model.entity import Entity

NEW, MODIFIED, DELISTED, UNCHANGED = "new_listing", "modification", "delisting", "unchanged"
LOOK = "scope string, at timestamp, capture_id string, path string, prev_path string, is_new boolean"
_PAIR = "struct<old: string, new: string>"


def changes_of(rows: DataFrame, looks: DataFrame, *, entity: Entity, scope: Sequence[str]) -> DataFrame:
    """One row per key and capture: `capture_id, natural_key, change_type, effective_ts, changed_columns, …`.

    `looks` are the captures in question and the accepted ones before them (`is_new` false: only to compare with), one row per scope.
    """
    ranked = looks.withColumn("n", F.row_number().over(Window.partitionBy("scope").orderBy("at")))
    named = rows.withColumns({"scope": scope_text([quoted(name) for name in scope]), "at": F.col("source_event_ts")})
    met = named.join(F.broadcast(ranked.select("scope", "at", "n")), ["scope", "at"]).repartition("sk", "scope")  # once for all windows
    last = Window.partitionBy("sk", "scope", "n").orderBy(F.desc("source_file"), F.desc("record_hash"))
    once = met.withColumn("_turn", F.row_number().over(last)).where("_turn = 1")
    keys = [quoted(part.name) for part in entity.key]
    acts = _told(once, entity=entity).select("scope", *keys, F.inline(_acts()))
    shown = acts.join(F.broadcast(ranked), ["scope", "n"]).where("is_new")
    return shown.select(*shown_columns(entity, change_type=F.col("_change"), changed=F.col("_changed")))


def _acts() -> Column:
    """What a row shows of its own capture, and of the next one of its scope if that lacks the key."""
    nothing = F.lit(None).cast(f"map<string,{_PAIR}>")
    here = F.struct("n", F.col("_change"), F.col("_changed"))
    gone = F.struct((F.col("n") + 1).alias("n"), F.lit(DELISTED).alias("_change"), nothing.alias("_changed"))
    is_last = F.col("_n_after").isNull() | (F.col("_n_after") > F.col("n") + 1)
    return F.when(is_last, F.array(here, gone)).otherwise(F.array(here))


def _told(rows: DataFrame, *, entity: Entity) -> DataFrame:
    """Each row against the one before it of its key; a key that was not in the capture before is new."""
    chain = Window.partitionBy("sk", "scope").orderBy("n")
    before = chain.rowsBetween(Window.unboundedPreceding, -1)
    kinds = kinds_of(rows.schema)
    tracked = list(enumerate(entity.tracked))
    stated = {
        f"_stated{n}": F.when(
            F.array_contains("asserted", a.name),
            F.struct(F.expr(comparable(identifier(a.name), kinds[a.name], attribute=a)).alias("value")),
        )
        for n, a in tracked
    }
    known = rows.withColumns(stated).withColumns(
        {f"_old{n}": F.last(f"_stated{n}", ignorenulls=True).over(before) for n, _ in tracked}
        | {"_n_before": F.lag("n").over(chain), "_n_after": F.lead("n").over(chain)}
    )
    changed = listed((_difference(n, a.name) for n, a in tracked), f"struct<key: string, value: {_PAIR}>")
    is_new = F.col("_n_before").isNull() | (F.col("_n_before") < F.col("n") - 1)
    kind = F.when(is_new, NEW).when(F.size("_pairs") > 0, MODIFIED).otherwise(UNCHANGED)
    judged = known.withColumn("_pairs", changed).withColumn("_change", kind)
    return judged.withColumn("_changed", F.map_from_entries(F.when(F.col("_change") == MODIFIED, F.col("_pairs"))))


def _difference(number: int, name: str) -> tuple[Column, Column]:
    old, new = F.col(f"_old{number}"), F.col(f"_stated{number}")
    pair = F.struct(old["value"].cast("string").alias("old"), new["value"].cast("string").alias("new"))
    return new.isNotNull() & ~same(old["value"], new["value"]), F.struct(F.lit(name).alias("key"), pair.alias("value"))


def shown_columns(entity: Entity, *, change_type: Column, changed: Column | None = None) -> list[Column]:
    """The columns of the change log, from a row with its key, its instant and its capture; keys that did not change are only counted."""
    differs = changed if changed is not None else F.lit(None).cast(f"map<string,{_PAIR}>")
    return [
        F.col("capture_id"),
        F.when(change_type != UNCHANGED, F.to_json(F.struct(*(quoted(part.name) for part in entity.key)))).alias("natural_key"),
        change_type.alias("change_type"),
        F.col("at").alias("effective_ts"),
        differs.alias("changed_columns"),
        F.col("prev_path").alias("prev_snapshot_path"),
        F.col("path").alias("curr_snapshot_path"),
    ]
