"""Landing ended by `kill -9` at each named point, then the same command again: every row exactly once (R24, R30)."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from tests.faults.dying import die
from tests.spark.landing.bank import open_bank, write_project

POINTS = ("land:start", "land:after-quarantine", "land:after-log", "land:after-header", "land:after-decision", "land:after-run")
NEAR = ("land:after-quarantine", "land:after-decision", "land:after-run")  # next to another point: make heavy
TABLES = ("bronze.customer_log", "bronze.customer_load", "ops.quarantine", "ops.run", "ops.contract")
FOLDER = "landing/branch/20260701"


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with all its tables, and a delivery that was not landed yet: two good files, a bad row, a file that is none."""
    root = write_project(tmp_path_factory.mktemp("prepared") / "bank")
    bank = open_bank(root, spark)
    bank.put("landing/branch/20260630/a.csv", "customer_id,name,region\nx0,Old,N\n")
    bank.put("landing/branch/20260630/_SUCCESS", "")
    bank.land("branch")
    bank.put(f"{FOLDER}/a.csv", "customer_id,name,region\nx0,N0,N\n,nobody,N\n")
    bank.put(f"{FOLDER}/b.csv", "customer_id,name,region\nx1,N1,S\nx1,N1,S\n")
    bank.put(f"{FOLDER}/c.csv", "customer_id,name,name\nx2,N2,S\n")
    bank.put(f"{FOLDER}/_SUCCESS", "")
    return root


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", [pytest.param(each, marks=pytest.mark.heavy) if each in NEAR else each for each in POINTS])
def test_after_a_kill_the_same_command_leaves_every_row_exactly_once(
    prepared: Path, spark: SparkSession, tmp_path: Path, point: str
) -> None:
    root = copytree(prepared, tmp_path / "bank")
    bank = open_bank(root, spark)
    die(lambda: bank.land("branch"), at=point)
    committed = POINTS.index(point) >= POINTS.index("land:after-log")
    again = bank.land("branch")

    log = bank.project.lake.table("bronze.customer_log").read().where("name <> 'Old'").select("customer_id", "ingest_run_id").collect()
    (run,) = {row["ingest_run_id"] for row in log}
    assert sorted(row["customer_id"] for row in log) == ["x0", "x1", "x1"]
    assert (again.received, again.skipped) == ((0, 4) if committed else (5, 1))
    assert (run == again.run_id) is not committed

    assert [(header["rows"], len(header["files"]), header["complete"]) for header in bank.headers(run)] == [(3, 2, False)]
    aside = bank.project.lake.table("ops.quarantine").read().select("reason", "source_file").collect()
    assert sorted(map(tuple, aside)) == [("file_unreadable", "c.csv"), ("key_missing", "a.csv")]
    (record,) = bank.rows("ops.run", run)
    assert {name: record["counts"][name] for name in ("received", "landed", "quarantined")} == {
        "received": 5,
        "landed": 3,
        "quarantined": 2,
    }
    assert (bank.count("ops.run"), bank.count("bronze.customer_load"), bank.count("ops.contract")) == (2, 2, 1)

    versions = {name: bank.project.lake.table(name).version() for name in TABLES}
    assert (bank.land("branch").skipped, {name: bank.project.lake.table(name).version() for name in TABLES}) == (4, versions)
