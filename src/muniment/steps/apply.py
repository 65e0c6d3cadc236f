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
from muniment.dimensions.named import SMALL, versions_held, with_sk
from muniment.dimensions.statements import from_versions
from muniment.lake.changes import Everything
from muniment.lake.retry import with_retry
from muniment.lake.schema import aligned
from muniment.lake.tables import Lake, Table
from muniment.ledger.runs import ensure
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import dimension_columns, dimension_name, past_columns, past_name
from muniment.model.source import Absence
from muniment.steps.applied import applied
from muniment.steps.auditing import NOBODY, Author, Writing, record_changes
from muniment.steps.dimension_shape import keeps_columns, refuse_other_shape, shape_of
from muniment.steps.errors import NotGiven
from muniment.steps.going_on import held_to_go_on
from muniment.steps.kept import Kept, keeping
from muniment.steps.keys import keys_of
from muniment.steps.land import land
from muniment.steps.newest import goes_on, newest_said
from muniment.steps.position import Position, reached
from muniment.steps.ran import Running, recover_record, replace_rows
from muniment.steps.replacing import Change, Counted, Naming, change_of, naming_of
from muniment.steps.request import Request
from muniment.steps.results import Applied
from muniment.steps.sift import Sieve
from muniment.steps.spoken import News, Spoken, news_of, spoken_at


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
    """Members that may change: all that was said of them, as far as it is needed, and the versions that it takes the place of."""

    statements: DataFrame
    held: DataFrame
    news: News
    since: Position | None = None  # from where on something is new
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
    dimension, table = spoken.dimension, lake.table(dimension_name(spoken.dimension))
    news = spoken.news(lake, was=since.log, kept=kept) if since is not None else None
    versions = table.read(table.version())
    if since is not None and news is not None and goes_on(lake, dimension, news.since) and keeps_columns(dimension, since):
        held = held_to_go_on(versions, news, dimension=dimension, kept=kept)
        return Touched(from_versions(held, dimension=dimension).unionByName(news.rows), held, news, since)
    statements = spoken.statements()
    if news is not None:
        held = versions_held(versions, news.rows, dimension=dimension, few=news.members <= SMALL)
        return Touched(kept.now(keys_of(news.rows).of(statements)), held, news, since)
    return Touched(statements, with_sk(versions, dimension=dimension), news_of(statements), everything=True)


def _derive(lake: Lake, dimension: Dimension, touched: Touched, *, now: Position, author: Author) -> Applied:
    running = Running("apply", dimension.name)
    table = lake.table(dimension_name(dimension))
    with keeping() as kept:
        chain = kept.keep(chain_of(touched.statements, dimension=dimension, few=touched.news.are_few))
        _keep_past(lake, dimension, touched, chain, now=now)
        told = changes_of(chain, dimension=dimension)
        if dimension.of_type(0):
            told = told.unionByName(refusals_of(touched.statements, dimension=dimension))
        refused = record_changes(lake, dimension, told, news=touched.news, writing=Writing(running, author, now, touched.since))
        faults.point("apply:after-audit")
        after = versions_of(chain, dimension=dimension)
        change = change_of(aligned(touched.held, after.schema), after, naming=naming_of(dimension, after), kept=kept)
        counted = change.count()
        result = applied(dimension, counted, members=touched.news.members, refused=refused)
        if result.changed or touched.everything:
            said = {**now.said(), **running.said(result.counts()), **newest_said(lake, dimension, touched.news.until)}
            faults.point("apply:before-commit")
            _write(table, change, counted, touched, said=said)
            faults.point("apply:after-commit")
            running.record(lake, result.counts(), writes={table.name: table.version()})
            faults.point("apply:after-run")
        return result


def _write(table: Table, change: Change, counted: Counted, touched: Touched, *, said: dict[str, object]) -> None:
    if touched.everything:
        replace_rows(table, change.after, where=Everything(), step="apply", said=said)
        return
    rows, where = change.replacement(table.read(table.version()), counted)
    replace_rows(table, rows, where=where, step="apply", said=said)


def _keep_past(lake: Lake, dimension: Dimension, touched: Touched, chain: DataFrame, *, now: Position) -> None:
    """Past values of columns of type 4, before the dimension shows the new ones."""
    if not dimension.of_type(4):
        return
    table = lake.table(past_name(dimension))
    table.create(past_columns(dimension), comment=f"Past values of {dimension.name}")
    said = replace(now, number=reached(table).number + 1).said()  # taken before the rows are read: who comes in between takes it first
    with keeping() as kept:
        after, past = past_of(chain, dimension=dimension), table.read(table.version())
        held = past if touched.everything else past.join(touched.news.rows.select("sk"), "sk", "left_semi")
        change = change_of(aligned(held, after.schema), after, naming=Naming(), kept=kept)
        counted = change.count()
        if counted.changed:
            _write(table, change, counted, touched, said=said)
    faults.point("apply:after-past")
