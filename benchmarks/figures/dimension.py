"""A dimension of a million members: a batch that touches one in a hundred, against the two-pass MERGE on the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.project import Project

from benchmarks import players
from benchmarks.bench import Bench, folder, must_agree
from benchmarks.contenders import two_pass
from benchmarks.figures.finding import Finding, ratios
from benchmarks.lakes import staged
from benchmarks.meter import Cost, cost, newest, written

MEMBERS = 1_000_000
GOLD, AUDIT, LOG = "gold.dim_player", "gold.dim_player_audit", "bronze.dim_player_log"
_FILES = {
    "muniment.yml": "name: bench\ninclude: [d.yml]\nlake: {path: ./lake}\n",
    "d.yml": """dimension: dim_player
key: {player_id: string}
surrogate: player_key
event_time: changed_at
columns:
  tier: string
  home: string
  score: integer
  address: string
  city: string
  host: string
  first_name: {type: string, scd: 1}
  last_name: {type: string, scd: 1}
  birth_date: {type: date, scd: 1}
  phone: {type: string, scd: 1}
  email: {type: string, scd: 1}
  card: {type: string, scd: 1}
""",
}


@dataclass(frozen=True, slots=True)
class Day:
    """One batch by both; `log` and `audit` are bytes of ours that the other has nothing like."""

    ours: Cost
    theirs: Cost
    log: int
    audit: int


@lru_cache(maxsize=1)
def days(bench: Bench) -> tuple[Day, ...]:
    """The same batches by both, one after the other."""
    members = max(int(MEMBERS * bench.settings.scale), 200)
    root = bench.root / "dimension"
    project, table = _project(bench, root), root / "two_pass.delta"
    first = staged(_rows(bench, members, day=0), root / "members")
    two_pass.make(first, table)
    project.apply("dim_player", first)
    done = [_day(bench, project, table, batch=staged(_batch(bench, members, number), root / f"batch{number}")) for number in bench.numbers]
    ours = project.dimension("dim_player").select(*two_pass.COLUMNS)
    must_agree(bench.spark.read.format("delta").load(str(table)).select(*two_pass.COLUMNS), ours, who="two-pass MERGE")
    return tuple(done[-len(bench.runs) :])


def _day(bench: Bench, project: Project, table: Path, *, batch: DataFrame) -> Day:
    before = {name: newest(folder(project, name)) for name in (LOG, AUDIT)}
    ours = cost(bench.spark, lambda: project.apply("dim_player", batch), folder(project, GOLD))
    theirs = cost(bench.spark, lambda: two_pass.apply(bench.spark, table, batch), table)
    more = {name: written(folder(project, name), since) for name, since in before.items()}
    return Day(ours, theirs, log=more[LOG], audit=more[AUDIT])


def _project(bench: Bench, root: Path) -> Project:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in _FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    return Project.open(root, spark=bench.spark)


def _rows(bench: Bench, members: int, *, day: int) -> DataFrame:
    """Members with the values of a day."""
    when = F.timestamp_seconds(F.lit(1_767_225_600 + 86_400 * day))
    return bench.spark.range(members).selectExpr(*players.columns(day)).withColumn("changed_at", when)


def _batch(bench: Bench, members: int, number: int) -> DataFrame:
    """One member in a hundred, spread over all, later than everything before."""
    mine = F.pmod(F.hash(F.col("player_id"), F.lit(number)), F.lit(100)) == 0
    return _rows(bench, members, day=number + 2).where(mine)


def faster(bench: Bench) -> Finding:
    """Two-pass MERGE ÷ apply, which lands the rows as evidence and records each change too."""
    ours, theirs = (tuple(getattr(day, who).seconds for day in days(bench)) for who in ("ours", "theirs"))
    return Finding(ratios(theirs, ours), {"apply": ours, "two-pass MERGE": theirs})


def fewer_bytes(bench: Bench) -> Finding:
    """Bytes written to the table by the two-pass MERGE ÷ ours; what we write to the log and the record of changes stands beside."""
    mega = {
        "our megabytes": tuple(day.ours.written / 1e6 for day in days(bench)),
        "its megabytes": tuple(day.theirs.written / 1e6 for day in days(bench)),
        "log": tuple(day.log / 1e6 for day in days(bench)),
        "audit": tuple(day.audit / 1e6 for day in days(bench)),
    }
    return Finding(ratios(mega["its megabytes"], mega["our megabytes"]), mega, "the table alone; log and audit beside it")
