"""One step on: members whose current version meets one later statement. No chain has to be sorted: what held before is the version itself.

The same expressions as over a chain, on its second row: `changes_of` and `versions_of` would say the same of the two (`tests/spark/dimensions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.canon.encode import identifier
from muniment.canon.hashes import quoted
from muniment.dimensions.chain import NUMBER, PLACEHOLDER
from muniment.dimensions.fold import open_end, surrogate
from muniment.dimensions.statements import DELETED, INFERRED, said
from muniment.dimensions.types import AT, IS_LIVE, before, first, first_at, makes_versions, state
from muniment.model.dimension import Dimension, ScdColumn
from muniment.model.dimension_tables import SK, dimension_columns, named_by

STEPPING = (0, 1, 2)  # types of which the current version shows all that is needed
OPENS = "_opens"
BEYOND = "_beyond"  # more than the current version has to change


def step_of(heads: DataFrame, news: DataFrame, *, dimension: Dimension) -> DataFrame:
    """Current versions beside the statement that meets each, as a row of the chain; who has no current version is not among them."""
    names = list(named_by(dimension))
    columns = [col.name for col in dimension_columns(dimension)]
    held = heads.selectExpr(*map(identifier, names), *(f"{identifier(name)} AS {_held(name)}" for name in columns))
    met = held.join(F.broadcast(news), names)
    placed = met.selectExpr(
        "*", *(_states(dimension)), f"NOT {DELETED} AS {IS_LIVE}", "true AS _was_live", "true AS _lived", f"2 AS {NUMBER}"
    )
    opens = [_changes(column) for column in dimension.columns if makes_versions(column)]
    others = [_changes(column) for column in dimension.columns if not makes_versions(column)]
    return placed.selectExpr(
        "*",
        f"{IS_LIVE} AND ({_any(opens)}) AS {OPENS}",
        f"{INFERRED} OR {_held('is_inferred')} OR {_any(others)} AS {BEYOND}",
        f"CAST(NULL AS timestamp) AS {PLACEHOLDER}",
    )


def stepped_versions(step: DataFrame, *, dimension: Dimension) -> DataFrame:
    """The versions that end and those that begin."""
    columns = tuple(dict.fromkeys((SK, *dimension_columns(dimension))))
    ends = {"sk": F.col("sk"), "effective_to": F.col(AT), "is_current": F.lit(False)}
    begins = {
        "sk": F.col("sk"),
        dimension.surrogate: surrogate(F.col(AT)),
        "version": F.expr(f"{_held('version')} + 1"),
        "effective_from": F.col(AT),
        "effective_to": open_end(F.lit(None), dimension=dimension),
        **{column.name: quoted(state(column)) for column in dimension.columns},
    }
    closed, opened = (
        rows.select(*((told[c.name] if c.name in told else F.expr(_held(c.name))).cast(c.type).alias(c.name) for c in columns))
        for rows, told in ((step.where(f"{OPENS} OR {DELETED}"), ends), (step.where(OPENS), begins))
    )
    return closed.unionByName(opened)


def _states(dimension: Dimension) -> Iterator[str]:
    for column in dimension.columns:
        held, stated = _held(column.name), identifier(said(column.name))
        yield f"CASE WHEN {stated} IS NOT NULL THEN {stated}.value ELSE {held} END AS {identifier(state(column))}"
        yield f"{held} AS {identifier(before(column))}"
        if column.scd == 0:
            yield f"{held} AS {identifier(first(column))}"
            yield f"CAST(NULL AS timestamp) AS {identifier(first_at(column))}"  # where it is said here, more than a step is needed


def _changes(column: ScdColumn) -> str:
    return f"NOT ({identifier(state(column))} <=> {identifier(before(column))})"


def _any(conditions: Iterable[str]) -> str:
    return " OR ".join(conditions) or "false"


def _held(name: str) -> str:
    return identifier(f"_held_{name}")
