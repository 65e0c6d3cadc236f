"""Apply: a dimension from what was said of its members. Looks at members that something new was said of, and changes only what differs (R24).

First the rows are landed, as evidence; then past values, the record of changes and the dimension follow from the log, one commit each. The
dimension's own commit is the last and says how far was read: whatever kills the process before it, the same again is all it takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pyspark.sql import DataFrame

from muniment import clock, faults
from muniment.dimensions.audit import changes_of, refusals_of
from muniment.dimensions.chain import chain_of
from muniment.dimensions.fold import past_of, versions_of
from muniment.dimensions.statements import from_versions
from muniment.evidence.slots import only
from muniment.lake.changes import Everything
from muniment.lake.retry import with_retry
from muniment.lake.schema import aligned
from muniment.lake.tables import Lake, Table
from muniment.ledger.runs import ensure
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import dimension_columns, dimension_name, past_columns, past_name
from muniment.model.source import Absence
from muniment.steps.applied import count_applied
from muniment.steps.auditing import NOBODY, Author, Writing, record_changes
from muniment.steps.dimension_shape import refuse_other_shape, shape_of
from muniment.steps.errors import NotGiven
from muniment.steps.kept import Kept, keeping
from muniment.steps.keys import FEW, all_of
from muniment.steps.land import land
from muniment.steps.newest import goes_on, newest_said
from muniment.steps.position import Position, reached
from muniment.steps.ran import Running, recover_record, replace_rows
from muniment.steps.replacing import Change, change_of
from muniment.steps.request import Request
from muniment.steps.results import Applied
from muniment.steps.sift import Sieve
from muniment.steps.spoken import News, Spoken, span_of, spoken_at


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller of `apply` brings."""

    root: Path
    data: object = None
    at: datetime | None = None
    absence: Absence | None = None
    author: Author = NOBODY


@dataclass(frozen=True, slots=True)
class Touched:
    """Members that may change, and all that was ever said of them."""

    statements: DataFrame
    news: News
    everything: bool = False


def apply(lake: Lake, dimension: Dimension, given: Given) -> Applied:
    """Take rows in, if there are any, and bring the dimension up to all that was said."""
    if given.data is not None and dimension.believes is not None:
        raise NotGiven(dimension=dimension.name, entity=dimension.believes)
    with lake.lock(f"apply {dimension.name}"), keeping() as kept:
        ensure(lake)
        table = lake.table(dimension_name(dimension))
        recover_record(lake, table)
        taken = _take(lake, dimension, given, kept=kept)
        was = reached(table)  # a second attempt looks again at all that the first may have written, so it starts where that did
        done = with_retry(lambda: _bring_up(lake, dimension, given.author, since=was if was.number else None))
        unchanged = max(taken.received - (done.inserted + done.updated + done.deleted - taken.absent), 0)
        told = replace(done, unchanged=unchanged if given.data is not None else done.unchanged)
        return replace(told, rejected=taken.rejected, messages=taken.messages)


def rebuild_dimension(lake: Lake, dimension: Dimension, author: Author) -> Applied:
    """The same tables again, from all that was said."""
    with lake.lock(f"rebuild {dimension.name}"):
        ensure(lake)
        return with_retry(lambda: _bring_up(lake, dimension, author, since=None, again=True))


@dataclass(frozen=True, slots=True)
class _Taken:
    received: int = 0
    absent: int = 0
    rejected: int = 0
    messages: tuple[str, ...] = ()


def _take(lake: Lake, dimension: Dimension, given: Given, *, kept: Kept) -> _Taken:
    if given.data is None:
        return _Taken()
    entity, now = dimension.spoken_of, clock.now()
    at = given.at or now
    sieve = Sieve(lake, dimension, at, (given.absence or dimension.absence) is Absence.DELETES, kept)
    request = Request(entity, entity.sources[0], given.root, now, given.data, as_of=at, sift=sieve.sift)
    landed = land(lake, request)
    return _Taken(sieve.received, sieve.absent, landed.quarantined, (*landed.messages, *sieve.messages))


