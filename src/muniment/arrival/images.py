"""The values of an image: what was not sent is left out, what Connect encodes is written out (R11)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.arrival.envelope import EVENT, SCHEMA
from muniment.arrival.logical import day_text, decimal_text, looks_encoded, moment_text
from muniment.gate.fields import Fields
from muniment.model.debezium import DECIMALS, MARKER, TIMES

LOGICAL = "__logical"  # per field of the image: its logical type and scale, null without a schema
_Convert = Callable[[Column, Column], Column]
UNSENT = "__debezium_unavailable_value"
_DECIMAL = "org.apache.kafka.connect.data.Decimal"
_SCHEMA = "fields array<struct<field: string, fields: array<struct<field: string, name: string, parameters: map<string,string>>>>>"


def drop_unsent(image: Column, *, options: Mapping[str, str]) -> Column:
    """An image without the values that the connector says it could not send: absent, not null (R11)."""
    marks = unsent_marks(options.get(MARKER, UNSENT))
    return F.map_filter(image, lambda _, value: value.isNull() | ~F.regexp_replace(value, r"\s", "").isin(*marks))


def unsent_marks(text: str) -> tuple[str, ...]:
    """The marker in the forms it takes in text, binary, lists and maps, without spaces."""
    word = json.dumps(text)
    codes = json.dumps(list(text.encode()), separators=(",", ":"))
    return text, base64.b64encode(text.encode()).decode(), f"[{word}]", f"{{{word}:{word}}}", codes


def logical_types() -> Column:
    """The fields of the schema's image with their logical types."""
    sides = F.from_json(SCHEMA, _SCHEMA)["fields"]
    return F.try_element_at(F.filter(sides, lambda side: side["field"].isin("before", "after")), F.lit(-1))["fields"]


def convert_values(image: Column, *, fields: Fields, options: Mapping[str, str], beside: Column) -> Column:
    """Each value of the image as text that its declared type can be cast from; the envelope's own fields stay as they are."""
    cases = tuple(_cases(fields, options))

    def converted(name: Column, value: Column) -> Column:
        known = F.try_element_at(F.filter(LOGICAL, lambda field: field["field"] == name), F.lit(1))
        result = F.when(F.lit(False), value)
        for names, convert in cases:
            result = result.when(name.isin(*names), convert(value, known))
        return result.otherwise(value)

    return F.map_concat(F.transform_values(image, converted) if cases else image, beside)


def untold_decimals(image: Column, *, fields: Fields, options: Mapping[str, str]) -> Column:
    """The decimals that could be a number in text or base64 of one, where neither schema nor setting says which."""
    names = [name for scale in _decimals(fields).values() for name in scale]
    if options.get(DECIMALS) or not names:
        return F.array().cast("array<string>")

    def untold(name: str) -> Column:
        value = image[name]
        return F.when(
            F.col(LOGICAL).isNull() & value.isNotNull() & ~value.startswith("{") & looks_encoded(value).isNull() & _quoted(name),
            F.lit(name),
        )

    return F.array_compact(F.array(*(untold(name) for name in names)))


def _quoted(name: str) -> Column:
    """Whether the image has text there; a plain number is no base64."""
    written = json.dumps(name, ensure_ascii=False)
    return F.concat_ws(" ", F.col(EVENT)["before"], F.col(EVENT)["after"]).rlike(rf'\Q{written}\E\s*:\s*"')


def _cases(fields: Fields, options: Mapping[str, str]) -> Iterator[tuple[list[str], _Convert]]:
    """Which names take which way from what came to text."""
    times = options.get(TIMES, "adaptive").lower()
    days, moments, floats = (_named(fields, *kinds) for kinds in (("date",), ("timestamp", "timestamp_ntz"), ("double", "float")))
    if days:
        yield days, lambda value, known: day_text(value, known["name"], mode=times)
    if moments:
        yield moments, lambda value, known: moment_text(value, known["name"], mode=times)
    if floats:
        yield floats, lambda value, known: decimal_text(value, scale=_scale(known), mode=_mode(known, F.lit("string")))
    for scale, names in _decimals(fields).items():
        yield names, _decimal(F.lit(scale), options.get(DECIMALS))


def _decimal(scale: Column, mode: str | None) -> _Convert:
    def convert(value: Column, known: Column) -> Column:
        unschooled = F.lit(mode) if mode else looks_encoded(value)
        return decimal_text(value, scale=F.coalesce(_scale(known), scale), mode=_mode(known, unschooled))

    return convert


def _mode(known: Column, otherwise: Column) -> Column:
    """How a decimal is written: by its schema where there is one."""
    return F.when(known["name"] == _DECIMAL, "precise").when(F.col(LOGICAL).isNotNull(), "string").otherwise(otherwise)


def _scale(known: Column) -> Column:
    return known["parameters"]["scale"].try_cast("int")


def _decimals(fields: Fields) -> dict[int, list[str]]:
    """Names in the data of what is declared as a decimal, by scale."""
    kinds = {kind for _, kind in _declared(fields) if kind.startswith("decimal(")}
    found: dict[int, list[str]] = {}
    for kind in sorted(kinds):
        found.setdefault(int(kind.removesuffix(")").split(",")[1]), []).extend(_named(fields, kind))
    return found


def _named(fields: Fields, *kinds: str) -> list[str]:
    return [name for meant, kind in _declared(fields) if kind in kinds for name in fields.names(meant)]


def _declared(fields: Fields) -> list[tuple[str, str]]:
    entity = fields.entity
    return [*((part.name, part.type) for part in entity.key), *((a.name, a.type) for a in entity.attributes)]
