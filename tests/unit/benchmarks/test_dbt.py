"""What is said to dbt's process and what it answers; that dbt gives the right table is shown by `make bench`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.contenders.dbt import Snapshots

WITHOUT_A_TABLE = """import sys
for line in sys.stdin:
    print('"no such table"' if "b.parquet" in line else "null", flush=True)
"""


def test_what_dbt_complains_of_is_not_taken_for_a_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_A_TABLE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        table = Snapshots(tmp_path, process)
        table.take(["a.parquet"])
        with pytest.raises(RuntimeError, match="dbt snapshot: no such table"):
            table.take(["b.parquet"])
