"""What Debezium's envelope says beside the row: the fields it gets here, and what the gate makes of them."""

from __future__ import annotations

from muniment.model.source import ColumnTime, Ops

PREFIX = "__debezium."  # Debezium's own prefix: no column of a table begins with it
OP = f"{PREFIX}op"
TIME = f"{PREFIX}time"
SEQUENCE = (f"{PREFIX}position", f"{PREFIX}within", f"{PREFIX}order")

MARKER = "unavailable.value.placeholder"
DECIMALS = "decimal.handling.mode"
TIMES = "time.precision.mode"
OPTIONS = {  # the connector's own settings, by the connector's own names, and what they may be
    MARKER: (),
    DECIMALS: ("precise", "string", "double"),
    TIMES: ("adaptive", "adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"),
    "multiLine": ("true", "false"),
}

ENVELOPE_TIME = ColumnTime(TIME, "unix_us")
ENVELOPE_OPS = Ops(OP, insert=("c", "r"), update=("u",), delete=("d",))
