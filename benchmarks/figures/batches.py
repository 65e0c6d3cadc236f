"""Batches: in order, late, on more versions, all keys at once, and a hundred in a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.project import Project

from benchmarks import lakes
from benchmarks.bench import TIMES, Bench, must_agree, timeline
from benchmarks.contenders import dbt, floors, merge
from benchmarks.events import PERIOD, Batch
from benchmarks.figures.finding import Finding, ratios
from benchmarks.lakes import ENTITY, HISTORY
from benchmarks.meter import Cost, cost


@dataclass(frozen=True, slots=True)
class Day:
    """One run: the same batch by everyone, one after the other."""

    land: Cost
    append: Cost
    derive: Cost
    late: Cost  # derive of a batch of the same size that is late
    merge: Cost


@dataclass(frozen=True, slots=True)
class Days:
    """All runs, and the lake they were made on."""

    project: Project
    runs: tuple[Day, ...]

    def seconds(self, who: str) -> tuple[float, ...]:
        """One kind of work, run by run."""
        return tuple(getattr(day, who).seconds for day in self.runs)


@lru_cache(maxsize=1)
def days(bench: Bench) -> Days:
    """The batch that most figures look at."""
    project, behind, table = bench.copy("in-order"), bench.copy("late"), bench.merge_table("in-order", vectors=True)
    runs = [_day(bench, project, behind, number=number, table=table) for number in bench.numbers]
    must_agree(_read(bench, table), timeline(project, bench.shape), who="null-key MERGE")
    return Days(project, tuple(runs[-len(bench.runs) :]))


def _day(bench: Bench, project: Project, behind: Project, *, number: int, table: Path) -> Day:
    rows, plain = bench.batch(Batch(number, bench.batch_keys)), bench.root / "plain.delta"
    append = cost(bench.spark, lambda: floors.append(rows, plain), plain)
    land, derive = bench.land(project, rows), bench.derive(project)
    bench.land(behind, bench.batch(Batch(number, bench.batch_keys, late=1.0)))
    return Day(land, append, derive, late=bench.derive(behind), merge=bench.merge(table, rows))


@lru_cache(maxsize=1)
def long_and_short(bench: Bench) -> dict[str, tuple[float, ...]]:
    """The same batches on ten times the versions, by us and by MERGE, whose warm-up is one, and by us on the smaller table."""
    project = lakes.multiplied(bench.base, bench.root / "long", bench.shape, times=TIMES)
    short, table = bench.copy("short"), bench.merge_table("long", vectors=True, rows=_longer(bench))
    seconds = dict[str, list[float]](long=[], short=[], merge=[])
    for number in bench.numbers:
        rows = bench.batch(Batch(number, bench.batch_keys))
        for name, each in (("long", project), ("short", short)):
            bench.land(each, rows)
            seconds[name].append(bench.derive(each).seconds)
        if number >= bench.numbers[-1] - len(bench.runs):
            seconds["merge"].append(bench.merge(table, rows).seconds)
    return {name: tuple(values[-len(bench.runs) :]) for name, values in seconds.items()}


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
    """MERGE ÷ derive; mack and dbt beside it."""
    derive, merged = days(bench).seconds("derive"), days(bench).seconds("merge")
    return Finding(ratios(merged, derive), {"derive": derive, "MERGE, vectors on": merged, **_mack(bench), **_dbt(bench)})


def _mack(bench: Bench) -> dict[str, tuple[float, ...]]:
    """One batch through mack, on a table of its own."""
    if not merge.has_mack() or "mack" in bench.wrong:
        return {}
    table = bench.merge_table("mack", vectors=True)
    rows = bench.batch(Batch(1, bench.batch_keys))
    done = cost(bench.spark, lambda: merge.mack(bench.spark, table, rows, names=bench.shape.names), table)
    return {"mack": (done.seconds,)}


def _dbt(bench: Bench) -> dict[str, tuple[float, ...]]:
    """The same batches through dbt's snapshots, on a table of their own."""
    if not bench.with_dbt or "dbt-duckdb" in bench.wrong:
        return {}
    batches = [dbt.files(bench.batch(Batch(number, bench.batch_keys))) for number in bench.numbers]
    wanted = timeline(days(bench).project, bench.shape)
    with dbt.snapshots(bench.root / "dbt", timeline(bench.base, bench.shape), names=bench.shape.names) as table:
        spent = [cost(bench.spark, partial(table.take, files)).seconds for files in batches]
        must_agree(table.read(wanted), wanted, who="dbt-duckdb")
    return {"dbt-duckdb snapshot": tuple(spent[-len(bench.runs) :])}


