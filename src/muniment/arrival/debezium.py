"""Debezium's events → raw rows for the gate: operation, time, sequence and key come from the envelope, values from the image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.arrival.envelope import BODY, EVENT, RECORD, open_envelopes
from muniment.arrival.images import LOGICAL, convert_values, drop_unsent, logical_types, untold_decimals
from muniment.arrival.moments import micros, positions
from muniment.gate.fields import Fields
from muniment.gate.rows import FIELDS, SPECIAL, TEXT, TRUNCATE, UNREADABLE, Rows
from muniment.model.debezium import OP, PREFIX, TIME
from muniment.model.source import Format

_MAP = "map<string,string>"
_KEY, _BEFORE, _AFTER, _ACT, _IMAGE = "__key", "__before", "__after", "__act", "__image"


def events(lines: DataFrame, *, fields: Fields) -> Rows:
    """Lines of events as objects; a key that an update changes is a delete of the old and an insert of the new one."""
    options = fields.source.read.options if fields.source.read else {}
    opened = _take_out(open_envelopes(lines.where(F.trim(TEXT) != "")))
    acts = opened.withColumn(_ACT, F.explode(_acts(_key_names(fields))))
    imaged = acts.withColumns({_IMAGE: drop_unsent(F.col(_ACT)["image"], options=options), UNREADABLE: _trouble(fields, options)})
    readable = F.col(UNREADABLE).isNull() & F.col(SPECIAL).isNull()
    rows = imaged.withColumn(FIELDS, F.when(readable, _fields(fields, options)))
    return Rows(_legible(rows.withColumn(SPECIAL, _special())), Format.DEBEZIUM.value, body=BODY)


def _take_out(opened: DataFrame) -> DataFrame:
    """The images, the message's key and the types of the schema, where there are any."""
    event = F.col(EVENT)
    key = F.from_json(F.col(RECORD)["key"], _MAP)
    inner = F.when(F.map_contains_key(key, "schema") & F.map_contains_key(key, "payload"), F.from_json(key["payload"], _MAP))
    return opened.withColumns(
        {
            _BEFORE: F.from_json(event["before"], _MAP),
            _AFTER: F.from_json(event["after"], _MAP),
            _KEY: F.coalesce(inner, key),
            LOGICAL: logical_types(),
        }
    )


def _key_names(fields: Fields) -> list[tuple[str, ...]]:
    return [fields.names(part.name) for part in fields.entity.key]


def _acts(key: Sequence[tuple[str, ...]]) -> Column:
    """What an event does: one thing, or two where an update changes the key."""
    op = F.col(EVENT)["op"]
    image = F.when(op == "d", F.coalesce(_BEFORE, F.create_map().cast(_MAP))).otherwise(F.col(_AFTER))
    nothing = F.lit(None).cast(_MAP)
    moved = F.lit(False)
    for names in key:
        old, new = (F.coalesce(*(F.col(side)[name] for name in names)) for side in (_BEFORE, _AFTER))
        moved = moved | F.coalesce(old != new, F.lit(False))
    gone, come = _act(F.lit("d"), F.col(_BEFORE), nothing), _act(F.lit("c"), F.col(_AFTER), nothing)
    return F.when((op == "u") & moved, F.array(gone, come)).otherwise(F.array(_act(op, image, F.col(_KEY))))


def _act(op: Column, image: Column, key: Column) -> Column:
    return F.struct(op.alias("op"), image.alias("image"), key.alias("key"))


def _trouble(fields: Fields, options: Mapping[str, str]) -> Column:
    """Why an event that could be opened is none that can be judged."""
    image, op = F.col(_ACT)["image"], F.col(EVENT)["op"]
    twice = F.size(F.map_keys(image)) > F.size(F.array_distinct(F.map_keys(image)))
    untold = untold_decimals(image, fields=fields, options=options)
    words = F.concat(F.array_join(untold, ", "), F.lit(": text or base64? say 'decimal.handling.mode' in the options of 'read'"))
    found = (
        F.when(op.isin("c", "r", "u") & image.isNull(), F.lit("the event has no after-image"))
        .when(twice, F.lit("a field is there twice"))
        .when(F.size(untold) > 0, words)
    )
    return F.coalesce(UNREADABLE, F.when(F.col(SPECIAL).isNull(), found))


def _fields(fields: Fields, options: Mapping[str, str]) -> Column:
    """The image in text the gate can cast, the parts of the key as the message has them, and the envelope's own fields."""
    names = [name for part in _key_names(fields) for name in part]
    key = F.map_filter(F.coalesce(F.col(_ACT)["key"], F.create_map().cast(_MAP)), lambda name, value: name.isin(*names) & value.isNotNull())
    image = F.coalesce(F.col(_IMAGE), F.create_map().cast(_MAP))
    rest = F.map_filter(image, lambda name, _: ~F.map_contains_key(key, name) & ~name.startswith(PREFIX))
    told = {OP: F.col(_ACT)["op"], TIME: micros(), **positions()}
    envelope = F.create_map(*(part for name, value in told.items() for part in (F.lit(name), value)))
    return convert_values(F.map_concat(rest, key), fields=fields, options=options, beside=envelope)


def _special() -> Column:
    return F.coalesce(SPECIAL, F.when(F.col(UNREADABLE).isNull() & (F.col(EVENT)["op"] == "t"), F.lit(TRUNCATE)))


def _legible(rows: DataFrame) -> DataFrame:
    """What is no text is kept as base64 of its bytes: a table of text must not hold it as it came."""
    return rows.withColumn(TEXT, F.when(F.is_valid_utf8(TEXT), F.col(TEXT)).otherwise(F.base64(F.col(TEXT).cast("binary"))))
