"""Tales: what a few sources said, in the order it was heard, and the table a person expects; many of them are folded in one job."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from pyspark.sql import DataFrame, Row, SparkSession

from muniment.clock import utc
from muniment.columns import LOAD
from muniment.evidence.absence import gone
from muniment.evidence.fold import fold
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.entity import Completion, Deletes, Entity, HistorySettings
from muniment.model.source import Absence, Complete, LoadType, Source
from muniment.model.tables import log_columns

from tests.spark.evidence.bridge import accepted_of, origin_of, table_of

CUSTOMER = Entity(
    name="customer",
    key=(KeyPart("tale", "string"), KeyPart("id", "string")),
    attributes=(
        Attribute("name", "string"),
        Attribute("address", "string"),
        Attribute("status", "string"),
        Attribute("region", "string"),
        Attribute("nick", "string", trim=True),
        Attribute("balance", "double", scale=2),
        Attribute("note", "string", track=False),
    ),
    precedence=("core", "crm"),
)
AS_RECEIVED = replace(CUSTOMER, history=HistorySettings(completion=Completion.AS_RECEIVED))
CLOSE = replace(CUSTOMER, history=HistorySettings(deletes=Deletes.CLOSE))

DAY = "2026-03-{day} {time}+00:00"
HEARD = utc("2026-04-01")
DELETED = {"insert": False, "update": None, "delete": True}


@dataclass(frozen=True, slots=True)
class Hears:
    """One row that arrived."""

    source: str
    at: str
    op: str = "update"
    key: str = "C1"
    seq: tuple[int, ...] | None = None
    file: str | None = None
    load: str = "PARTIAL"
    heard: int | None = None  # which arrival it belongs to; None: one of its own
    says: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loads:
    """A complete load that arrived with its rows; each of them says where its key lives."""

    source: str
    at: str
    keys: Mapping[str, str]
    complete: bool = True
    accepted: bool = False
    scopes: tuple[str, ...] = ()  # scopes it speaks for though it has no row of them


Heard = Hears | Loads


@dataclass(frozen=True, slots=True)
class Tale:
    """A sentence, what was heard, and the history that follows; the table's head says which columns are looked at."""

    sentence: str
    heard: Sequence[Heard]
    history: str
    entity: Entity = CUSTOMER
    absence: Complete | None = None  # the guard of the source `list`
    scope: tuple[str, ...] = ()


def hears(source: str, at: str, op: str = "update", **says: object) -> Hears:
    """A source said something of C1; a word with an underscore is about the row, not in it."""
    about = {name: says.pop(f"{name}_") for name in ("key", "seq", "file", "load", "heard") if f"{name}_" in says}
    return replace(Hears(source, at, op, says=says), **about)  # type: ignore[arg-type]  # the words are those of the class


def loads(source: str, at: str, *keys: str, **about: object) -> Loads:
    """A complete load of these keys, each `key` or `key@region`."""
    lives = {key.partition("@")[0]: key.partition("@")[2] or "EU" for key in keys}
    return replace(Loads(source, at, lives), **about)  # type: ignore[arg-type]


def tell(spark: SparkSession, tales: Sequence[Tale]) -> dict[str, list[Row]]:
    """The rows of every tale's history by its sentence; tales of one entity are one job, each with keys and sources of its own."""
    entity = entity_of_all(tales)
    log = table_of(spark, (row for tale in tales for row in log_rows(tale)), log_columns(entity))
    headers = table_of(spark, (row for tale in tales for row in load_rows(tale)), LOAD)
    accepted = accepted_of(spark, (row["load_id"] for tale in tales for row in load_rows(tale) if row["_accepted"]))  # type: ignore[misc]
    rows = log.drop("salt", "row_digest").unionByName(gone(log, headers, accepted, entity=entity))
    found: dict[str, list[Row]] = {tale.sentence: [] for tale in tales}
    for row in fold(rows, entity=entity).collect():
        found[row["tale"]].append(row)
    return found


def entity_of_all(tales: Sequence[Tale]) -> Entity:
    (entity,) = {id(tale.entity): tale.entity for tale in tales}.values()
    return replace(entity, sources=tuple(_list(tale) for tale in tales if tale.absence))


def entity_with(tale: Tale) -> Entity:
    """The tale's entity with its own source of complete loads."""
    return entity_of_all([tale])


def _list(tale: Tale) -> Source:
    complete = tale.absence or Complete()
    return Source(list_name(tale), load=LoadType.FULL, absence=Absence.DELETES, complete=complete, scope=tale.scope)


def list_name(tale: Tale) -> str:
    """The tale's own source of complete loads."""
    return f"list of {tale.sentence}"


def log_rows(tale: Tale) -> Iterable[dict[str, object]]:
    """The tale's rows of the log, each arrival one minute after the one before."""
    for arrival, heard in enumerate(tale.heard, 1):
        if isinstance(heard, Hears):
            yield _log_row(tale, heard, arrival=heard.heard or arrival)
        else:
            for key, region in heard.keys.items():
                row = Hears(heard.source, heard.at, "insert", key, load="FULL", says={"name": key, "region": region})
                yield _log_row(tale, row, arrival=arrival)


