"""Rows of a slice that a check keeps out: the others go on, and these wait in quarantine, once, however often the slice is tried (R19)."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muniment.canon.hashes import quoted, sha256
from muniment.gate.around import refers_to
from muniment.gate.examine import RAW
from muniment.gate.reasons import Reason
from muniment.gate.rows import UTC_JSON
from muniment.lake.tables import Lake
from muniment.ledger.digest import digest_of
from muniment.loads.checks import FAILS, count_failures, judge_rows, reasons, waits
from muniment.loads.errors import ChecksFailed
from muniment.loads.recipe import INTERNAL, Recipe, instant
from muniment.model.load import Load
from muniment.steps.kept import Kept
from muniment.steps.quarantine import append_rows
from muniment.steps.slices import Slice

SLICE = "slice"


@dataclass(frozen=True, slots=True)
class Sifted:
    """The rows that enter, and those that wait."""

    rows: DataFrame
    aside: DataFrame | None = None
    waiting: int = 0
    keyless: int = 0  # of those that wait: nobody can tell whose they are
    messages: tuple[str, ...] = ()


def with_raw(raw: DataFrame, *, load: Load) -> DataFrame:
    """The slice with each row as it came, where a check may set it aside."""
    if not load.checks:
        return raw
    whole = F.to_json(F.struct(*(quoted(name) for name in raw.columns if name not in INTERNAL)), UTC_JSON)
    return raw.withColumn(RAW, whole)


def sift(lake: Lake, rows: DataFrame, *, load: Load, kept: Kept) -> Sifted:
    """Judge prepared rows by the load's checks; one that says `stop` refuses the slice."""
    if not load.checks:
        return Sifted(rows)
    tables = {name: lake.table(name).read() for name in refers_to(load.judged_as)}
    judged = kept.keep(judge_rows(rows, tables, load=load))
    tally = count_failures(judged, load=load)
    if tally.stopped:
        raise ChecksFailed(load=load.name, checks=", ".join(f"{name} ({number})" for name, number in tally.stopped.items()))
    said = [f"{number} rows fail the check {name}" for name, number in tally.warned.items()]
    if tally.keyless and load.infers:
        said.append(f"{tally.keyless} rows without a key were set aside: who is missing from the slice counts as nothing said")
    return Sifted(judged.where(~waits(load)).drop(FAILS, RAW), judged.where(waits(load)), tally.waiting, tally.keyless, tuple(said))


def set_aside(lake: Lake, sifted: Sifted, *, recipe: Recipe, one: Slice) -> None:
    """Append the rows that wait, less those that an earlier try of the slice set aside already."""
    if not sifted.waiting or sifted.aside is None:
        return
    load = recipe.load
    text = "string"
    rows = sifted.aside.withColumn("quarantine_id", _identity(load, one)).select(
        "quarantine_id",
        F.lit(load.name).alias("entity"),
        F.lit(SLICE).alias("source_system"),
        F.lit(str(Reason.CHECK)).alias("reason"),
        reasons(load).alias("detail"),
        quoted(RAW).alias("raw"),
        F.lit(one.read.format.value if one.read else SLICE).alias("source_type"),
        F.lit(one.name if one.files else None).cast(text).alias("source_path"),
        quoted(load.names.source_file).alias("source_file"),
        F.lit(None).cast("timestamp").alias("as_of"),
        F.lit(recipe.run_id).alias("ingest_run_id"),
        instant(recipe.at).alias("ingest_ts"),
    )
    append_rows(lake, rows)


def _identity(load: Load, one: Slice) -> Column:
    """The same row of the same slice has the same id in every try."""
    content = digest_of([f"{file.place} {file.sha256}" for file in one.files]) if one.files else one.token
    same = Window.partitionBy(quoted(RAW)).orderBy(quoted(RAW))
    parts = (F.lit(load.name), F.lit(content), quoted(RAW), F.row_number().over(same).cast("string"))
    return sha256(F.concat_ws("\0", *parts))
