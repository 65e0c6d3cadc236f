"""One step on: members whose current version meets one later statement. No chain has to be sorted: what held before is the version itself.

The same expressions as over a chain, on its second row: `changes_of` and `versions_of` would say the same of the two (`tests/spark/dimensions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.canon.encode import identifier
from muniment.canon.hashes import quoted
from muniment.dimensions.audit import changes_at
from muniment.dimensions.chain import NUMBER, PLACEHOLDER
from muniment.dimensions.fold import open_end, surrogate
from muniment.dimensions.statements import DELETED, INFERRED, said
from muniment.dimensions.types import AT, IS_LIVE, before, makes_versions, state
from muniment.model.dimension import Dimension, ScdColumn
from muniment.model.dimension_tables import SK, dimension_columns, named_by

STEPPING = (0, 1, 2)  # types of which the current version shows all that is needed
OPENS = "_opens"
BEYOND = "_beyond"  # more than the current version has to change


def step_of(heads: DataFrame, news: DataFrame, *, dimension: Dimension) -> DataFrame:
    """Current versions beside what holds from the statement on that meets each; who has no current version is not among them."""
    names, held = list(named_by(dimension)), _held(dimension)
    versions = heads.selectExpr(*map(identifier, names), *(f"{identifier(name)} AS {place}" for name, place in held.items()))
    told = dict.fromkeys(("sk", *(part.name for part in dimension.key), AT, DELETED, INFERRED))
    placed = versions.join(F.broadcast(news), names).selectExpr(*map(identifier, told), *held.values(), *_states(dimension))
    opens = [_changes(column) for column in dimension.columns if makes_versions(column)]
    others = [_changes(column) for column in dimension.columns if not makes_versions(column)]
    return placed.selectExpr(
        "*",
        f"NOT {DELETED} AND ({_any(opens)}) AS {OPENS}",
        f"{INFERRED} OR {held['is_inferred']} OR {_any(others)} AS {BEYOND}",
    )


def stepped_changes(step: DataFrame, *, dimension: Dimension) -> DataFrame:
    """The changes that the step amounts to, as of the second row of a chain; what makes no versions does not change in one step."""
    known = {IS_LIVE: f"NOT {DELETED}", "_was_live": "true", "_lived": "true", NUMBER: "2", PLACEHOLDER: "CAST(NULL AS timestamp)"}
    told = step.selectExpr("*", *(f"{what} AS {name}" for name, what in known.items()))
    return changes_at(told, dimension=dimension, columns=[column for column in dimension.columns if makes_versions(column)])


def stepped_versions(step: DataFrame, *, dimension: Dimension) -> DataFrame:
    """The versions that end and those that begin."""
    columns, held = tuple(dict.fromkeys((SK, *dimension_columns(dimension)))), _held(dimension)
    ends = {"sk": F.col("sk"), "effective_to": F.col(AT), "is_current": F.lit(False)}
    begins = {
        "sk": F.col("sk"),
        dimension.surrogate: surrogate(F.col(AT)),
        "version": F.expr(f"{held['version']} + 1"),
        "effective_from": F.col(AT),
        "effective_to": open_end(F.lit(None), dimension=dimension),
        **{column.name: quoted(state(column)) for column in dimension.columns},
    }
    closed, opened = (
        rows.select(*((told[c.name] if c.name in told else F.expr(held[c.name])).cast(c.type).alias(c.name) for c in columns))
        for rows, told in ((step.where(f"{OPENS} OR {DELETED}"), ends), (step.where(OPENS), begins))
    )
    return closed.unionByName(opened)


def _states(dimension: Dimension) -> Iterator[str]:
    for column in dimension.columns:
        stated = identifier(said(column.name))
        yield f"CASE WHEN {stated} IS NOT NULL THEN {stated}.value ELSE {identifier(before(column))} END AS {identifier(state(column))}"


def _changes(column: ScdColumn) -> str:
    return f"NOT ({identifier(state(column))} <=> {identifier(before(column))})"


def _any(conditions: Iterable[str]) -> str:
    return " OR ".join(conditions) or "false"


def _held(dimension: Dimension) -> dict[str, str]:
    """Where a column of the current version stands: that of an attribute is what held before."""
    before_of = {column.name: before(column) for column in dimension.columns}
    return {col.name: identifier(before_of.get(col.name, f"_held_{col.name}")) for col in dimension_columns(dimension)}