def _log_row(tale: Tale, row: Hears, *, arrival: int) -> dict[str, object]:
    source = list_name(tale) if row.source == "list" else row.source
    record = _hash(row.op, sorted(row.says.items()))
    return {
        **row.says,
        "tale": tale.sentence,
        "id": row.key,
        "sk": _hash(tale.sentence, row.key),
        "assertion_id": _hash(tale.sentence, row.key, source, row.at, row.seq, record),
        "source_system": source,
        "source_file": row.file,
        "ingest_run_id": f"run {arrival}",
        "ingest_ts": received(arrival),
        "source_event_ts": time(row.at),
        "source_sequence": None if row.seq is None else [Decimal(part) for part in row.seq],
        "load_type": row.load,
        "op": row.op,
        "is_deleted": False if row.load != "PARTIAL" and row.op == "update" else DELETED[row.op],
        "asserted": list(row.says),
        "record_hash": record,
        "attr_hash": "of the log",
        "hash_version": 0,
        "time_basis": "SOURCE",
    }


def load_rows(tale: Tale) -> Iterable[dict[str, object]]:
    """The tale's load headers."""
    for arrival, load in enumerate(tale.heard, 1):
        if isinstance(load, Loads):
            scopes = [*(_scope(tale, region) for region in load.keys.values()), *load.scopes]
            counted = dict.fromkeys(load.scopes, 0) | {scope: scopes.count(scope) for scope in scopes if scope not in load.scopes}
            yield {
                "load_id": f"{tale.sentence}, load {arrival}",
                "source_system": list_name(tale),
                "load_ts": time(load.at),
                "ingest_ts": received(arrival),
                "ingest_run_id": f"run {arrival}",
                "carried": counted or {"[]": 0},
                "complete": load.complete,
                "_accepted": load.accepted,
            }


def _scope(tale: Tale, region: str) -> str:
    return json.dumps([region] if tale.scope else [])


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


def time(text: str) -> datetime:
    """`09:00` is on the first day, `03 09:00` on the third."""
    day, _, clock = text.rpartition(" ")
    return utc(DAY.format(day=day or "01", time=clock))


def received(arrival: int) -> datetime:
    """The moment of the n-th arrival."""
    return HEARD + timedelta(minutes=arrival)


def table(text: str) -> list[dict[str, str]]:
    """A table as people draw one."""
    head, *lines = ([cell.strip() for cell in line.split("|")] for line in text.strip().splitlines())
    return [dict(zip(head, line, strict=True)) for line in lines]


def drawn(rows: Sequence[Row], like: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """These rows with the columns of that table, in the order of the chain."""
    names = list(like[0]) if like else []
    chain = [name for name in ("id", "effective_from", "precedence_rank", "source_system") for row in rows[:1] if name in row]
    placed = sorted(rows, key=lambda row: [row[name] for name in chain])
    return [{name: _cell(row, name) for name in names} for row in placed]


def _cell(row: Row, name: str) -> str:
    if name in CELLS:
        return CELLS[name](row)
    if name.startswith("from "):  # the origin of an attribute
        origin = origin_of(row, name.removeprefix("from "))
        return "" if origin is None else f"{_source(origin[0])} {_clock(origin[1])}"
    value = row[name]
    return "" if value is None else str(value)


def _clock(moment: datetime | None) -> str:
    if moment is None:
        return ""
    text = moment.astimezone(HEARD.tzinfo).strftime("%d %H:%M")
    return text.removeprefix("01 ")


def _source(name: str) -> str:
    return "list" if name.startswith("list of ") else name


def _arrival(moment: datetime) -> str:
    return str((moment.astimezone(HEARD.tzinfo) - HEARD) // timedelta(minutes=1))


def _flag(name: str) -> Callable[[Row], str]:
    return lambda row: "yes" if row[name] else ""


CELLS: Mapping[str, Callable[[Row], str]] = {
    "contested": lambda row: ", ".join(row["contested"]),
    "key": lambda row: row["id"],
    "source": lambda row: _source(row["source_system"]),
    "from": lambda row: _clock(row["effective_from"]),
    "to": lambda row: _clock(row["effective_to"]),
    "own to": lambda row: _clock(row["source_effective_to"]),
    "current": _flag("is_current"),
    "own current": _flag("is_source_current"),
    "head": _flag("is_head"),
    "deleted": _flag("is_deleted"),
    "seen": lambda row: str(row["seen_count"]),
    "first": lambda row: _arrival(row["first_seen_ts"]),
    "last": lambda row: _arrival(row["last_seen_ts"]),
    "nick": lambda row: f"'{row['nick']}'",
    "file": lambda row: row["source_file"] or "",
}


def books(spark: SparkSession, tales: Sequence[Tale]) -> dict[str, list[Row]]:
    """All tales told, one job per entity."""
    found: dict[str, list[Row]] = {}
    for entity in {id(tale.entity): tale.entity for tale in tales}.values():
        found |= tell(spark, [tale for tale in tales if tale.entity is entity])
    return found


def frame_of(spark: SparkSession, tale: Tale) -> DataFrame:
    """The tale's rows as a log of its own."""
    return table_of(spark, log_rows(tale), log_columns(entity_with(tale)))
