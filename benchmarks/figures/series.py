"""Series: building a target from a small delta, and marking, which is to cost no work on data."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.project import Project
from muniment.verbs.series import SeriesVerbs

from benchmarks.bench import Bench
from benchmarks.figures.finding import Finding, ratios
from benchmarks.meter import data_files, seconds

TIMES = 25  # a series of five million rows where an entity has 200,000 keys
LEDGER = "series: ledger\nkey: {account: long}\norder: [changed_at]\n"
FIRST, SECOND = "2026-03-01", "2026-03-{:02d}"


def building(bench: Bench) -> Finding:
    """Building with a delta of one hundredth ÷ a plain rewrite of what changed and a read of the base's keys."""
    ledger = _prepared(bench)
    days = [_day(bench, ledger, number) for number in bench.numbers][-len(bench.runs) :]
    built, read, rewritten = (tuple(part) for part in zip(*days, strict=True))
    floor = tuple(map(sum, zip(read, rewritten, strict=True)))
    parts = {"build": built, "read the base's keys": read, "rewrite what changed": rewritten}
    return Finding(ratios(built, floor), parts, note=f"{_rows(bench):,} rows; {_marking(ledger, bench)}")


def _day(bench: Bench, ledger: SeriesVerbs, number: int) -> tuple[float, float, float]:
    """One delta: seconds of the build, of a look at the base's keys, of a plain rewrite."""
    at, table = SECOND.format(number + 2), bench.root / "series/plain"
    change = _staged(_change(bench, number), bench.root / f"series/change{number}")
    ledger.delta(change, at)
    return seconds(lambda: ledger.build(at)), seconds(lambda: _read_keys(bench, table, change)), seconds(lambda: _rewrite(table, change))


def _marking(ledger: SeriesVerbs, bench: Bench) -> str:
    """What marking and un-marking took, and that no file of rows was written."""
    at, lake = SECOND.format(2 + bench.numbers[-1]), bench.root / "series/lake/silver"
    before = data_files(lake)
    marked = seconds(lambda: ledger.mark("target", at, "tried", by="bench"))
    ended = seconds(lambda: ledger.unmark("target", at, "tried", by="bench"))
    return f"mark {marked:.1f} s, un-mark {ended:.1f} s, data files written: {len(data_files(lake) - before)}"


def _prepared(bench: Bench) -> SeriesVerbs:
    """A dump, and a plain Delta table of the same rows."""
    root = bench.root / "series"
    root.mkdir(parents=True, exist_ok=True)
    (root / "muniment.yml").write_text("name: bench\ninclude: [ledger.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "ledger.yml").write_text(LEDGER, encoding="utf-8")
    ledger = Project.open(root, spark=bench.spark).series("ledger")
    rows = _staged(bench.spark.range(_rows(bench)).select(F.col("id").alias("account"), *_values(0)), root / "rows")
    ledger.dump(rows, FIRST)
    rows.write.format("delta").option("delta.enableDeletionVectors", "true").save(str(root / "plain"))
    return ledger


def _rows(bench: Bench) -> int:
    return bench.shape.keys * TIMES


def _change(bench: Bench, number: int) -> DataFrame:
    """Every hundredth account, others each day."""
    return bench.spark.range(abs(number) % 100, _rows(bench), 100).select(F.col("id").alias("account"), *_values(number + 2))


def _values(day: int) -> list[Column]:
    owner, place = F.concat(F.lit("owner "), F.col("id")), F.concat(F.lit("place "), F.col("id") % 1000)
    balance = ((F.col("id") * 37 + day * 101) % 1_000_000).cast("decimal(18,2)")
    return [owner.alias("owner"), place.alias("place"), balance.alias("balance"), F.lit(f"2026-03-{day + 1:02d}").alias("changed_at")]


def _staged(rows: DataFrame, place: Path) -> DataFrame:
    rows.write.mode("overwrite").parquet(str(place))
    return rows.sparkSession.read.parquet(str(place))


def _read_keys(bench: Bench, table: Path, change: DataFrame) -> None:
    keys = bench.spark.read.format("delta").load(str(table)).select("account")
    keys.join(change.select("account"), "account", "left_semi").count()


def _rewrite(table: Path, change: DataFrame) -> None:
    given = {"replaceOn": "t.account = s.account", "targetAlias": "t"}
    change.alias("s").write.format("delta").mode("overwrite").options(**given).save(str(table))
