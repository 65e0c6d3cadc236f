"""Reading the timeline: all of it, one key, at a time, as known at a time (R5, R22, R29)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.canon.compare import same
from muniment.canon.hashes import key_hash, kinds_of, quoted
from muniment.errors import BadArgument
from muniment.evidence.events import add_corrected_by
from muniment.evidence.origin import with_origins
from muniment.gate.cast import cast
from muniment.lake.tables import Lake
from muniment.model.entity import Deletes, Entity, Kind
from muniment.model.tables import derived_columns, derived_name
from muniment.steps.evidence import evidence_at
from muniment.steps.position import newest

Key = str | int | Mapping[str, object]
_INNER = ("stated", "last_order")


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants to see of an entity."""

    entity: Entity
    key: Key | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None


def history(lake: Lake, asked: Asked) -> DataFrame:
    """The versions asked for; with `known_at` folded again from what had been received by then, which is exact by construction."""
    sk = None if asked.key is None else key_of(lake, asked.entity, asked.key)
    versions = _held(lake, asked.entity, sk) if asked.known_at is None else _known(lake, asked, sk)
    if asked.entity.kind is Kind.EVENT:
        facts = add_corrected_by(versions, entity=asked.entity)
        return facts if asked.as_of is None else facts.where(F.col("source_event_ts") <= F.lit(asked.as_of))
    shown = with_origins(versions.drop(*_INNER))
    if asked.entity.history.deletes is Deletes.CLOSE:
        shown = shown.where(~F.col("is_deleted"))  # R16
    return shown if asked.as_of is None else shown.where(holds_at(F.lit(asked.as_of)))


def holds_at(moment: Column) -> Column:
    """The interval holds the moment: from is inside, to is not (R5)."""
    return (F.col("effective_from") <= moment) & (F.col("effective_to").isNull() | (F.col("effective_to") > moment))


def changes(versions: DataFrame, *, entity: Entity, since: datetime | None, until: datetime | None) -> DataFrame:
    """One row per attribute that differs from the version before it in the entity's chain."""
    chain = Window.partitionBy("sk").orderBy("effective_from", "precedence_rank", "source_system")
    names = [a.name for a in entity.attributes] + ["is_deleted"]
    visible = versions.where(F.col("effective_to").isNull() | (F.col("effective_to") > F.col("effective_from")))
    befores = visible.withColumns({f"_old_{n}": F.lag(quoted(name)).over(chain) for n, name in enumerate(names)})
    items = F.array(*(_change(n, name) for n, name in enumerate(names)))
    told = befores.select(
        "sk", *(quoted(part.name) for part in entity.key), "effective_from", F.explode(F.array_compact(items)).alias("c"),
        "source_system", "source_event_ts", F.col("first_seen_ts").alias("received"), "assertion_id",
    )  # fmt: skip
    inside = (F.lit(since is None) | (F.col("effective_from") >= F.lit(since))) & (
        F.lit(until is None) | (F.col("effective_from") < F.lit(until))
    )
    return told.where(inside).select(
        *(quoted(part.name) for part in entity.key), "effective_from", "c.attribute", "c.old", "c.new", "source_system", "source_event_ts",
        "received", "assertion_id",
    )  # fmt: skip


def key_of(lake: Lake, entity: Entity, key: Key) -> str:
    """The `sk` of a key as people write it: a scalar, or a mapping for a key of several columns."""
    given = dict(key) if isinstance(key, Mapping) else {entity.key[0].name: key}
    wanted = [part.name for part in entity.key]
    if set(given) != set(wanted) or (len(wanted) > 1 and not isinstance(key, Mapping)):
        raise BadArgument(
            argument="key", problem=f"{entity.name} is known by {', '.join(wanted)}", advice="Give a value for each, as a mapping."
        )
    one = lake.spark.range(1)
    text = one.select(*(F.lit(str(given[name])).alias(name) for name in wanted))
    typed = text.select(*(cast(quoted(p.name), text.schema[p.name].dataType, p.type).value.alias(p.name) for p in entity.key))
    row = typed.select(
        key_hash(entity, kinds_of(typed.schema)).alias("sk"), F.array(*(quoted(n).isNull() for n in wanted)).alias("bad")
    ).first()
    if row is None or any(row["bad"]):
        kinds = ", ".join(f"{part.name} {part.type}" for part in entity.key)
        raise BadArgument(argument="key", problem=f"{given} is not a key of {entity.name}", advice=f"Its key is {kinds}.")
    return str(row["sk"])


def _held(lake: Lake, entity: Entity, sk: str | None) -> DataFrame:
    table = lake.table(derived_name(entity))
    if not table.exists():
        return lake.spark.createDataFrame([], ", ".join(f"`{col.name}` {col.type}" for col in derived_columns(entity)))
    return table.read() if sk is None else table.read().where(F.col("sk") == sk)


def _known(lake: Lake, asked: Asked, sk: str | None) -> DataFrame:
    evidence = evidence_at(lake, asked.entity, newest(lake, asked.entity, asked.known_at))
    evidence = evidence if sk is None else evidence.of_key(sk)
    return (evidence if asked.known_at is None else evidence.known_at(asked.known_at)).fold(few=sk is not None)


def _change(number: int, name: str) -> Column:
    old, new = F.col(f"_old_{number}"), quoted(name)
    said = F.struct(F.lit(name).alias("attribute"), _shown(old).alias("old"), _shown(new).alias("new"))
    return F.when(~same(old, new), said)


def _shown(value: Column) -> Column:
    return value.cast("string")
