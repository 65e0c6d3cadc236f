"""Pin: an answer kept by name, with the proof of how it was made; made again from the log it is equal."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from muniment import clock
from muniment.canon.encode import encode_fields, encode_present, identifier
from muniment.canon.hashes import hashed
from muniment.columns import PIN
from muniment.errors import BadArgument
from muniment.evidence.slots import named
from muniment.lake.changes import Where
from muniment.lake.location import literal
from muniment.lake.tables import Lake
from muniment.ledger.digest import lanes, seal
from muniment.ledger.runs import ensure
from muniment.model.tables import belief_columns, log_name, pin_columns, pin_name
from muniment.steps.believe import belief
from muniment.steps.errors import PinDiffers, PinTaken
from muniment.steps.kept import keeping
from muniment.steps.resolve import Ruling, refuse_facts
from muniment.steps.results import Pinned
from muniment.steps.ruling import ruled_at
from muniment.steps.timeline import Asked

TABLE = "ops.pin"
_SCHEMA = ", ".join(f"{col.name} {col.type}" for col in PIN)
_MOMENTS = ("as_of", "known_at")


def pin(lake: Lake, asked: Asked, name: str, *, ruling: Ruling) -> Pinned:
    """Keep what is believed at a time, as known at a time, under a name; the same again proves that it is still so."""
    refuse_facts(asked.entity)
    if not lake.table(log_name(asked.entity)).exists():
        raise BadArgument(argument="entity", problem=f"nothing was landed of {asked.entity.name} yet", advice="Land something first.")
    with lake.lock(f"pin {asked.entity.name}"):
        ensure(lake)
        lake.table(TABLE).create(PIN, comment="Answers that are kept")
        held = _held(lake, asked.entity.name, name)
        wanted = _wanted(asked, held, name)
        with keeping() as kept:
            rows = kept.keep(belief(lake, wanted).select(*named(col.name for col in belief_columns(asked.entity))))
            made = _proved(lake, wanted, name, rows)
            if held is not None:
                return _equal(made, held)
            _keep(lake, wanted, made, rows=rows, ruling=ruling)
    return made


def pins(lake: Lake, entity: str | None = None) -> DataFrame:
    """The answers that are kept, newest first."""
    table = lake.table(TABLE)
    rows = table.read() if table.exists() else lake.spark.createDataFrame([], _SCHEMA)
    return (rows if entity is None else rows.where(F.col("entity") == entity)).orderBy(F.desc("made_at"))


def digest(rows: DataFrame) -> tuple[int, str]:
    """How many rows, and a digest in which their order does not matter."""
    fields = [(f.name, encode_present(identifier(f.name), f.dataType)) for f in rows.schema.fields]
    sums = rows.select(hashed(encode_fields(fields)).alias("d")).agg(F.count(F.lit(1)).alias("rows"), *lanes("d", "d")).collect()
    return int(sums[0]["rows"]), seal(sums, "d", count="rows")


def _held(lake: Lake, entity: str, name: str) -> Row | None:
    mine = (F.col("entity") == entity) & (F.col("name") == name)
    moments = (F.unix_micros(each).alias(each) for each in _MOMENTS)
    return lake.table(TABLE).read().where(mine).select("digest", *moments).first()


def _wanted(asked: Asked, held: Row | None, name: str) -> Asked:
    """A pin that is there keeps its times; others must not be given for it."""
    now = clock.now()
    if held is None:
        return replace(asked, as_of=asked.as_of or now, known_at=asked.known_at or now)
    then: list[datetime] = [clock.from_micros(held[each]) or now for each in _MOMENTS]
    if (asked.as_of or then[0], asked.known_at or then[1]) != (then[0], then[1]):
        raise PinTaken(entity=asked.entity.name, name=name, as_of=then[0].isoformat(), known_at=then[1].isoformat())
    return replace(asked, as_of=then[0], known_at=then[1])


def _proved(lake: Lake, asked: Asked, name: str, rows: DataFrame) -> Pinned:
    as_of, known_at = asked.as_of or clock.now(), asked.known_at or clock.now()
    log = lake.table(log_name(asked.entity))
    count, found = digest(rows)
    version = ruled_at(lake, asked.entity, known_at)[1]
    return Pinned(name, asked.entity.name, as_of, known_at, count, found, version, log.version(), log.last_metadata("link") or "")


def _equal(made: Pinned, held: Row) -> Pinned:
    if made.digest != held["digest"]:
        raise PinDiffers(entity=made.entity, name=made.name, found=made.digest, kept=held["digest"])
    return replace(made, repeated=True)


def _keep(lake: Lake, asked: Asked, made: Pinned, *, rows: DataFrame, ruling: Ruling) -> None:
    """The rows first, in the place of any that a dead run left; the record makes them a pin."""
    table = lake.table(pin_name(asked.entity))
    table.create(pin_columns(asked.entity), comment=f"Answers about {asked.entity.name} that are kept", partition=["pin"])
    shaped = rows.select(F.lit(made.name).alias("pin"), *named(rows.columns))
    where = Where(f"pin = {literal(made.name)}")
    table.replace(
        shaped, where=where, txn=f"pin:{made.name}", txn_version=table.version() + 1, metadata={"pin": made.name, "digest": made.digest}
    )
    row = (
        made.name, made.entity, made.as_of, made.known_at, made.rows, made.digest, made.rule_version, made.log_version, made.log_link,
        ruling.by, ruling.reason, clock.now(),
    )  # fmt: skip
    lake.table(TABLE).append(lake.spark.createDataFrame([row], _SCHEMA), metadata={"pin": made.name})
