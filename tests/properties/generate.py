"""Random small histories in which equal instants, equal values, repeats and late rows are frequent, by seed or by Hypothesis.

A case is what arrived, batch by batch, under one set of settings. Without absence the keys of a case do not touch each other, so
`histories` puts thousands of them, one key each, into one case for one Spark job. With absence the loads are common to all keys, so `world`
makes one case of many keys that share a sequence of loads. A row of a load has the load's id as its file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random
from typing import Literal

from hypothesis import strategies as st

from tests.properties.oracle import AbsenceSettings, Attr, Load, Seq, Settings, Statement, Version, collisions, scope_text, timeline

DAWN = int(datetime(2026, 3, 1, tzinfo=UTC).timestamp()) * 1_000_000
HEARD = DAWN + 86_400_000_000  # receipts begin a day after; both count in single microseconds from there
FEED = "feed"

ATTRIBUTES = (Attr("name"), Attr("status"), Attr("balance", scale=2), Attr("note", tracked=False), Attr("region"))
DOMAIN: Mapping[str, tuple[object, ...]] = {
    "name": ("Ann", "Bo", None),
    "status": ("A", "B", None),
    "balance": (0.0, -0.001, 1.25, 1.251, 1.5, None),  # equal after rounding: 0.0 and -0.001, 1.25 and 1.251
    "note": ("x", "y", "z", None),
    "region": ("EU", "US"),
}
CARRIES = {"core": ("name", "status", "balance"), FEED: ("name", "note", "region")}
RANKS = {"core": 2, "crm": 1}  # events and feed share rank 0

PLAIN = Settings(ATTRIBUTES, RANKS)
COMPLETE = replace(PLAIN, absence={FEED: AbsenceSettings()})
SCOPED = replace(COMPLETE, scope_of={FEED: ("region",)})

SETTINGS: Mapping[str, Settings] = {
    "plain": PLAIN,
    "close": replace(PLAIN, deletes="close"),
    "as_received": replace(PLAIN, completion="as_received"),
}
ABSENCE_SETTINGS: Mapping[str, Settings] = {
    "complete": COMPLETE,
    "close": replace(COMPLETE, deletes="close"),
    "scoped": SCOPED,
    "authority": replace(SCOPED, authority={FEED: ("EU",)}),
    "patient": replace(SCOPED, absence={FEED: AbsenceSettings(absences=2)}),
    "counting": replace(SCOPED, absence={FEED: AbsenceSettings(on_short="count")}),
    "empty": replace(SCOPED, absence={FEED: AbsenceSettings(min_fraction=0.3, allow_empty=True)}),
    "as_received": replace(SCOPED, completion="as_received"),
}

LoadType = Literal["FULL", "CHANGES", "PARTIAL"]
LOAD_TYPE: Mapping[str, LoadType] = {"core": "CHANGES", "crm": "PARTIAL", "events": "PARTIAL", FEED: "FULL"}


@dataclass(frozen=True, slots=True)
class Batch:
    """What arrived together."""

    received: int
    run: str
    statements: tuple[Statement, ...]
    loads: tuple[Load, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """Settings, what arrived in which order, and the loads that people accepted, with the moment they did."""

    settings: Settings
    batches: tuple[Batch, ...]
    accepted: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(s for batch in self.batches for s in batch.statements)

    @property
    def loads(self) -> tuple[Load, ...]:
        return tuple(load for batch in self.batches for load in batch.loads)

    def timeline(self, known_at: int | None = None) -> list[Version]:
        """What the oracle makes of it."""
        return timeline(self.statements, self.settings, loads=self.loads, accepted=self.accepted, known_at=known_at)


@dataclass(frozen=True, slots=True)
class Member:
    """Where a key of a world lives, which may change, and when the feed's loads leave it out."""

    region: object
    leaves: int
    returns: int


@dataclass(frozen=True, slots=True)
class Unit:
    """What cannot be torn apart on its way: a row, or a load with its rows."""

    statements: tuple[Statement, ...]
    loads: tuple[Load, ...] = ()


def record_of(says: Mapping[str, object], deleted: bool | None) -> str:
    """A stable text for what a row states, provenance left out (R6)."""
    return hashlib.sha256(json.dumps([deleted, sorted(says.items())]).encode()).hexdigest()


def statement(
    key: str,
    source: str,
    at: int,
    *,
    load: LoadType,
    deleted: bool | None,
    says: Mapping[str, object],
    seq: Seq = None,
    file: str | None = None,
) -> Statement:
    """A row that has not arrived yet; `arrive` gives it a receipt and a run."""
    return Statement(key, source, at, seq, file, 0, "", load, deleted, says, record_of(says, deleted))


def arrive(batches: Sequence[Sequence[Unit]]) -> tuple[Batch, ...]:
    """Each group of units as one batch, received in this order."""
    return tuple(_batch(HEARD + n, f"run{n:03d}", units) for n, units in enumerate(batches, 1))


