"""The canonical form and its hashes in plain Python, written from SPEC.md alone: what a stranger would write to check a lake."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from pyspark.sql import types as T

NULL = "n0:"
WHITE = " \t\n\r\x0b\x0c"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)


def tagged(tag: str, text: str) -> str:
    return f"{tag}{len(text.encode())}:{text}"


def encode(value: Any, kind: T.DataType) -> str:
    if value is None:
        return NULL
    if isinstance(kind, T.ArrayType):
        return tagged("a", "".join(encode(item, kind.elementType) for item in value))
    if isinstance(kind, T.MapType):
        entries = (encode(k, kind.keyType) + encode(v, kind.valueType) for k, v in value.items())
        return tagged("p", "".join(sorted(entries, key=str.encode)))
    if isinstance(kind, T.StructType):
        return struct({field.name: encode(value[number], field.dataType) for number, field in enumerate(kind.fields)})
    return tagged(*scalar(value, kind))


def struct(encoded: Mapping[str, str]) -> str:
    names = sorted(encoded, key=str.encode)
    return tagged("r", "".join(tagged("s", name) + encoded[name] for name in names))


def scalar(value: Any, kind: T.DataType) -> tuple[str, str]:
    if isinstance(kind, T.StringType):
        return "s", value
    if isinstance(kind, T.BooleanType):
        return "b", "true" if value else "false"
    if isinstance(kind, _WHOLE):
        return "i", str(value)
    if isinstance(kind, T.DecimalType):
        return "m", plain(value)
    if isinstance(kind, T.FloatType | T.DoubleType):
        return "f", hexadecimal(value)
    if isinstance(kind, T.BinaryType):
        return "x", bytes(value).hex()
    return moment(value, kind)


def moment(value: Any, kind: T.DataType) -> tuple[str, str]:
    if isinstance(kind, T.DateType):
        return "d", str((value - date(1970, 1, 1)).days)
    if isinstance(kind, T.TimestampType):
        return "t", str((value - _EPOCH) // timedelta(microseconds=1))
    assert isinstance(kind, T.TimestampNTZType)
    fraction = f".{value.microsecond:06d}".rstrip("0").rstrip(".")
    return "u", f"{value.year:04d}-{value.month:02d}-{value.day:02d} {value.hour:02d}:{value.minute:02d}:{value.second:02d}{fraction}"


def plain(value: Decimal) -> str:
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def hexadecimal(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    head, exponent = (value + 0.0).hex().split("p")
    sign = "-" if head.startswith("-") else ""
    lead, _, digits = head.removeprefix("-").removeprefix("0x").partition(".")
    if lead == "0" and not digits.strip("0"):
        return "0x0.0p0"
    return f"{sign}0x{lead}.{digits.rstrip('0') or '0'}p{int(exponent)}"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def key(parts: Mapping[str, tuple[Any, T.DataType]]) -> str:
    return sha256(struct({name: encode(*part) for name, part in parts.items()}))


def attributes(tracked: Mapping[str, tuple[Any, T.DataType]]) -> str:
    return sha256(struct({name: encode(*part) for name, part in tracked.items() if part[0] is not None}))


def record(stated: Mapping[str, tuple[Any, T.DataType]], is_deleted: bool | None) -> str:
    encoded = {name: encode(*part) for name, part in stated.items()}
    return sha256(struct({**encoded, "is_deleted": encode(is_deleted, T.BooleanType())}))


def rounded(value: float, scale: int) -> float:
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP))


def row_digest(salt: str, columns: Mapping[str, tuple[Any, T.DataType]]) -> str:
    return sha256(salt + struct({name: encode(*part) for name, part in columns.items() if part[0] is not None}))


def joined(parts: Sequence[str]) -> str:
    return sha256("".join(f"{len(part.encode())}:{part}" for part in parts))


def run_digest(digests: Sequence[str]) -> str:
    lanes = [sum(int(digest[8 * lane : 8 * lane + 8], 16) for digest in digests) for lane in range(8)]
    return joined([str(len(digests)), *(str(lane) for lane in lanes)])
