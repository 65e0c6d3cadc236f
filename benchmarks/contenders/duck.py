"""A hand-written SCD2 of the whole event file on DuckDB: completion by own source, then any; collapse; intervals."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def has_duckdb() -> bool:
    """Is DuckDB installed?"""
    return find_spec("duckdb") is not None


def scd2(events: Path, target: Path, *, names: tuple[str, ...], threads: int) -> None:
    """The history of all events in a folder of Parquet files, as one Parquet file."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"SET threads = {threads}; SET TimeZone = 'UTC'; SET temp_directory = '{target.parent}'")
        connection.execute(f"COPY ({statement(events, names)}) TO '{target}' (FORMAT parquet)")


def read(spark: SparkSession, target: Path) -> DataFrame:
    """What was written; Spark's file has times without a zone, which are UTC."""
    times = {name: F.col(name).cast("timestamp") for name in ("effective_from", "effective_to")}
    return spark.read.parquet(str(target)).withColumns(times)


def statement(events: Path, names: tuple[str, ...]) -> str:
    """The query; a null is something left out, as in the generator's events."""
    states = (*names, "is_deleted")
    own = ", ".join(f"coalesce(last_value({n} IGNORE NULLS) OVER own, last_value({n} IGNORE NULLS) OVER any_source) AS {n}" for n in states)
    same = " AND ".join(f"lag({name}) OVER chain IS NOT DISTINCT FROM {name}" for name in ("source", *states))
    listed = ", ".join(names)
    return f"""
        WITH said AS (
            SELECT DISTINCT id, source, "at", {listed}, CASE WHEN op = 'd' THEN true WHEN source = 'core' THEN false END AS is_deleted
            FROM read_parquet('{events}/*.parquet')
        ), completed AS (
            SELECT id, source, "at", {own} FROM said
            WINDOW own AS (PARTITION BY id, source ORDER BY "at" ROWS UNBOUNDED PRECEDING),
                   any_source AS (PARTITION BY id ORDER BY "at" ROWS UNBOUNDED PRECEDING)
        ), versions AS (
            SELECT * FROM completed WINDOW chain AS (PARTITION BY id ORDER BY "at")
            QUALIFY row_number() OVER chain = 1 OR NOT ({same})
        )
        SELECT id, source, "at" AS effective_from, lead("at") OVER later AS effective_to, lead("at") OVER later IS NULL AS is_current,
               coalesce(is_deleted, false) AS is_deleted, {listed}
        FROM versions WINDOW later AS (PARTITION BY id ORDER BY "at")
    """