def _batch(received: int, run: str, units: Iterable[Unit]) -> Batch:
    units = tuple(units)
    rows = tuple(replace(s, received=received, run=run) for unit in units for s in unit.statements)
    return Batch(received, run, rows, tuple(replace(load, received=received) for unit in units for load in unit.loads))


def histories(seed: int, count: int, settings: Settings, *, with_collisions: bool = True) -> Case:
    """So many keys with a random history each, named by their number, as one case."""
    rng = Random(seed)
    drafts = (_drafts(rng, f"c{number:05d}", with_collisions=with_collisions) for number in range(count))
    units = [Unit((s,)) for rows in drafts for s in rows]
    return Case(settings, arrive(_split(rng, units)), seed=seed)


def _drafts(rng: Random, key: str, *, with_collisions: bool) -> list[Statement]:
    sources = rng.sample(sorted(LOAD_TYPE), rng.randint(1, 4))
    horizon = rng.randint(2, 8)
    rows = [_draft(rng, key, rng.choice(sources), DAWN + rng.randint(1, horizon)) for _ in range(rng.randint(1, 9))]
    repeats = [replace(row, file=_file(rng)) for row in rows if rng.random() < 0.2]
    return rows + repeats if with_collisions else _told_apart(rows + repeats)


def _draft(rng: Random, key: str, source: str, at: int) -> Statement:
    deleted, says = _content(rng, source)
    return statement(key, source, at, load=LOAD_TYPE[source], deleted=deleted, says=says, seq=_seq(rng, source), file=_file(rng))


def _content(rng: Random, source: str) -> tuple[bool | None, dict[str, object]]:
    """Whole rows and inserts say that the key is there, deletes say nothing else, partial rows leave things out (R13, R14)."""
    if source != FEED and rng.random() < 0.2:
        return True, {}
    if source in CARRIES:
        return False, {name: rng.choice(DOMAIN[name]) for name in CARRIES[source]}
    if rng.random() < 0.2:
        return False, {name: rng.choice(DOMAIN[name]) for name in DOMAIN}
    return None, {name: rng.choice(DOMAIN[name]) for name in DOMAIN if rng.random() < 0.35}


def _seq(rng: Random, source: str) -> Seq:
    if source == "core":
        return rng.choice((None, (0,), (1,), (2,)))
    return rng.choice((None, (1, None), (1, 0), (1,), (2, 0))) if source == "events" else None


def _file(rng: Random) -> str | None:
    return rng.choice((None, "a.csv", "b.csv"))


def _told_apart(rows: Sequence[Statement]) -> list[Statement]:
    """A sequence of its own for every record that would collide."""
    known: dict[tuple[str, str, int, Seq], str] = {}
    apart: list[Statement] = []
    for number, row in enumerate(rows, 100):
        taken = known.setdefault((row.key, row.source, row.at, row.seq), row.record) != row.record
        apart.append(replace(row, seq=(number,)) if taken else row)
    return apart


def _split(rng: Random, units: Sequence[Unit]) -> list[list[Unit]]:
    batches: list[list[Unit]] = [[] for _ in range(rng.randint(1, 6))]
    for unit in units:
        rng.choice(batches).append(unit)
    return [rng.sample(batch, len(batch)) for batch in batches if batch]


def world(seed: int, keys: int, settings: Settings, *, with_collisions: bool = True) -> Case:
    """So many keys that share the loads of `feed`: short, empty, incomplete, late and accepted ones, beside rows of other sources."""
    rng = Random(seed)
    names = [f"w{number:05d}" for number in range(keys)]
    members = {key: Member(rng.choice(DOMAIN["region"]), rng.randint(3, 16), rng.randint(3, 20)) for key in names}
    loads = [_load(rng, number, at=DAWN + 2 * rng.randint(1, 6), members=members, settings=settings) for number in range(rng.randint(4, 9))]
    rows = [row for key in names for row in _around(rng, key)]
    if not with_collisions:
        loads, rows = _without_doubles(loads), _told_apart(rows)
    batches = arrive(_split(rng, [*loads, *(Unit((row,)) for row in rows)]))
    accepted = {header.load_id: HEARD + rng.randint(1, 9) for unit in loads for header in unit.loads if rng.random() < 0.2}
    return Case(settings, batches, accepted, seed)


def _load(rng: Random, number: int, *, at: int, members: dict[str, Member], settings: Settings) -> Unit:
    load_id = f"{FEED}-{number}"
    speaks_of = rng.choice((("EU",), ("US",), ("EU", "US"), ("EU", "US")))
    share = rng.choice((1.0, 0.9, 0.9, 0.7, 0.3, 0.0))
    rows: list[Statement] = []
    for key, before in members.items():
        members[key] = one = replace(before, region=rng.choice(DOMAIN["region"])) if rng.random() < 0.1 else before
        if one.region in speaks_of and not one.leaves <= at - DAWN < one.returns and rng.random() < share:
            says = {"name": rng.choice(DOMAIN["name"]), "note": rng.choice(DOMAIN["note"]), "region": one.region}
            rows.extend([statement(key, FEED, at, load="FULL", deleted=False, says=says, file=load_id)] * rng.choice((1, 1, 1, 2)))
    empty = {scope_text((value,) if settings.scope_of else ()): 0 for value in speaks_of} if not rows or rng.random() < 0.1 else {}
    carried = {**empty, **_count(rows, settings)}
    return Unit(tuple(rows), (Load(FEED, at, 0, carried, rng.random() < 0.9, load_id),))


