"""What Kafka Connect writes for types that JSON lacks → text that the gate can cast: decimals, days, and times of three precisions."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.gate.times import utc_text

# What lies beyond, infinity included, becomes the bound; the bounds of time can be read in every zone.
FIRST, LAST = "0001-01-01", "9999-12-31"
FIRST_MOMENT, LAST_MOMENT = "0001-01-03T00:00:00.000000Z", "9999-12-31T00:00:00.000000Z"
_NUMBER = r"^-?\d+$"
_DECIMAL = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_BASE64 = r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_DAY = 86_400_000_000
_EARLIEST, _LATEST = -62_135_424_000_000_000, 253_402_214_400_000_000
_MILLIS = ("io.debezium.time.Timestamp", "org.apache.kafka.connect.data.Timestamp")
_UNITS = {"connect": 1000, "microseconds": 1, "nanoseconds": -1000}


def day_text(value: Column, logical: Column, *, mode: str) -> Column:
    """Days since 1970 as a date; what is too large for days is a time."""
    number = value.try_cast("bigint")
    is_days = F.coalesce(logical.endswith("Date"), (number >= -(2**31)) & (number < 2**31))
    held = F.least(F.greatest(number, F.lit(-719_162)), F.lit(2_932_896)).cast("int")
    days = F.date_add(F.lit("1970-01-01").cast("date"), held).cast("string")
    text = F.when(is_days, days).otherwise(F.substring(moment_text(value, logical, mode=mode), 1, 10))
    return _or_infinite(value, text, bounds=(FIRST, LAST))


def moment_text(value: Column, logical: Column, *, mode: str) -> Column:
    """A number since 1970 as ISO-8601 in UTC: the schema says the unit, else the connector's setting, else its size."""
    number = value.try_cast("bigint")
    by_schema = (
        F.when(logical.isin(*_MILLIS), _times(number, 1000))
        .when(logical.endswith("MicroTimestamp"), number)
        .when(logical.endswith("NanoTimestamp"), _thousandth(number))
        .when(logical.endswith("Date"), _times(number, _DAY))
    )
    micros = F.coalesce(by_schema, _by_mode(number, mode))
    held = F.least(F.greatest(micros, F.lit(_EARLIEST)), F.lit(_LATEST))
    return _or_infinite(value, utc_text(F.timestamp_micros(held)), bounds=(FIRST_MOMENT, LAST_MOMENT))


def decimal_text(value: Column, *, scale: Column, mode: Column) -> Column:
    """Digits as text: base64 of the unscaled number where the field is that, a variable scale beside its number, or what it is already."""
    own = F.from_json(value, "scale int, value string")
    encoded = mode == "precise"
    return (
        F.when(value.startswith("{"), F.coalesce(_scaled(own["value"], own["scale"]), value))
        .when(encoded & value.rlike(_BASE64), F.coalesce(_scaled(value, scale), value))
        .otherwise(value)
    )


def looks_encoded(value: Column) -> Column:
    """Base64 that cannot be a number, a number that cannot be base64, or null: nobody could tell."""
    return F.when(value.rlike(_BASE64) & ~value.rlike(_DECIMAL), F.lit("precise")).when(~value.rlike(_BASE64), F.lit("string"))


def _or_infinite(value: Column, number: Column, *, bounds: tuple[str, str]) -> Column:
    first, last = bounds
    return F.when(value == "infinity", last).when(value == "-infinity", first).when(value.rlike(_NUMBER), number).otherwise(value)


def _times(number: Column, factor: int) -> Column:
    """A product that stops at the largest number there is."""
    return F.coalesce(F.try_multiply(number, F.lit(factor)), (F.signum(number) * F.lit(2**62)).cast("bigint"))


def _thousandth(number: Column) -> Column:
    return F.floor(number.cast("decimal(20,0)") / 1000).cast("bigint")  # a double would lose the last digits


def _by_mode(number: Column, mode: str) -> Column:
    """Without a schema the size tells: in the years 1900 to 2199 the three units do not meet but close to 1970."""
    if mode in _UNITS:
        return _times(number, _UNITS[mode]) if _UNITS[mode] > 0 else _thousandth(number)
    size = F.abs(number)
    nanos = (size >= F.lit(10**17)) & (size < F.lit(9_000_000_000_000_000_000))  # beyond that is infinity, in microseconds
    return F.when(nanos, _thousandth(number)).when(size >= 7_300_000_000_000, number).otherwise(_times(number, 1000))


def _scaled(encoded: Column, scale: Column) -> Column:
    """Base64 of a big-endian two's complement number of up to 16 bytes, with its point put in."""
    hexed = F.hex(F.try_to_binary(encoded, F.lit("base64")))
    negative = hexed.rlike("^[89A-F]")
    padded = F.concat(F.repeat(F.when(negative, "F").otherwise("0"), F.lit(32) - F.length(hexed)), hexed)
    parts = [F.conv(F.substring(padded, 8 * place + 1, 8), 16, 10).cast("decimal(10,0)") for place in range(4)]
    sizes = [F.when(negative, F.lit(2**32 - 1).cast("decimal(10,0)") - part).otherwise(part) for part in parts]
    total = F.when(negative, F.lit(1)).otherwise(F.lit(0)).cast("decimal(38,0)")
    for place, size in enumerate(sizes):
        weight = F.lit(str(2 ** (32 * (3 - place)))).cast("decimal(29,0)")
        total = F.try_add(total, F.try_multiply(size.cast("decimal(10,0)"), weight).cast("decimal(38,0)"))
    digits = total.cast("string")
    filled = F.concat(F.repeat(F.lit("0"), F.greatest(scale + 1 - F.length(digits), F.lit(0))), digits)
    whole = F.substring(filled, F.lit(1), F.length(filled) - scale)
    text = F.concat(
        F.when(negative, "-").otherwise(""), whole, F.when(scale > 0, F.concat(F.lit("."), F.right(filled, scale))).otherwise("")
    )
    return F.when((F.length(hexed) <= 32) & (F.length(hexed) > 0), text)
