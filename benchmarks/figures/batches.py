"""Batches: in order, late, on more versions, all keys at once, and a hundred in a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.project import Project

from benchmarks import lakes
from benchmarks.bench import TIMES, Bench, must_agree, timeline
from benchmarks.contenders import merge
from benchmarks.events import PERIOD, Batch
from benchmarks.figures.finding import Finding, ratios
from benchmarks.lakes import ENTITY, HISTORY
from benchmarks.meter import Cost, cost


@dataclass(frozen=True, slots=True)
class Series:
    """The same batches, by us and by MERGE."""

    project: Project
    land: tuple[Cost, ...]
    derive: tuple[Cost, ...]
    merge: tuple[Cost, ...]

    def seconds(self, who: str) -> tuple[float, ...]:
        """One kind of work, run by run."""
        return tuple(each.seconds for each in getattr(self, who))


def series(bench: Bench, project: Project, table: Path | None, *, like: Batch, warm: bool = True) -> Series:
    """Batches one after the other, each first by us and then by MERGE; the first is a warm-up."""
    costs: list[tuple[Cost, Cost, Cost | None]] = []
    for number in [0, *bench.runs] if warm else bench.runs:
        rows = bench.batch(replace(like, number=number))
        ours = bench.land(project, rows), bench.derive(project)
        costs.append((*ours, bench.merge(table, rows) if table else None))
    measured = costs[1:] if warm else costs
    merges = tuple(each[2] for each in measured if each[2])
    return Series(project, tuple(each[0] for each in measured), tuple(each[1] for each in measured), merges)


@lru_cache(maxsize=1)
def in_order(bench: Bench) -> Series:
    """The batch that most figures look at."""
    project, table = bench.copy("in-order"), bench.merge_table("in-order", vectors=True)
    found = series(bench, project, table, like=Batch(0, bench.batch_keys))
    must_agree(_read(bench, table), timeline(project, bench.shape), who="null-key MERGE")
    return found


@lru_cache(maxsize=1)
def on_more_versions(bench: Bench) -> Series:
    """The same on a table with ten times the versions."""
    project = lakes.multiplied(bench.base, bench.root / "long", bench.shape, times=TIMES)
    table = bench.merge_table("long", vectors=True, rows=_longer(bench))
    return series(bench, project, table, like=Batch(0, bench.batch_keys))


def _longer(bench: Bench) -> DataFrame:
    """The timeline, and its closed versions again and again, each time further back."""
    rows = timeline(bench.base, bench.shape)
    back = F.make_dt_interval(secs=F.col("times") * bench.shape.versions * PERIOD)
    shifted = {name: F.col(name) - back for name in ("effective_from", "effective_to")}
    closed = rows.where("NOT is_current").withColumn("times", F.explode(F.sequence(F.lit(1), F.lit(TIMES - 1))))
    return rows.unionByName(closed.withColumns(shifted).drop("times"))


def _read(bench: Bench, table: Path) -> DataFrame:
    return bench.spark.read.format("delta").load(str(table))


def faster(bench: Bench) -> Finding:
    """MERGE ÷ derive; mack beside it."""
    found = in_order(bench)
    parts = {"derive": found.seconds("derive"), "MERGE, vectors on": found.seconds("merge"), **_mack(bench)}
    return Finding(ratios(found.seconds("merge"), found.seconds("derive")), parts)


def _mack(bench: Bench) -> dict[str, tuple[float, ...]]:
    """One batch through mack, on a table of its own."""
    if not merge.has_mack() or "mack" in bench.wrong:
        return {}
    table = bench.merge_table("mack", vectors=True)
    rows = bench.batch(Batch(1, bench.batch_keys))
    done = cost(bench.spark, lambda: merge.mack(bench.spark, table, rows, names=bench.shape.names), table)
    return {"mack": (done.seconds,)}


def faster_on_more(bench: Bench) -> Finding:
    """MERGE ÷ derive, on ten times the versions."""
    found = on_more_versions(bench)
    return Finding(
        ratios(found.seconds("merge"), found.seconds("derive")),
        {"derive": found.seconds("derive"), "MERGE, vectors on": found.seconds("merge")},
        "our closed files are linked ten times, MERGE's table holds ten times the rows",
    )


def growth(bench: Bench) -> Finding:
    """Our batch on ten times the versions ÷ on the smaller table."""
    few, many = in_order(bench).seconds("derive"), on_more_versions(bench).seconds("derive")
    return Finding(ratios(many, few), {"ten times": many, "smaller": few})


def fewer_bytes(bench: Bench) -> Finding:
    """Bytes of a MERGE without deletion vectors ÷ ours."""
    table = bench.merge_table("rewriting", vectors=False)
    done = bench.merge(table, bench.batch(Batch(1, bench.batch_keys)))
    ours = tuple(float(each.written) for each in in_order(bench).derive)
    return Finding(
        tuple(done.written / each for each in ours),
        {
            "MERGE, vectors off": (done.seconds,),
            "its megabytes": (done.written / 1e6,),
            "our megabytes": tuple(each / 1e6 for each in ours),
        },
    )


def bytes_of_changes(bench: Bench) -> Finding:
    """Bytes written ÷ bytes of the rows that changed, written alone."""
    project, place = bench.copy("bytes"), bench.root / "changed"
    bench.land(project, bench.batch(Batch(1, bench.batch_keys)))
    table = project.lake.table(HISTORY)
    before = table.version()
    done = bench.derive(project)
    changed = table.read().exceptAll(table.read(before))
    changed.coalesce(1).write.mode("overwrite").parquet(str(place))
    alone = sum(path.stat().st_size for path in place.glob("*.parquet"))
    return Finding(
        (done.written / alone,), {"kilobytes written": (done.written / 1e3,), "kilobytes changed": (alone / 1e3,)}, "bytes do not vary"
    )


def late(bench: Bench) -> Finding:
    """A late batch ÷ an in-order batch."""
    found = series(bench, bench.copy("late"), None, like=Batch(0, bench.batch_keys, late=1.0))
    ordered = in_order(bench).seconds("derive")
    return Finding(ratios(found.seconds("derive"), ordered), {"late": found.seconds("derive"), "in order": ordered})


def at_once(bench: Bench) -> Finding:
    """Every key changes."""
    project, table = bench.copy("at-once"), bench.merge_table("at-once", vectors=True)
    found = series(bench, project, table, like=Batch(0, bench.shape.keys), warm=False)
    must_agree(_read(bench, table), timeline(project, bench.shape), who="null-key MERGE of all keys")
    return Finding(
        ratios(found.seconds("merge"), found.seconds("derive")),
        {"land": found.seconds("land"), "derive": found.seconds("derive"), "MERGE, vectors on": found.seconds("merge")},
    )


def hundred(bench: Bench) -> Finding:
    """The last ten of a long series ÷ the first ten; maintenance is asked for after each ten and counted with them."""
    project = bench.copy("hundred")
    tens: list[float] = []
    for ten in range(max(bench.settings.batches // 10, 2)):
        if bench.seconds_left <= 0 and ten > 1:
            break
        tens.append(_ten(bench, project, ten))
    note = (
        f"{len(tens) * 10} batches; one series"
        if len(tens) * 10 >= bench.settings.batches
        else f"only {len(tens) * 10} batches in the time"
    )
    return Finding((tens[-1] / tens[0],), {"each ten": tuple(tens)}, note)


def _ten(bench: Bench, project: Project, ten: int) -> float:
    count = 10 if bench.settings.batches >= 20 else 1
    batches = [bench.batch(Batch(ten * count + number, bench.batch_keys)) for number in range(count)]
    spent = sum(bench.land(project, rows).seconds + bench.derive(project).seconds for rows in batches)
    return spent + cost(bench.spark, lambda: project.maintain(ENTITY)).seconds


def jobs(bench: Bench) -> Finding:
    """Spark jobs of one batch."""
    found = in_order(bench)
    landing, deriving = (tuple(float(each.jobs) for each in kind) for kind in (found.land, found.derive))
    return Finding(tuple(a + b for a, b in zip(landing, deriving, strict=True)), {"land": landing, "derive": deriving})
