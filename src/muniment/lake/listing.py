"""Which tables a lake has."""

from __future__ import annotations

import os
from pathlib import Path

from pyspark.sql import SparkSession

from muniment.lake.errors import TableUnreadable
from muniment.lake.location import SCHEMAS, Location
from muniment.lake.remote_log import unglobbed
from muniment.lake.trouble import condition, summary


def table_names(spark: SparkSession, location: Location) -> list[str]:
    """Names of all tables, as people see them, sorted; trouble while looking is an error (R26)."""
    if location.base is None:
        return sorted(name for schema in {*SCHEMAS, *location.schemas} for name in _in_catalog(spark, location, schema))
    if location.local_folder is not None:
        return sorted(_in_folder(location.local_folder))
    return sorted(_below(spark, location.base))


def _in_folder(folder: Path) -> list[str]:
    try:
        schemas = [entry for entry in _folders(folder) if not entry.name.startswith((".", "_"))]
        return [f"{s.name}.{t.name}" for s in schemas for t in _folders(Path(s.path)) if Path(t.path, "_delta_log").exists()]
    except OSError as error:
        raise TableUnreadable(table="the lake", problem=error.strerror, place=folder) from error


def _folders(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.is_dir()]
    except FileNotFoundError:
        return []


def _below(spark: SparkSession, base: str) -> set[str]:
    try:
        entries = spark.read.format("binaryFile").load(f"{unglobbed(base)}/*/*/_delta_log/*.json").select("path").collect()
    except Exception as error:
        if condition(error) == "PATH_NOT_FOUND":
            return set()
        raise TableUnreadable(table="the lake", problem=summary(error), place=base) from error
    return {".".join(entry["path"].split("/")[-4:-2]) for entry in entries}


def _in_catalog(spark: SparkSession, location: Location, schema: str) -> list[str]:
    try:
        tables = spark.sql(f"SHOW TABLES IN {location.namespace(schema)}").collect()
    except Exception as error:
        if condition(error) == "SCHEMA_NOT_FOUND":
            return []
        raise TableUnreadable(table=schema, problem=summary(error), place=location.namespace(schema)) from error
    return [f"{schema}.{table['tableName']}" for table in tables if not table["isTemporary"]]
