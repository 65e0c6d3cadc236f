"""The timeline as a plain-Python specification: one pure function from evidence to versions, no Spark, no speed.

What the rules say, and what this page settles where they leave room:

- R6  An exact repeat (same key, source, time, sequence, record) is one assertion. Its place is the earliest of its rows by (file, received, run),
      a missing file first; the moment it was heard is the earliest receipt of its rows, whichever row gave it its place.
- R6  Order inside a key: time, rank, source, sequence (none first), file (none first), received, run, record. Of one source's assertions at one
      instant the last makes the row of the chain; the others are statements like any other and their rows are counted in that row.
- R8  `as_received`: a row is completed from the *statements* (not from completed rows) at or before it in order that were heard no later than it
      was. That holds for every row that leaves something unstated, whatever its load type, and for other rows of its own instant.
- R12 An attribute comes from the own source's last statement, else from the latest statement of any source, at or before the row in order. At one
      instant a stronger source's row may thus take from a weaker one's, not the other way round. A stated null is a statement: it is inherited as
      null and hides older values.
- R13 `is_deleted` is inherited exactly like an attribute; never stated means false. A delete states nothing else, so values go on through it.
- R15 Neighbours in the key's chain (all sources, outranked rows of an instant included) from one source with the same state are one version. State
      is the tracked attributes after trimming and rounding, half away from zero, with null equal to never stated, and `is_deleted`.
      Tracked values and their origins are those of the run's first row, untracked ones those of its last. A stated null has an origin.
- R16 `close`: the version a delete opened keeps its natural interval and is never current, neither in the key's chain nor in its source's.
- R17 Complete or accepted headers of one source, instant and scope are judged as one: they carry the sum over load ids of the most that one header of that id
      gives. The guard passes them if a person accepted one of them, or `on_short` is count, or, when empty, by `allow_empty` alone, else by
      `min_fraction` of the last accepted number of that scope; the first load of a scope passes. A load that is not complete says nothing until a person accepts it.
- R17 Where a source's authority is declared, its headers speak for those values of its scope alone.
- R17 An accepted load *looks* at every key that its source named strictly before its instant and whose scope, attribute by attribute what the source
      last stated at or before that instant (never stated: null), is one of the scopes it carries. The key is there if a FULL row of that source
      and instant names it, in whichever load. It is gone at each look that begins N absent looks in a row; rows between the looks do not interrupt.
- R17 Gone is a statement that `is_deleted` is true, before all rows of its source at that instant, heard with the last of the headers it rests on.
      It is no row: `seen_count` stays 0, and it sets the seen times only of a version that it opens. Where it is all that its source
      has at that instant and the source's row before it is deleted already, it makes no row of the chain: a key that stays away makes nothing.
- R22 `known_at` leaves out statements, headers and acceptances that came later, then folds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from typing import Literal

IS_DELETED = "is_deleted"
GONE = "gone"

Seq = tuple[int | None, ...] | None
StatementId = tuple[str, int, Seq, str]  # source, time, sequence, record
Origin = tuple[str, int, StatementId]  # source, time, statement


@dataclass(frozen=True, slots=True)
class Statement:
    """One row received: what one source said about one key at one time."""

    key: str
    source: str
    at: int
    seq: Seq
    file: str | None
    received: int
    run: str
    load: Literal["FULL", "CHANGES", "PARTIAL"]
    deleted: bool | None  # None: unstated
    says: Mapping[str, object]  # None: stated null
    record: str

    @property
    def id(self) -> StatementId:
        return (self.source, self.at, self.seq, self.record)


@dataclass(frozen=True, slots=True)
class Load:
    """The header of one load of a complete set: how many keys it carried per scope."""

    source: str
    at: int
    received: int
    carried: Mapping[str, int]
    complete: bool
    load_id: str


@dataclass(frozen=True, slots=True)
class Attr:
    """An attribute and how it is compared."""

    name: str
    tracked: bool = True
    scale: int | None = None
    trim: bool = False


@dataclass(frozen=True, slots=True)
class AbsenceSettings:
    """When a key that a load lacks is gone (R17)."""

    min_fraction: float = 0.5
    allow_empty: bool = False
    absences: int = 1
    on_short: Literal["hold", "count"] = "hold"


@dataclass(frozen=True, slots=True)
class Settings:
    """What shapes history; a composite key is its columns joined by `|`, and a scope names attributes or key columns."""

    attributes: tuple[Attr, ...]
    ranks: Mapping[str, int] = field(default_factory=dict)
    completion: Literal["source_time", "as_received"] = "source_time"
    deletes: Literal["version", "close"] = "version"
    absence: Mapping[str, AbsenceSettings] = field(default_factory=dict)
    scope_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    key_columns: tuple[str, ...] = ("id",)
    authority: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the values of a source's scope in which its absence counts


@dataclass(frozen=True, slots=True)
class Version:
    """One row of the timeline."""

    key: str
    source: str
    effective_from: int
    effective_to: int | None
    is_current: bool
    source_effective_to: int | None
    is_source_current: bool
    is_head: bool
    deleted: bool
    values: dict[str, object]
    origin: dict[str, Origin | None]
    first_seen: int
    last_seen: int
    seen_count: int
    at: int
    statement: StatementId  # the one that opened it


@dataclass(frozen=True, slots=True)
class Assertion:
    """One thing said once, however often heard; absence says one too, in no row."""

    said: Statement
    first: int
    last: int
    rows: int

    @property
    def stated(self) -> dict[str, object]:
        deletion = {} if self.said.deleted is None else {IS_DELETED: self.said.deleted}
        return {**self.said.says, **deletion}


@dataclass(frozen=True, slots=True)
class Row:
    """All that one source said of a key at one instant, with the assertion that supplies each attribute."""

    members: tuple[Assertion, ...]
    suppliers: Mapping[str, Assertion]

    @property
    def opener(self) -> Statement:
        return self.members[-1].said

    @property
    def is_absence(self) -> bool:
        return not any(member.rows for member in self.members)

    def value(self, name: str) -> object:
        supplier = self.suppliers.get(name)
        return None if supplier is None else supplier.stated[name]

    def origin(self, name: str) -> Origin | None:
        supplier = self.suppliers.get(name)
        return None if supplier is None else (supplier.said.source, supplier.said.at, supplier.said.id)

    @property
    def deleted(self) -> bool:
        return bool(self.value(IS_DELETED))


def timeline(
    statements: Iterable[Statement],
    settings: Settings,
    *,
    loads: Iterable[Load] = (),
    accepted: Mapping[str, int] | None = None,
    known_at: int | None = None,
) -> list[Version]:
    """The versions of every key, by key and in the order of its chain; `accepted` is the moment a person accepted each load."""
    told = assertions(statements, settings, loads=loads, accepted=accepted, known_at=known_at)
    return [version for ordered in told for version in _versions(ordered, settings)]


def assertions(
    statements: Iterable[Statement],
    settings: Settings,
    *,
    loads: Iterable[Load] = (),
    accepted: Mapping[str, int] | None = None,
    known_at: int | None = None,
) -> list[list[Assertion]]:
    """All that was said of each key in order, absence included (R6, R17)."""
    known = [s for s in statements if _by(s.received, known_at)]
    headers = [load for load in loads if _by(load.received, known_at)]
    decided = {load_id for load_id, moment in (accepted or {}).items() if _by(moment, known_at)}
    looks = accepted_looks(headers, decided, settings)
    by_key = groupby(sorted(_assertions(known), key=lambda a: a.said.key), key=lambda a: a.said.key)
    return [_with_absence(list(said), looks, settings) for _, said in by_key]


def collisions(statements: Iterable[Statement]) -> list[tuple[str, str, int]]:
    """Key, source and time of rows that say different things and that no sequence orders (R6)."""
    records: dict[tuple[str, str, int, Seq], set[str]] = {}
    for s in statements:
        records.setdefault((s.key, s.source, s.at, s.seq), set()).add(s.record)
    return sorted({place[:3] for place, found in records.items() if len(found) > 1})


def scope_text(values: Iterable[object]) -> str:
    """The name of one scope value in a load header; `[]` where the source has no scope."""
    return json.dumps([None if value is None else str(value) for value in values], separators=(",", ":"))


def _by(moment: int, known_at: int | None) -> bool:
    return known_at is None or moment <= known_at


def _assertions(statements: Iterable[Statement]) -> Iterator[Assertion]:
    """Exact repeats are one assertion, in the earliest of their places (R6)."""
    repeats: dict[tuple[str, StatementId], list[Statement]] = {}
    for s in statements:
        repeats.setdefault((s.key, s.id), []).append(s)
    for rows in repeats.values():
        heard = [row.received for row in rows]
        yield Assertion(min(rows, key=_place), min(heard), max(heard), len(rows))


def _place(s: Statement) -> tuple[object, ...]:
    return (s.file is not None, s.file or "", s.received, s.run)


def _order(a: Assertion, settings: Settings) -> tuple[object, ...]:
    """The order inside a key (R6)."""
    s = a.said
    sequence = tuple((part is not None, part or 0) for part in s.seq or ())
    is_row = a.rows > 0  # R17: absence before all rows of its source at that instant
    return (s.at, settings.ranks.get(s.source, 0), s.source, is_row, s.seq is not None, sequence, *_place(s), s.record)


def _ordered(assertions: Iterable[Assertion], settings: Settings) -> list[Assertion]:
    return sorted(assertions, key=lambda a: _order(a, settings))


def accepted_looks(loads: Iterable[Load], decided: set[str], settings: Settings) -> dict[tuple[str, str, int], int]:
    """Source, scope and instant of every load whose absence counts, with the moment that was heard."""
    judged: dict[tuple[str, str], dict[int, list[Load]]] = {}
    for load in loads:
        if (load.complete or load.load_id in decided) and load.source in settings.absence:
            for scope in load.carried:
                if _has_authority(load.source, scope, settings):
                    judged.setdefault((load.source, scope), {}).setdefault(load.at, []).append(load)
    looks: dict[tuple[str, str, int], int] = {}
    for (source, scope), instants in judged.items():
        last: int | None = None
        for at in sorted(instants):
            carried, by_person = _carried(instants[at], scope), any(load.load_id in decided for load in instants[at])
            if by_person or _passes(carried, last, settings.absence[source]):
                last = carried
                looks[source, scope, at] = max(load.received for load in instants[at])
    return looks


def _has_authority(source: str, scope: str, settings: Settings) -> bool:
    """A source without a declared authority has it everywhere."""
    return source not in settings.authority or scope in {scope_text([value]) for value in settings.authority[source]}


def _carried(loads: Sequence[Load], scope: str) -> int:
    """How many keys the headers of one instant carry of a scope (R17)."""
    most: dict[str, int] = {}
    for load in loads:
        most[load.load_id] = max(most.get(load.load_id, 0), load.carried[scope])
    return sum(most.values())


def _passes(carried: int, last: int | None, guard: AbsenceSettings) -> bool:
    """The guard, against the last accepted number of that scope (R17)."""
    if guard.on_short == "count":
        return True
    if carried == 0:
        return guard.allow_empty
    return last is None or carried >= guard.min_fraction * last


def _with_absence(said: list[Assertion], looks: Mapping[tuple[str, str, int], int], settings: Settings) -> list[Assertion]:
    ordered = _ordered(said, settings)
    gone = (absence for source in settings.absence for absence in _gone(ordered, source, looks=looks, settings=settings))
    return _ordered([*ordered, *gone], settings)


def _gone(
    ordered: Sequence[Assertion], source: str, *, looks: Mapping[tuple[str, str, int], int], settings: Settings
) -> Iterator[Assertion]:
    """Where the loads of one source say that this key is gone (R17)."""
    own = [a for a in ordered if a.said.source == source]
    needed = settings.absence[source].absences
    seen: list[tuple[int, int, bool]] = []  # instant, heard, absent
    for at in sorted({instant for name, _, instant in looks if name == source and own and instant > own[0].said.at}):
        heard = looks.get((source, _scope(own, at, settings), at))
        if heard is not None:
            seen.append((at, heard, not any(a.said.at == at and a.said.load == "FULL" for a in own)))
    for start in range(len(seen) - needed + 1):
        row = seen[start : start + needed]
        if all(absent for _, _, absent in row):
            yield _absence(own[0].said, row[0][0], max(heard for _, heard, _ in row))


def _scope(own: Sequence[Assertion], at: int, settings: Settings) -> str:
    """What the source last stated at or before that instant (R17)."""
    columns = settings.key_columns
    known: dict[str, object] = dict(zip(columns, own[0].said.key.split("|", len(columns) - 1), strict=True))
    for a in own:
        known.update(a.said.says if a.said.at <= at else {})
    return scope_text(known.get(name) for name in settings.scope_of.get(own[0].said.source, ()))


def _absence(named: Statement, at: int, heard: int) -> Assertion:
    said = Statement(named.key, named.source, at, None, None, heard, "", "FULL", True, {}, GONE)
    return Assertion(said, heard, heard, 0)


def _complete(ordered: Sequence[Assertion], settings: Settings) -> dict[str, Assertion]:
    """The assertion that supplies each attribute of the last one of `ordered`."""
    row = ordered[-1]
    heard = [a for a in ordered if settings.completion == "source_time" or a.first <= row.first]  # R8
    any_source = {name: a for a in heard for name in a.stated}
    own_source = {name: a for a in heard if a.said.source == row.said.source for name in a.stated}
    return {**any_source, **own_source}


def _chain(ordered: Sequence[Assertion], settings: Settings) -> list[Row]:
    """The key's chain over all sources, one row per source and instant (R6), without absences of keys that stay away (R17)."""
    chain: list[Row] = []
    own_before: dict[str, Row] = {}
    end = 0
    for (_, source), group in groupby(ordered, key=lambda a: (a.said.at, a.said.source)):
        members = tuple(group)
        end += len(members)
        row = Row(members, _complete(ordered[:end], settings))
        stays_away = row.is_absence and source in own_before and own_before[source].deleted
        own_before[source] = row
        if not stays_away:
            chain.append(row)
    return chain


