"""Verify and repair a dimension: it must be what all that was said makes of it; a repair keeps what it takes out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.canon.hashes import quoted
from muniment.dimensions.chain import chain_of
from muniment.dimensions.checks import CHECKS, Suspect
from muniment.dimensions.fold import past_of, versions_of
from muniment.dimensions.named import with_sk
from muniment.errors import BadArgument
from muniment.evidence.lanes import difference
from muniment.evidence.slots import only
from muniment.lake.schema import aligned
from muniment.lake.tables import Lake
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import audit_name, dimension_name, past_name, removed_columns, removed_name
from muniment.quality.chain import verify_chain, verify_seals
from muniment.quality.problems import Problem
from muniment.steps.apply import rebuild_dimension
from muniment.steps.auditing import Author
from muniment.steps.kept import keeping
from muniment.steps.position import reached
from muniment.steps.replacing import ROW
from muniment.steps.spoken import Spoken, spoken_at

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that is wrong with a dimension: which check found it, in how many members, and some of them."""

    check: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """The outcome of all checks on a dimension."""

    dimension: str
    ok: bool
    defects: tuple[Defect, ...] = ()
    problems: tuple[Problem, ...] = ()  # with what was said, and with the record of changes
    checks: tuple[str, ...] = (*CHECKS, "past", "log", "audit")


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did, or would do: rows that go, and rows that come in their place."""

    dimension: str
    defects: tuple[Defect, ...] = ()
    removed: int = 0
    added: int = 0
    done: bool = False


def verify_dimension(lake: Lake, dimension: Dimension, *, facts: DataFrame | None = None) -> Verified:
    """Every check, each defect by name."""
    if facts is not None and dimension.surrogate not in facts.columns:
        advice = f"Stamp them first; the column is called {dimension.surrogate}."
        raise BadArgument(argument="facts", problem="these facts were never stamped", advice=advice)
    if not _is_made(lake, dimension):
        return Verified(dimension.name, ok=True)
    with keeping() as kept:
        suspect = _suspect(lake, dimension, facts=facts)
        known = Suspect(dimension, kept.keep(suspect.held), kept.keep(suspect.fresh), facts)
        defects = tuple(_defects(lake, dimension, known))
    problems = [] if dimension.believes is not None else verify_chain(lake, dimension.spoken_of)
    problems += verify_seals(lake.table(audit_name(dimension)), run="run_id")
    return Verified(dimension.name, not defects and not problems, defects, tuple(problems))


def repair_dimension(lake: Lake, dimension: Dimension, *, author: Author, plan: bool = False) -> Repaired:
    """Make the table what all that was said makes of it, and keep what is taken out; `plan`: only say what would happen."""
    if not _is_made(lake, dimension):
        return Repaired(dimension.name)
    with lake.lock(f"repair {dimension.name}"), keeping() as kept:
        suspect = _suspect(lake, dimension)
        held, fresh = kept.keep(suspect.held), kept.keep(suspect.fresh)
        defects = tuple(_defects(lake, dimension, Suspect(dimension, held, fresh)))
        gone, come = kept.keep(held.exceptAll(fresh)), fresh.exceptAll(held)
        counts = (gone.count(), come.count()) if defects else (0, 0)
        if plan or not defects:
            return Repaired(dimension.name, defects, *counts)
        _keep_removed(lake, dimension, gone, author=author)
        faults.point("repair:after-removed")
        rebuild_dimension(lake, dimension, author)
        return Repaired(dimension.name, defects, *counts, done=True)


def _is_made(lake: Lake, dimension: Dimension) -> bool:
    table = lake.table(dimension_name(dimension))
    return table.exists() and reached(table).number > 0


def _suspect(lake: Lake, dimension: Dimension, *, facts: DataFrame | None = None) -> Suspect:
    spoken = _at_position(lake, dimension)
    fresh = versions_of(chain_of(spoken.statements(), dimension=dimension), dimension=dimension)
    table = lake.table(dimension_name(dimension))
    versions = with_sk(table.read(table.version()), dimension=dimension)
    held = only(aligned(versions, fresh.schema), fresh.columns)
    return Suspect(dimension, held, fresh, facts)


def _at_position(lake: Lake, dimension: Dimension) -> Spoken:
    """What was said as far as the dimension has read."""
    spoken = spoken_at(lake, dimension)
    if spoken is None:
        raise AssertionError(f"{dimension.name} was made of nothing")
    return Spoken(dimension, spoken.table, reached(lake.table(dimension_name(dimension))).log)


def _defects(lake: Lake, dimension: Dimension, suspect: Suspect) -> list[Defect]:
    """All checks in one look: how many members each finds, and some of them by the key that people know."""
    found = {name: check(suspect).select("sk") for name, check in CHECKS.items()}
    past = lake.table(past_name(dimension))
    if dimension.of_type(4) and past.exists():
        chain = chain_of(_at_position(lake, dimension).statements(), dimension=dimension)
        fresh = past_of(chain, dimension=dimension)
        held = only(aligned(past.read(), fresh.schema), fresh.columns)
        found["past"] = difference(held, fresh, identity=ROW).rows.select(F.coalesce("before.sk", "after.sk").alias("sk"))
    members = reduce(DataFrame.unionByName, (rows.distinct().withColumn("check", F.lit(name)) for name, rows in found.items()))
    keys = F.to_json(F.struct(*(quoted(part.name) for part in dimension.key)))
    known = suspect.held.unionByName(suspect.fresh).groupBy("sk").agg(F.first(keys).alias("key"))
    named = members.join(known, "sk", "left").withColumn("key", F.coalesce("key", "sk"))
    of_check = Window.partitionBy("check")
    counted = named.withColumns({"n": F.count(F.lit(1)).over(of_check), "place": F.row_number().over(of_check.orderBy("key"))})
    rows = counted.where(F.col("place") <= _EXAMPLES).orderBy("place").collect()
    return [
        Defect(name, some[0]["n"], tuple(row["key"] for row in some)) for name in found if (some := [r for r in rows if r["check"] == name])
    ]


def _keep_removed(lake: Lake, dimension: Dimension, gone: DataFrame, *, author: Author) -> None:
    table, run_id = lake.table(removed_name(dimension)), clock.new_id()
    table.create(removed_columns(dimension), comment=f"What repairs took out of {dimension.name}")
    said = {"removed_at": clock.now(), "removed_by": author.by, "removed_reason": author.reason, "run_id": run_id}
    rows = gone.withColumns({name: F.lit(value).cast(_kind(name)) for name, value in said.items()})
    table.append(only(rows, (col.name for col in removed_columns(dimension))), metadata={"run": run_id})


def _kind(name: str) -> str:
    return "timestamp" if name == "removed_at" else "string"