def faster_on_more(bench: Bench) -> Finding:
    """MERGE ÷ derive, on ten times the versions."""
    found = long_and_short(bench)
    note = "our closed files are linked ten times, MERGE's table holds ten times the rows"
    return Finding(ratios(found["merge"], found["long"]), {"derive": found["long"], "MERGE, vectors on": found["merge"]}, note)


def growth(bench: Bench) -> Finding:
    """Our batch on ten times the versions ÷ on the smaller table."""
    found = long_and_short(bench)
    return Finding(ratios(found["long"], found["short"]), {"ten times": found["long"], "smaller": found["short"]})


def fewer_bytes(bench: Bench) -> Finding:
    """Bytes of a MERGE without deletion vectors ÷ ours."""
    table = bench.merge_table("rewriting", vectors=False)
    done = bench.merge(table, bench.batch(Batch(1, bench.batch_keys)))
    ours = tuple(float(day.derive.written) for day in days(bench).runs)
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
    late, ordered = days(bench).seconds("late"), days(bench).seconds("derive")
    return Finding(ratios(late, ordered), {"late": late, "in order": ordered})


def landing(bench: Bench) -> Finding:
    """Landing a batch ÷ appending its rows to a plain Delta table."""
    land, append = days(bench).seconds("land"), days(bench).seconds("append")
    return Finding(ratios(land, append), {"land": land, "append": append})


def at_once(bench: Bench) -> Finding:
    """Every key changes."""
    project, table = bench.copy("at-once"), bench.merge_table("at-once", vectors=True)
    seconds = dict[str, list[float]]({"land": [], "derive": [], "MERGE, vectors on": []})
    for number in bench.runs:
        rows = bench.batch(Batch(number, bench.shape.keys))
        done = bench.land(project, rows), bench.derive(project), bench.merge(table, rows)
        for values, each in zip(seconds.values(), done, strict=True):
            values.append(each.seconds)
    must_agree(_read(bench, table), timeline(project, bench.shape), who="null-key MERGE of all keys")
    parts = {name: tuple(values) for name, values in seconds.items()}
    return Finding(ratios(parts["MERGE, vectors on"], parts["derive"]), parts)


def hundred(bench: Bench) -> Finding:
    """The last tenth of a long series ÷ the first; maintenance is asked for after each tenth and counted with it."""
    project, wanted = bench.copy("hundred"), bench.settings.batches
    each = max(wanted // 10, 1)
    spent: list[float] = []
    while len(spent) * each < wanted and (bench.seconds_left > 0 or len(spent) < 2):
        spent.append(_tenth(bench, project, range(len(spent) * each, (len(spent) + 1) * each)))
    done = len(spent) * each
    note = f"{done} batches, one series" if done >= wanted else f"only {done} of {wanted} batches in the time"
    return Finding((spent[-1] / spent[0],), {"each tenth": tuple(spent)}, note)


def _tenth(bench: Bench, project: Project, numbers: range) -> float:
    batches = [bench.batch(Batch(number, bench.batch_keys)) for number in numbers]
    spent = sum(bench.land(project, rows).seconds + bench.derive(project).seconds for rows in batches)
    return spent + cost(bench.spark, lambda: project.maintain(ENTITY)).seconds


def jobs(bench: Bench) -> Finding:
    """Spark jobs of one batch."""
    runs = days(bench).runs
    landing, deriving = tuple(float(day.land.jobs) for day in runs), tuple(float(day.derive.jobs) for day in runs)
    return Finding(tuple(map(sum, zip(landing, deriving, strict=True))), {"land": landing, "derive": deriving})
