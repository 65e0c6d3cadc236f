"""What a dimension has to look at where all that is new is later than all there is: the current version of a member, and its past only if that changes."""

from __future__ import annotations

from pyspark.sql import DataFrame

from muniment.dimensions.named import SMALL, versions_held
from muniment.dimensions.statements import needing_past
from muniment.model.dimension import Dimension
from muniment.steps.kept import Kept
from muniment.steps.spoken import News


def held_to_go_on(versions: DataFrame, news: News, *, dimension: Dimension, kept: Kept) -> DataFrame:
    """The versions that go on, of every member that something new was said of; read on all cores here."""
    few = news.members <= SMALL
    if dimension.of_type(6):  # a version shows what the one before it had
        return kept.now(versions_held(versions, news.rows, dimension=dimension, few=few))
    heads = kept.keep(versions_held(versions.where("is_current"), news.rows, dimension=dimension, few=few))
    past = kept.keep(needing_past(news.rows, heads, dimension=dimension))
    if not past.count():
        return heads
    closed = versions_held(versions.where("NOT is_current"), past, dimension=dimension, few=few)
    return kept.now(heads.unionByName(closed))
