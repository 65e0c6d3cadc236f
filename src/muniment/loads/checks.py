"""The declared checks on the rows of a slice, before they enter; they mean the same in every family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted
from muniment.gate.around import SETS, look_around
from muniment.gate.checks import fails, label
from muniment.gate.rows import UNREADABLE
from muniment.loads.recipe import UNFIT, found
from muniment.model.check import Check, Fresh, OnFail, SqlCheck, Unique
from muniment.model.load import Load

FAILS = "__fails"  # the places of the checks that a row fails, in the load's list


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rows wait, how many of them nobody can name, and how many fail each of the other checks."""

    waiting: int = 0
    keyless: int = 0
    warned: Mapping[str, int] = field(default_factory=dict)
    stopped: Mapping[str, int] = field(default_factory=dict)


def judge_rows(rows: DataFrame, tables: Mapping[str, DataFrame], *, load: Load) -> DataFrame:
    """Adds which checks each row fails; what the slice has no column for cannot fail, nor can a row that says its key is gone."""
    checks = {n: check for n, check in enumerate(load.checks) if _is_stated(check, rows.columns)}
    entity = replace(load.judged_as, checks=tuple(checks.values()))
    lacking = {c.name: F.lit(None).cast(c.type) for c in load.columns if found(c.name, rows.columns) is None}
    seen = look_around(rows.withColumns(lacking), tables, entity=entity)
    says = ~quoted(load.names.is_deleted) & (F.size(UNFIT) == 0) & F.col(UNREADABLE).isNull()  # what cannot be read refuses the slice
    failing = [F.when(says & fails(check, entity=entity), F.lit(n)) for n, check in checks.items()]
    return seen.withColumn(FAILS, F.array_compact(F.array(*failing)).cast("array<int>")).drop(SETS, *lacking)


def count_failures(judged: DataFrame, *, load: Load) -> Tally:
    """All that the checks found, in one look."""
    aside = waits(load)
    row = judged.agg(
        F.count_if(aside).alias("waiting"),
        F.count_if(aside & quoted(load.names.sk).isNull()).alias("keyless"),
        *(F.count_if(~aside & F.array_contains(FAILS, n)).alias(f"c{n}") for n, _ in enumerate(load.checks)),
    ).first()
    if row is None:
        return Tally()
    warned, stopped = (
        {label(check): row[f"c{n}"] for n, check in _that(load, *kinds) if row[f"c{n}"]}
        for kinds in ((OnFail.WARN, OnFail.MARK), (OnFail.STOP,))
    )
    return Tally(row["waiting"], row["keyless"], warned, stopped)


def waits(load: Load) -> Column:
    """Whether a row is set aside."""
    numbers = [n for n, _ in _that(load, OnFail.QUARANTINE)]
    return F.arrays_overlap(F.col(FAILS), F.array(*map(F.lit, numbers))) if numbers else F.lit(False)


def reasons(load: Load) -> Column:
    """The checks for which a row is set aside, in words."""
    words = [F.when(F.array_contains(FAILS, n), F.lit(label(check))) for n, check in _that(load, OnFail.QUARANTINE)]
    return F.array_join(F.array_compact(F.array(*words)), "; ")


def _that(load: Load, *kinds: OnFail) -> list[tuple[int, Check]]:
    return [(n, check) for n, check in enumerate(load.checks) if check.on_fail in kinds]


def _is_stated(check: Check, columns: Sequence[str]) -> bool:
    match check:
        case Unique(columns=names):
            return all(found(name, columns) for name in names)
        case SqlCheck():
            return True
        case Fresh():
            return False
        case _:
            return found(check.attribute, columns) is not None
