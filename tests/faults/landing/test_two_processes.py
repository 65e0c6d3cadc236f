"""Two processes that land into one lake at once: nothing is lost and nothing doubled, even when one of them is killed (R24, R30)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.landing.bank import open_bank, write_project

OTHER = """
import os
import sys
from muniment.project import Project

project = Project.open(sys.argv[1])
sys.stdout.write("ready\\n")
sys.stdout.flush()
for number in range(2):
    project.land("customer", "strict", [{"customer_id": f"other-{number}", "updated_at": "2026-03-01", "op": "u"}, {}], batch_id=f"b{number}")
project.land("customer", "events", "landing/events/both.json")
os.environ["MUNIMENT_FAULT"] = "land:after-log"
project.land("customer", "events", "landing/events/last.json")
"""
ROW = {"updated_at": "2026-03-01", "op": "u"}
SETTINGS = "spark: {spark.master: 'local[1]', spark.driver.memory: 1g}\n"


@pytest.mark.heavy  # two sessions on two cores: the first landing of a cold one may outlast the lock's 60 seconds
def test_two_processes_lose_nothing_and_double_nothing(spark: SparkSession, tmp_path: Path) -> None:
    root = write_project(tmp_path / "bank")
    with (root / "muniment.yml").open("a", encoding="utf-8") as stream:
        stream.write(SETTINGS)
    bank = open_bank(root, spark)
    bank.land("documents", [{**ROW, "customer_id": "before"}])  # the tables are there before the other begins
    for name in ("both", "last"):
        bank.put(f"landing/events/{name}.json", json.dumps({**ROW, "customer_id": name}))

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen([sys.executable, "-c", OTHER, str(root)], stdout=subprocess.PIPE, text=True, env=environment) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        for number in range(2):
            bank.land("lax", [{**ROW, "customer_id": f"mine-{number}"}, {}], batch_id=f"b{number}")
        bank.land("events", "landing/events/both.json")
        assert other.wait() == -signal.SIGKILL
    again = bank.land("events", "landing/events/last.json")

    found = Counter(row[0] for row in bank.project.lake.table("bronze.customer_log").read().select("customer_id").collect())
    names = [f"{who}-{number}" for who in ("other", "mine") for number in range(2)]
    assert found == Counter([*names, "before", "both", "last"])
    assert (again.received, again.skipped) == (0, 1)
    assert bank.count("ops.quarantine") == 4
    landed = bank.project.lake.table("ops.run").read().where("status = 'done'").collect()
    assert sum(row["counts"]["landed"] for row in landed) == 7