def _count(rows: Iterable[Statement], settings: Settings) -> dict[str, int]:
    """Keys per scope, as a load header has them."""
    keys: dict[str, set[str]] = {}
    for row in rows:
        keys.setdefault(scope_text(row.says.get(name) for name in settings.scope_of.get(FEED, ())), set()).add(row.key)
    return {scope: len(found) for scope, found in sorted(keys.items())}


def _around(rng: Random, key: str) -> Iterator[Statement]:
    """Rows beside the loads: other sources, and single rows of the feed itself."""
    for _ in range(rng.choice((0, 0, 1, 2, 3))):
        yield _draft(rng, key, rng.choice(("core", "crm", "events")), DAWN + rng.randint(1, 13))
    if rng.random() < 0.4:
        deleted = rng.choice((None, False, True))
        says = {} if deleted else {name: rng.choice(DOMAIN[name]) for name in CARRIES[FEED] if rng.random() < 0.5}
        yield statement(key, FEED, DAWN + rng.randint(1, 13), load="PARTIAL", deleted=deleted, says=says, file=_file(rng))


def _without_doubles(loads: Sequence[Unit]) -> list[Unit]:
    """A sequence per load, so that two loads of one instant never collide."""
    return [replace(unit, statements=tuple(replace(s, seq=(n,)) for s in unit.statements)) for n, unit in enumerate(loads)]


def rearranged(case: Case, seed: int) -> Case:
    """The same rows and loads in another order and other batches; what people accepted stays accepted (R8)."""
    return replace(case, batches=arrive(_split(Random(seed), units_of(case))))


def backwards(case: Case) -> Case:
    """The same rows, the newest instant first: whatever comes after the first batch is older than all that is there."""
    instants = sorted({s.at for s in case.statements}, reverse=True)
    return replace(case, batches=arrive([[Unit((s,)) for s in case.statements if s.at == at] for at in instants]))


def units_of(case: Case) -> list[Unit]:
    """The rows and loads of a case, each load with its rows."""
    loads = {load.load_id: load for load in case.loads}
    single = [Unit((s,)) for s in case.statements if s.file not in loads]
    return single + [Unit(tuple(s for s in case.statements if s.file == name), (load,)) for name, load in loads.items()]


def only(case: Case, keys: Collection[str]) -> Case:
    """What a case says of these keys; headers count what is left of their loads."""
    return kept(case, lambda s: s.key in keys)


def kept(case: Case, keep: Callable[[Statement], bool]) -> Case:
    """A case with only these rows, and headers that fit them."""
    batches = tuple(replace(batch, statements=tuple(s for s in batch.statements if keep(s))) for batch in case.batches)
    return _recounted(replace(case, batches=batches))


def _recounted(case: Case) -> Case:
    """Headers that fit the rows; a scope whose rows are all gone leaves the header, one that was empty before stays."""

    def recount(load: Load) -> Load:
        rows = _count((s for s in case.statements if s.file == load.load_id), case.settings)
        empty = {scope: 0 for scope, count in load.carried.items() if count == 0 or not case.settings.scope_of}
        return replace(load, carried={**empty, **rows})

    batches = (replace(batch, loads=tuple(recount(load) for load in batch.loads)) for batch in case.batches)
    return replace(case, batches=tuple(batch for batch in batches if batch.statements or batch.loads))


def colliding_keys(case: Case) -> set[str]:
    """The keys whose order no sequence decides, to leave out where arrival must not matter (R8)."""
    return {key for key, _, _ in collisions(case.statements)}


def _rows() -> st.SearchStrategy[Statement]:
    says = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in DOMAIN.items()})
    seqs: st.SearchStrategy[Seq] = st.sampled_from((None, (0,), (1,), (1, None), (1, 0)))

    def row(source: str, at: int, seq: Seq, deleted: bool | None, said: dict[str, object]) -> Statement:
        load = LOAD_TYPE[source]
        is_deleted = bool(deleted) if load != "PARTIAL" else deleted
        return statement("c", source, DAWN + at, load=load, deleted=is_deleted, says={} if is_deleted else said, seq=seq)

    return st.builds(row, st.sampled_from(sorted(LOAD_TYPE)), st.integers(1, 5), seqs, st.sampled_from((None, False, True)), says)


def cases(settings: Settings) -> st.SearchStrategy[Case]:
    """Histories of one key under these settings, which Hypothesis can shrink."""
    batches = st.lists(st.lists(_rows().map(lambda s: Unit((s,))), min_size=1, max_size=4), min_size=1, max_size=4)
    return batches.map(lambda groups: Case(settings, arrive(groups)))
