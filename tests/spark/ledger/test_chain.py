"""The hash chain: whatever is edited behind Muniment's back, `verify` names it; what is honest verifies clean (R27)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from muniment.lake.maintenance import vacuum
from muniment.model.tables import log_name
from muniment.project import Project
from muniment.quality.problems import Verification

from tests.spark.landing.bank import write_project

CUSTOMER = """
entity: customer
key: {customer_id: string}
attributes: {name: string, balance: double}
sources:
  core: {load: partial, event_time: at, undeclared: quarantine}
"""


def _rows(start: int, count: int) -> list[dict[str, object]]:
    return [
        {"customer_id": str(n), "at": f"2026-03-01T09:{n % 60:02d}", "name": f"n{n}", "balance": n / 8} for n in range(start, start + count)
    ]


@pytest.fixture(scope="module")
def honest(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A lake that three landings made."""
    project = Project.open(write_project(tmp_path_factory.mktemp("honest"), (CUSTOMER,)), spark=spark)
    for start in (0, 10, 20):
        project.land("customer", "core", _rows(start, 10))
    return project


@pytest.fixture
def lake(honest: Project, tmp_path: Path, spark: SparkSession) -> Project:
    """A copy of it that a test may damage."""
    shutil.copytree(honest.model.root, tmp_path / "copy")
    return Project.open(tmp_path / "copy", spark=spark)


def _folder(project: Project, name: str) -> Path:
    schema, table = name.split(".")
    return project.model.root / "lake" / schema / table


def _data_file(project: Project) -> Path:
    table = project.lake.table("bronze.customer_log")
    return _folder(project, table.name) / table.files()[0].path


def _flip_a_byte(project: Project) -> str:
    path = _data_file(project)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return path.name


def _change_a_cell(project: Project) -> str:
    """The same file, well formed, with one value changed."""
    path = _data_file(project)
    frame = project.spark.read.parquet(str(path))
    first = frame.agg(F.min("customer_id")).first()
    assert first is not None
    edited = frame.withColumn("name", F.when(F.col("customer_id") == first[0], "Mallory").otherwise(F.col("name")))
    edited.coalesce(1).write.parquet(str(project.model.root / "edited"))
    shutil.copy(next((project.model.root / "edited").glob("*.parquet")), path)
    return path.name


def _remove_a_file(project: Project) -> str:
    path = _data_file(project)
    path.unlink()
    return path.name


def _run_of(project: Project, number: int) -> str:
    names = [row["run_id"] for row in project.runs("customer").orderBy("run_id").select("run_id").collect()]
    return str(names[number])


def _edit_a_run(project: Project) -> str:
    run = _run_of(project, 1)
    project.spark.sql(f"UPDATE {project.lake.table('ops.run').identifier} SET source = 'crm' WHERE run_id = '{run}'")
    return run


def _drop_a_run(project: Project) -> str:
    run = _run_of(project, 1)
    project.spark.sql(f"DELETE FROM {project.lake.table('ops.run').identifier} WHERE run_id = '{run}'")
    return run


def _update_the_log(project: Project) -> str:
    project.spark.sql(f"UPDATE {project.lake.table('bronze.customer_log').identifier} SET name = 'Mallory' WHERE customer_id = '3'")
    return "UPDATE"


def _delete_rows_of_a_run(project: Project) -> str:
    run = _run_of(project, 2)
    project.spark.sql(f"DELETE FROM {project.lake.table('bronze.customer_log').identifier} WHERE ingest_run_id = '{run}'")
    return run


def _forget_a_commit(project: Project) -> str:
    """A commit's words, changed in the log itself."""
    path = max((_folder(project, "bronze.customer_log") / "_delta_log").glob("*.json"))
    path.write_text(path.read_text(encoding="utf-8").replace('\\"landed\\":10', '\\"landed\\":11'), encoding="utf-8")
    path.with_name(f".{path.name}.crc").unlink()  # whoever edits the one can remove the other
    return _run_of(project, 2)


def _names(verification: Verification) -> str:
    return "\n".join(f"{problem.check} {problem.where} {problem.detail}" for problem in verification.problems)


def test_an_honest_lake_verifies_clean(honest: Project) -> None:
    assert honest.verify() == Verification(True, (), honest.verify().checks)


@pytest.mark.parametrize(
    "damage",
    [
        _flip_a_byte, _change_a_cell, _remove_a_file, _edit_a_run, _drop_a_run, _update_the_log, _delete_rows_of_a_run, _forget_a_commit,
    ],
)  # fmt: skip
def test_verify_names_what_was_done_to_the_lake(lake: Project, damage: Callable[[Project], str]) -> None:
    named = damage(lake)
    found = lake.verify("customer")
    assert not found.ok
    assert named in _names(found)


def test_a_lake_verifies_clean_after_compaction_and_vacuum(lake: Project) -> None:
    done = lake.maintain("customer", many=2)
    log = lake.lake.table(log_name(lake.entity("customer")))
    assert next(each for each in done if each.table == log.name).files_after < 3
    assert vacuum(log, retention=timedelta(0), dry_run=False, unsafe=True).files > 0
    assert _names(lake.verify("customer")) == ""


def test_a_lake_verifies_clean_after_many_writers_landed_at_once(lake: Project) -> None:
    with ThreadPoolExecutor(4) as pool:
        landed = list(pool.map(lambda start: lake.land("customer", "core", _rows(start, 5)).landed, (100, 200, 300, 400)))
    assert landed == [5, 5, 5, 5]
    assert lake.table("bronze.customer_log").count() == 50
    assert _names(lake.verify("customer")) == ""


def test_a_released_row_lands_once_and_keeps_its_first_receipt(lake: Project) -> None:
    landed = lake.land("customer", "core", [{"customer_id": "x", "at": "2026-03-02", "colour": "red"}], received_at="2026-03-03")
    assert (landed.landed, landed.quarantined) == (0, 1)
    (waiting,) = lake.quarantine("customer").collect()
    assert waiting["reason"] == "undeclared_column"

    first = lake.release([waiting["quarantine_id"]], by="ann", reason="the colour is harmless")
    again = lake.release([waiting["quarantine_id"]], by="ann", reason="the colour is harmless")

    assert (first.released, again.released, again.repeated) == (1, 0, 1)
    (row,) = lake.table("bronze.customer_log").where("customer_id = 'x'").collect()
    assert row["payload"] is not None
    assert row["first_receipt_ts"] < row["ingest_ts"]
    (decision,) = lake.table("ops.decision").collect()
    assert (decision["kind"], decision["made_by"], decision["reason"]) == ("release", "ann", "the colour is harmless")
    assert lake.quarantine("customer").count() == 0
    assert _names(lake.verify("customer")) == ""


def test_a_rejected_row_stays_out_and_is_kept(lake: Project) -> None:
    lake.land("customer", "core", [{"customer_id": None, "at": "2026-03-02"}])
    (waiting,) = lake.quarantine("customer").collect()
    assert lake.reject([waiting["quarantine_id"]], by="bob", reason="nobody") == 1
    assert lake.release([waiting["quarantine_id"]], by="bob", reason="oh").released == 0
    (kept,) = lake.quarantine("customer", include_decided=True).collect()
    assert kept["status"] == "rejected"


def test_what_can_never_be_read_is_not_released(lake: Project) -> None:
    lake.land("customer", "core", [{"customer_id": None, "at": "2026-03-02"}])
    (waiting,) = lake.quarantine("customer").collect()
    done = lake.release([waiting["quarantine_id"]], by="bob", reason="try")
    assert (done.released, done.refused) == (0, 1)
    assert lake.quarantine("customer").count() == 1
