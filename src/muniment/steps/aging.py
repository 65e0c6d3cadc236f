"""How a dimension's table has to change: by one step, by going on from its versions, or by folding all that was said; the least that will do."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from muniment import faults
from muniment.dimensions.audit import changes_of, refusals_of
from muniment.dimensions.chain import chain_of
from muniment.dimensions.fold import past_of, versions_of
from muniment.dimensions.named import SMALL, versions_held, with_sk
from muniment.dimensions.statements import DELETED, from_versions
from muniment.dimensions.step import BEYOND, OPENS, STEPPING, step_of, stepped_changes, stepped_versions
from muniment.lake.changes import Everything, On, Replacement
from muniment.lake.schema import aligned
from muniment.lake.tables import Lake
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import dimension_name, past_columns, past_name
from muniment.steps.dimension_shape import keeps_columns
from muniment.steps.going_on import held_to_go_on
from muniment.steps.kept import Kept, keeping
from muniment.steps.keys import keys_of
from muniment.steps.newest import goes_on
from muniment.steps.position import Position, reached
from muniment.steps.ran import replace_rows
from muniment.steps.replacing import Change, Counted, Naming, change_of, naming_of
from muniment.steps.spoken import Heard, News, Spoken, news_of


@dataclass(frozen=True, slots=True)
class Span:
    """From where on something is new, None for all of it, as far as the dimension will have read, and what is new where that was counted."""

    since: Position | None
    now: Position
    heard: Heard | None = None


@dataclass(frozen=True, slots=True)
class Aged:
    """What is new, the changes it amounts to, and the rows of the table that come with those whose place they take."""

    news: News
    told: DataFrame
    counted: Counted
    rows: DataFrame
    where: Replacement


@dataclass(frozen=True, slots=True)
class Touched:
    """Members that may change: all that was said of them, as far as it is needed, and the versions that it takes the place of."""

    statements: DataFrame
    held: DataFrame
    versions: DataFrame  # those of all members
    news: News
    everything: bool = False


def age(lake: Lake, spoken: Spoken, span: Span, *, kept: Kept) -> Aged:
    """The change of the table, computed once; past values of columns of type 4 are written here, before the dimension shows the new ones."""
    dimension, table, since = spoken.dimension, lake.table(dimension_name(spoken.dimension)), span.since
    news = spoken.news(lake, was=since.log, kept=kept, heard=span.heard) if since is not None else None
    versions = table.read(table.version())
    if since is None or news is None:
        statements = spoken.statements()
        held = with_sk(versions, dimension=dimension)
        return _fold(lake, dimension, Touched(statements, held, versions, news_of(statements), everything=True), now=span.now, kept=kept)
    if goes_on(lake, dimension, news.since) and keeps_columns(dimension, since):
        stepped = _step(versions, news, dimension=dimension, kept=kept)
        return stepped or _fold(lake, dimension, _later(versions, news, dimension=dimension, kept=kept), now=span.now, kept=kept)
    held = versions_held(versions, news.rows, dimension=dimension, few=news.members <= SMALL)
    statements = kept.now(keys_of(news.rows).of(spoken.statements()))
    return _fold(lake, dimension, Touched(statements, held, versions, news), now=span.now, kept=kept)


def _later(versions: DataFrame, news: News, *, dimension: Dimension, kept: Kept) -> Touched:
    held = held_to_go_on(versions, news, dimension=dimension, kept=kept)
    return Touched(from_versions(held, dimension=dimension).unionByName(news.rows), held, versions, news)


def _step(versions: DataFrame, news: News, *, dimension: Dimension, kept: Kept) -> Aged | None:
    """One statement for each member, and nothing but its current version to change; None where that is not all."""
    if news.statements != news.members or news.members > SMALL or any(column.scd not in STEPPING for column in dimension.columns):
        return None
    step = kept.keep(step_of(versions.where("is_current"), news.rows, dimension=dimension))
    counts = ("count(1) AS met", f"count_if({BEYOND}) AS beyond", f"count_if({OPENS}) AS opened", f"count_if({DELETED}) AS deleted")
    row = step.selectExpr(*counts).collect()[0]
    if row["met"] != news.members or row["beyond"]:
        return None
    ended = row["opened"] + row["deleted"]
    counted = Counted(ended + row["opened"], row["opened"], closed=ended, deleted=row["deleted"], members=ended)
    rows = stepped_versions(step, dimension=dimension)
    told = stepped_changes(step, dimension=dimension)
    return Aged(news, told, counted, rows, On(naming_of(dimension, rows).meets() + " AND t.is_current"))


def _fold(lake: Lake, dimension: Dimension, touched: Touched, *, now: Position, kept: Kept) -> Aged:
    """The versions that the chains of members amount to, against those there are."""
    chain = kept.keep(chain_of(touched.statements, dimension=dimension, few=touched.news.are_few))
    _keep_past(lake, dimension, touched, chain, now=now)
    told = changes_of(chain, dimension=dimension)
    if dimension.of_type(0):
        told = told.unionByName(refusals_of(touched.statements, dimension=dimension))
    after = versions_of(chain, dimension=dimension)
    change = change_of(aligned(touched.held, after.schema), after, naming=naming_of(dimension, after), kept=kept)
    counted = change.count()
    return Aged(touched.news, told, counted, *_written(change, counted, touched, touched.versions))


def _written(change: Change, counted: Counted, touched: Touched, versions: DataFrame) -> tuple[DataFrame, Replacement]:
    return (change.after, Everything()) if touched.everything else change.replacement(versions, counted)


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
            rows, where = _written(change, counted, touched, past)
            replace_rows(table, rows, where=where, step="apply", said=said)
    faults.point("apply:after-past")
