"""Why a row may be set aside: codes that people and programs can rely on (R19)."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    UNREADABLE = "unreadable"
    FILE_UNREADABLE = "file_unreadable"
    NO_STABLE_KEY = "no_stable_key"
    KEY_MISSING = "key_missing"
    KEY_CAST = "key_cast"
    OP_UNKNOWN = "op_unknown"
    TIME_MISSING = "event_time_missing"
    TIME_IMPOSSIBLE = "event_time_impossible"
    SEQUENCE_CAST = "sequence_cast"
    VALUE_CAST = "value_cast"
    UNDECLARED = "undeclared_column"
    TOO_LATE = "too_late"
    CHECK = "check_failed"
    TRUNCATE = "truncate"


# What a row becomes that is neither landed nor set aside: ignored, or a truncate that the load headers keep (R17, R19).
IGNORED = "ignored"
TRUNCATED = "truncated"
BESIDE = (IGNORED, TRUNCATED)


# What a person may wave through; the others cannot become an assertion until the configuration or the data changes.
WAIVABLE = frozenset({Reason.UNDECLARED, Reason.TOO_LATE, Reason.CHECK})

WORDS = {
    Reason.UNREADABLE: "unreadable row",
    Reason.FILE_UNREADABLE: "unreadable file",
    Reason.NO_STABLE_KEY: "source without a stable key",
    Reason.KEY_MISSING: "no key",
    Reason.KEY_CAST: "key of another type",
    Reason.OP_UNKNOWN: "unknown operation",
    Reason.TIME_MISSING: "no event time",
    Reason.TIME_IMPOSSIBLE: "impossible event time",
    Reason.SEQUENCE_CAST: "sequence that is no number",
    Reason.VALUE_CAST: "value of another type",
    Reason.UNDECLARED: "undeclared column",
    Reason.TOO_LATE: "later than max_lateness",
    Reason.CHECK: "failed check",
    Reason.TRUNCATE: "truncate",
}
