"""When an event happened, and its place among the events of that instant, by the source block of each connector (R6)."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.arrival.envelope import EVENT
from muniment.model.debezium import SEQUENCE, TIME


def micros() -> Column:
    """Microseconds since 1970, as text: the source's own time, in the finest unit that it gives."""
    event = F.col(EVENT)
    spoken = _micros(event["source"])
    return F.coalesce(spoken, F.when(event["op"] == "r", _micros(event))).alias(TIME)  # older snapshots have no source time


def positions() -> dict[str, Column]:
    """The parts of the sequence, as text: the position in the database's log, the place within it, the order in the transaction."""
    source = F.col(EVENT)["source"]
    parts = (
        F.coalesce(
            source["lsn"], _binlog(source), _lsn(source["commit_lsn"]), source["commit_scn"], source["scn"], _last(source["sequence"])
        ),
        F.coalesce(_lsn(source["change_lsn"]), source["row"]),
        F.coalesce(source["event_serial_no"], F.col(EVENT)["transaction"]["total_order"]),
    )
    return dict(zip(SEQUENCE, parts, strict=True))


def _micros(block: Column) -> Column:
    nanos, millis = (block[name].try_cast("bigint") for name in ("ts_ns", "ts_ms"))
    found = F.coalesce(block["ts_us"].try_cast("bigint"), F.floor(nanos.cast("decimal(20,0)") / 1000), millis * 1000)
    return F.when(found != 0, found.cast("bigint").cast("string"))


def _binlog(source: Column) -> Column:
    """MySQL: the number of the binlog file, then the place in it, as one number; an incremental snapshot has neither."""
    number = F.regexp_extract(source["file"], r"(\d+)$", 1)
    return F.when(number != "", F.concat(number, F.lpad(source["pos"], 20, "0")))


def _lsn(text: Column) -> Column:
    """SQL Server and Db2: three hexadecimal numbers, as one decimal number that keeps their order."""
    parts = [F.conv(F.regexp_extract(text, r"^([0-9a-fA-F]+):([0-9a-fA-F]+):([0-9a-fA-F]+)$", part), 16, 10) for part in (1, 2, 3)]
    return F.when(
        text.rlike("^[0-9a-fA-F]+:[0-9a-fA-F]+:[0-9a-fA-F]+$"), F.concat(parts[0], F.lpad(parts[1], 10, "0"), F.lpad(parts[2], 10, "0"))
    )


def _last(sequence: Column) -> Column:
    """The last of `source.sequence`; its first part is lost when a connector starts again, so a repeat could not be known by it."""
    return F.try_element_at(F.from_json(sequence, "array<string>"), F.lit(-1))