def _state(row: Row, settings: Settings) -> tuple[object, ...]:
    """What two rows must share to be one version (R15)."""
    return (row.deleted, *(compared(row.value(attr.name), attr) for attr in settings.attributes if attr.tracked))


def compared(value: object, attr: Attr) -> object:
    """A value as it is compared: trimmed and rounded as declared (R2)."""
    if attr.trim and isinstance(value, str):
        return value.strip()
    if attr.scale is not None and isinstance(value, int | float | Decimal):
        return Decimal(str(value)).quantize(Decimal(1).scaleb(-attr.scale), rounding=ROUND_HALF_UP)
    return value


def _runs(chain: Sequence[Row], settings: Settings) -> list[list[Row]]:
    return [list(run) for _, run in groupby(chain, key=lambda row: (row.opener.source, _state(row, settings)))]


def _versions(ordered: Sequence[Assertion], settings: Settings) -> list[Version]:
    runs = _runs(_chain(ordered, settings), settings)
    return [_version(run, later, settings) for run, later in ((run, runs[n + 1 :]) for n, run in enumerate(runs))]


def _version(run: Sequence[Row], later: Sequence[Sequence[Row]], settings: Settings) -> Version:
    opener = run[0].opener
    next_from = [other[0].opener.at for other in later]
    own_next_from = [other[0].opener.at for other in later if other[0].opener.source == opener.source]
    may_be_current = not (run[0].deleted and settings.deletes == "close")
    shown = {attr.name: run[0] if attr.tracked else run[-1] for attr in settings.attributes}
    seen = [m for row in run for m in row.members if m.rows] + ([run[0].members[0]] if run[0].is_absence else [])
    return Version(
        key=opener.key,
        source=opener.source,
        effective_from=opener.at,
        effective_to=next(iter(next_from), None),
        is_current=may_be_current and not next_from,
        source_effective_to=next(iter(own_next_from), None),
        is_source_current=may_be_current and not own_next_from,
        is_head=not own_next_from,
        deleted=run[0].deleted,
        values={name: row.value(name) for name, row in shown.items()},
        origin={name: row.origin(name) for name, row in shown.items()},
        first_seen=min(m.first for m in seen),
        last_seen=max(m.last for m in seen),
        seen_count=sum(m.rows for m in seen),
        at=opener.at,
        statement=opener.id,
    )
