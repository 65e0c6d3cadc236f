"""A stream as a process: killed between landing and deriving, and asked to stop; started again it goes on, and nothing is doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment import faults
from muniment.project import Project

from tests.spark.timeline.test_change_streams import event

pytestmark = pytest.mark.heavy
SRC = Path(__file__).resolve().parents[3] / "src"
CUSTOMER = """
entity: customer
key: {id: string}
attributes: {name: string}
sources: {shop: {read: {format: debezium, path: landing}}}
"""
HISTORY = [("a", "A", 2), ("a", "A2", 1), ("b", "B", 1)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "muniment.yml").write_text("name: shop\ninclude: [customer.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (tmp_path / "customer.yml").write_text(CUSTOMER, encoding="utf-8")
    files = [[event("a", "09:00", 1, "c", name="A")], [event("a", "09:00", 1, "c", name="A"), event("b", "09:00", 2, "c", name="B")]]
    (tmp_path / "landing").mkdir()
    for number, records in enumerate([*files, [event("a", "09:05", 3, name="A2")]]):
        (tmp_path / "landing" / f"{number}.json").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return tmp_path


def streaming(root: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "muniment", "run", "--stream", "--max-files", "1", *options]
    given = {**os.environ, "PYTHONPATH": str(SRC), **environment}
    return subprocess.Popen(command, cwd=root, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(root: Path, spark: SparkSession) -> list[tuple[object, ...]]:
    history = Project.open(root, spark=spark).history("customer")
    return [tuple(row) for row in history.orderBy("id", "effective_from").select("id", "name", "seen_count").collect()]


def test_a_stream_that_was_killed_goes_on_and_doubles_nothing(root: Path, spark: SparkSession) -> None:
    killed = streaming(root, "--available-now", **{faults.VARIABLE: "stream:after-land"})
    killed.communicate(timeout=400)
    assert killed.returncode == -signal.SIGKILL
    again = streaming(root, "--available-now")
    out, err = again.communicate(timeout=400)
    assert (again.returncode, "done" in err) == (0, True), err
    assert "customer from shop: nothing new" in out  # the batch that had landed before the kill
    assert told(root, spark) == HISTORY


def test_a_stream_that_is_asked_to_stop_ends_well_and_goes_on_later(root: Path, spark: SparkSession) -> None:
    running = streaming(root)
    assert running.stdout is not None
    first = next(line for line in running.stdout if "batch 0" in line)
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=400)
    assert (running.returncode, "stopped" in err, "Traceback" in err) == (0, True, False), first + err
    again = streaming(root, "--available-now")
    _, err = again.communicate(timeout=400)
    assert again.returncode == 0, err
    assert told(root, spark) == HISTORY
