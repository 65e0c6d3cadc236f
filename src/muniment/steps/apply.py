"""Apply: a dimension from what was said of its members. Looks at members that something new was said of, and changes only what differs (R24).

First the rows are landed, as evidence; then past values, the record of changes and the dimension follow from the log, one commit each. The
dimension's own commit is the last and says how far was read: whatever kills the process before it, the same again is all it takes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import RLock

from muniment import clock, faults
from muniment.lake.changes import Everything
from muniment.lake.retry import with_retry
from muniment.lake.tables import Lake
from muniment.ledger.runs import ensure
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import dimension_columns, dimension_name
from muniment.model.source import Absence
from muniment.model.tables import log_name
from muniment.steps.aging import Aged, Span, age
from muniment.steps.applied import applied
from muniment.steps.auditing import NOBODY, Author, Writing, record_changes
from muniment.steps.dimension_shape import refuse_other_shape, shape_of
from muniment.steps.errors import NotGiven
from muniment.steps.finish import Record, recover, together
from muniment.steps.kept import Kept, keeping
from muniment.steps.land import land
from muniment.steps.newest import newest_said
from muniment.steps.position import Position, reached
from muniment.steps.ran import Running, recover_record, replace_rows
from muniment.steps.request import Request
from muniment.steps.results import Applied
from muniment.steps.sift import Sieve
from muniment.steps.spoken import Heard, spoken_at

_turns: defaultdict[str, RLock] = defaultdict(RLock)


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller of `apply` brings."""

    root: Path
    data: object = None
    at: datetime | None = None
    absence: Absence | None = None
    author: Author = NOBODY


def apply(lake: Lake, dimension: Dimension, given: Given) -> Applied:
    """Take rows in, if there are any, and bring the dimension up to all that was said."""
    if given.data is not None and dimension.believes is not None:
        raise NotGiven(dimension=dimension.name, entity=dimension.believes)
    with lake.lock(f"apply {dimension.name}"), _turn(lake, dimension), keeping() as kept, _recording(lake, dimension) as record:
        table = lake.table(dimension_name(dimension))
        recover_record(lake, table)
        taken = _take(lake, dimension, given, taking=_Taking(kept, record))
        was = reached(table)  # a second attempt looks again at all that the first may have written, so it starts where that did
        start = _Start(given.author, record, was if was.number else None, taken.heard)
        done = with_retry(lambda: _bring_up(lake, dimension, start))
        unchanged = max(taken.received - (done.inserted + done.updated + done.deleted - taken.absent), 0)
        told = replace(done, unchanged=unchanged if given.data is not None else done.unchanged)
        return replace(told, rejected=taken.rejected, messages=taken.messages)


def rebuild_dimension(lake: Lake, dimension: Dimension, author: Author) -> Applied:
    """The same tables again, from all that was said."""
    with lake.lock(f"rebuild {dimension.name}"), _turn(lake, dimension), _recording(lake, dimension) as record:
        return with_retry(lambda: _bring_up(lake, dimension, _Start(author, record, again=True)))


@contextmanager
def _recording(lake: Lake, dimension: Dimension) -> Iterator[Record]:
    """Landing and dimension are recorded in one commit; of a run that was killed before it, the log's commit tells."""
    ensure(lake)
    if dimension.believes is None and lake.table(log_name(dimension.spoken_of)).exists():
        recover(lake, dimension.spoken_of)
    with together(lake) as record:
        yield record
    faults.point("apply:after-run")


def _turn(lake: Lake, dimension: Dimension) -> RLock:
    """Threads share the lake's lock; of two that bring up one dimension, one must see what the other wrote."""
    return _turns[lake.table(dimension_name(dimension)).identifier]


@dataclass(frozen=True, slots=True)
class _Taken:
    received: int = 0
    absent: int = 0
    rejected: int = 0
    messages: tuple[str, ...] = ()
    heard: Heard | None = None  # what is new, where it was counted as it came


@dataclass(frozen=True, slots=True)
class _Taking:
    """Where rows are kept that are looked at twice, and who records the landing."""

    kept: Kept
    record: Record


def _take(lake: Lake, dimension: Dimension, given: Given, *, taking: _Taking) -> _Taken:
    if given.data is None:
        return _Taken()
    entity, now = dimension.spoken_of, clock.now()
    at = given.at or now
    sieve = Sieve(lake, dimension, at, (given.absence or dimension.absence) is Absence.DELETES, taking.kept)
    request = Request(entity, entity.sources[0], given.root, now, given.data, as_of=at, sift=sieve.sift, is_news=sieve.is_news)
    landed = land(lake, replace(request, record=taking.record))
    return _Taken(sieve.received, sieve.absent, landed.quarantined, (*landed.messages, *sieve.messages), sieve.heard)


@dataclass(frozen=True, slots=True)
class _Start:
    """For whom, and where to begin: after a position, or from nothing; with what is new after it, where that was counted."""

    author: Author
    record: Record
    since: Position | None = None
    heard: Heard | None = None
    again: bool = False  # though it was done before


def _bring_up(lake: Lake, dimension: Dimension, start: _Start) -> Applied:
    table = lake.table(dimension_name(dimension))
    was, spoken = reached(table), spoken_at(lake, dimension)
    if spoken is None:
        return Applied(dimension.name)
    since = start.since
    if not start.again:
        refuse_other_shape(dimension, was)
    if since is not None and since.log == spoken.version:
        return Applied(dimension.name)
    table.create(dimension_columns(dimension), comment=f"Dimension {dimension.name}", partition=["is_current"])
    now = Position(log=spoken.version, number=was.number + 1, settings=shape_of(dimension))
    with keeping() as kept:
        aged = age(lake, spoken, Span(since, now, start.heard), kept=kept)
        writing = Writing(Running("apply", dimension.name), start.author, now, since)
        return _commit(lake, dimension, aged, writing=writing, record=start.record)


def _commit(lake: Lake, dimension: Dimension, aged: Aged, *, writing: Writing, record: Record) -> Applied:
    """The record of changes, then the dimension: one commit each."""
    table, running = lake.table(dimension_name(dimension)), writing.running
    refused = record_changes(lake, dimension, aged.told, news=aged.news, writing=writing)
    faults.point("apply:after-audit")
    result = applied(dimension, aged.counted, members=aged.news.members, refused=refused)
    if result.changed or isinstance(aged.where, Everything):
        said = {**writing.now.said(), **running.said(result.counts()), **newest_said(lake, dimension, aged.news.until)}
        faults.point("apply:before-commit")
        replace_rows(table, aged.rows, where=aged.where, step="apply", said=said)
        faults.point("apply:after-commit")
        record(running.ran(result.counts(), writes={table.name: table.version()}))
    return result