def _bring_up(lake: Lake, dimension: Dimension, author: Author, *, since: Position | None, again: bool = False) -> Applied:
    table = lake.table(dimension_name(dimension))
    was, spoken = reached(table), spoken_at(lake, dimension)
    if spoken is None:
        return Applied(dimension.name)
    if not again:
        refuse_other_shape(dimension, was)
    if since is not None and since.log == spoken.version:
        return Applied(dimension.name)
    table.create(dimension_columns(dimension), comment=f"Dimension {dimension.name}", partition=["is_current"])
    with keeping() as kept:
        touched = _touched(lake, spoken, since, kept=kept)
        now = Position(log=spoken.version, number=was.number + 1, settings=shape_of(dimension))
        return _derive(lake, dimension, touched, now=now, author=author)


def _touched(lake: Lake, spoken: Spoken, since: Position | None, *, kept: Kept) -> Touched:
    news = spoken.news(lake, was=since.log, kept=kept) if since is not None else None
    if news is not None and goes_on(lake, spoken.dimension, news.since) and news.rows is not None:
        table = lake.table(dimension_name(spoken.dimension))
        held = from_versions(news.keys.of(table.read(table.version())), dimension=spoken.dimension)
        return Touched(kept.now(held.unionByName(news.rows)), news)
    statements = spoken.statements()
    if news is not None:
        return Touched(kept.now(news.keys.of(statements)), news)
    few = statements.limit(FEW + 1).count() <= FEW
    names = tuple(sorted({row["sk"] for row in statements.select("sk").distinct().collect()})) if few else None
    return Touched(statements, News(all_of(statements, names)), everything=True)


def _derive(lake: Lake, dimension: Dimension, touched: Touched, *, now: Position, author: Author) -> Applied:
    running = Running("apply", dimension.name)
    table = lake.table(dimension_name(dimension))
    with keeping() as kept:
        chain = kept.keep(chain_of(touched.statements, dimension=dimension, few=touched.news.keys.are_few))
        _keep_past(lake, dimension, touched, chain, now=now)
        told = changes_of(chain, dimension=dimension)
        if dimension.of_type(0):
            told = told.unionByName(refusals_of(touched.statements, dimension=dimension))
        refused = record_changes(lake, dimension, told, news=touched.news, writing=Writing(running, author))
        faults.point("apply:after-audit")
        change = _change(table, versions_of(chain, dimension=dimension), touched, kept=kept)
        result = replace(count_applied(dimension, change, touched.news.keys), refused=refused)
        if result.changed or touched.everything:
            said = {**now.said(), **running.said(result.counts()), **newest_said(lake, dimension, touched.news.until or _last(touched))}
            _commit(table, change, touched, said, kept=kept)
            running.record(lake, result.counts(), writes={table.name: table.version()})
            faults.point("apply:after-run")
        return result


def _last(touched: Touched) -> datetime | None:
    return span_of(touched.statements)[1]


def _keep_past(lake: Lake, dimension: Dimension, touched: Touched, chain: DataFrame, *, now: Position) -> None:
    """Past values of columns of type 4, before the dimension shows the new ones."""
    if not dimension.of_type(4):
        return
    table = lake.table(past_name(dimension))
    table.create(past_columns(dimension), comment=f"Past values of {dimension.name}")
    said = replace(now, number=reached(table).number + 1).said()  # taken before the rows are read: who comes in between takes it first
    with keeping() as kept:
        change = _change(table, past_of(chain, dimension=dimension), touched, kept=kept)
        if not change.rows.isEmpty():
            _write(table, change, touched, said, kept=kept)
    faults.point("apply:after-past")


def _change(table: Table, after: DataFrame, touched: Touched, *, kept: Kept) -> Change:
    held = aligned(table.read(table.version()), after.schema)
    before = only(held if touched.everything else touched.news.keys.of(held), after.columns)
    return change_of(before, kept.keep(after), kept=kept)


def _commit(table: Table, change: Change, touched: Touched, said: dict[str, object], *, kept: Kept) -> None:
    faults.point("apply:before-commit")
    _write(table, change, touched, said, kept=kept)
    faults.point("apply:after-commit")


def _write(table: Table, change: Change, touched: Touched, said: dict[str, object], *, kept: Kept) -> None:
    if touched.everything:
        replace_rows(table, change.after, where=Everything(), step="apply", said=said)
        return
    rows, where = change.replacement(only(table.read(table.version()), change.after.columns), kept=kept)
    replace_rows(table, rows, where=where, step="apply", said=said)
