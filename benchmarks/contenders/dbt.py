"""dbt's snapshots on DuckDB: one chain per key, whole rows, in order; run by dbt itself, in an environment of its own.

The strategy is `check`, with the columns that a MERGE compares: a row that says nothing new makes no version, and nulls are compared as
values. `timestamp` would take each row with a later time for a change. Versions begin at the rows' own time (`updated_at`), not at that of
the run, and the snapshot reads a batch of changed keys, so what a batch does not name stays as it is (`hard_deletes`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from benchmarks.contenders import merge

VENV = Path(sys.prefix, "dbt")  # made by `make bench`
WORKER = Path(__file__).with_name("dbt_worker.py")

_PROFILE = """bench:
  target: bench
  outputs:
    bench:
      type: duckdb
      path: history.duckdb
      threads: {threads}
      config_options: {{autoinstall_known_extensions: false}}
      settings: {{threads: {threads}, TimeZone: UTC}}
"""
_SNAPSHOT = """{% snapshot account %}
{{ config(
  unique_key='id', strategy='check', check_cols=var('names') + ['is_deleted'], updated_at='effective_from', hard_deletes='ignore'
) }}
SELECT id, {{ var('names') | join(', ') }}, op = 'd' AS is_deleted, "at"::TIMESTAMP AS effective_from
FROM read_parquet({{ var('files') }})
{% endsnapshot %}
"""
# The table as dbt would have left it: its own macro says what identifies a version.
_MACROS = """{% macro load(files) %}{% call statement(auto_begin=false) %}
CREATE TABLE account AS
SELECT id, {{ var('names') | join(', ') }}, is_deleted, effective_from,
       {{ snapshot_hash_arguments(['id', 'effective_from']) }} AS dbt_scd_id,
       effective_from AS dbt_updated_at, effective_from AS dbt_valid_from, effective_to AS dbt_valid_to
FROM (SELECT * REPLACE (effective_from::TIMESTAMP AS effective_from, effective_to::TIMESTAMP AS effective_to) FROM read_parquet({{ files }}))
{% endcall %}{% endmacro %}

{% macro save(file) %}{% call statement(auto_begin=false) %}
COPY account TO '{{ file }}' (FORMAT parquet)
{% endcall %}{% endmacro %}
"""


def version() -> str | None:
    """Which dbt-duckdb is installed, if one is."""
    places = [str(place) for place in VENV.glob("lib/python3*/site-packages")]
    return next((found.version for found in distributions(name="dbt-duckdb", path=places)), None)


def has_dbt() -> bool:
    """Is dbt-duckdb installed?"""
    return version() is not None


@dataclass(frozen=True, slots=True)
class Snapshots:
    """A snapshot's table, and the process that waits for commands with its project parsed and its database open."""

    folder: Path
    process: subprocess.Popen[str]

    def take(self, files: Sequence[str]) -> None:
        """`dbt snapshot` of one batch."""
        self._run("snapshot", "--vars", files=files)

    def load(self, files: Sequence[str]) -> None:
        """Fill the table, before any batch."""
        self._run("run-operation", "load", "--args", files=files)

    def read(self, like: DataFrame) -> DataFrame:
        """What the table says, as the columns of another one that says the same."""
        place = self.folder / "account.parquet"
        self._run("run-operation", "save", "--args", file=str(place))
        found = like.sparkSession.read.parquet(str(place))
        times = {"effective_from": F.col("dbt_valid_from").cast("timestamp"), "effective_to": F.col("dbt_valid_to").cast("timestamp")}
        return found.withColumns({**times, "is_current": F.col("dbt_valid_to").isNull()}).select(*like.columns)

    def _run(self, *command: str, **given: object) -> None:
        """One command of dbt, whose last option takes what is given."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([*command, json.dumps(given)]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline() or '"it has ended"'
        if complaint := json.loads(answer):
            raise RuntimeError(f"dbt {command[0]}: {complaint}")


@contextmanager
def snapshots(folder: Path, history: DataFrame, *, names: tuple[str, ...]) -> Iterator[Snapshots]:
    """A project in a folder, its table filled with a history that lies there as a MERGE's does."""
    _write(folder, _project(names))
    merge.arrived(history).write.parquet(str(folder / "before"))
    command = [str(VENV / "bin/python"), "-I", str(WORKER), *_flags(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        made = Snapshots(folder, process)
        made.load(sorted(map(str, (folder / "before").glob("*.parquet"))))
        yield made


def files(rows: DataFrame) -> tuple[str, ...]:
    """The Parquet files that rows are read from."""
    return tuple(sorted(unquote(urlsplit(name).path) for name in rows.inputFiles()))


def _project(names: tuple[str, ...]) -> dict[str, str]:
    variables = json.dumps({"names": names, "files": []})
    return {
        "dbt_project.yml": f"name: bench\nprofile: bench\nvars: {variables}\n",
        "profiles.yml": _PROFILE.format(threads=os.cpu_count() or 2),
        "snapshots/account.sql": _SNAPSHOT,
        "macros/table.sql": _MACROS,
    }


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _flags(folder: Path) -> list[str]:
    """Nothing is sent anywhere, and dbt is not charged for a log, for progress or for a record of the run."""
    places = ["--project-dir", str(folder), "--profiles-dir", str(folder)]
    return ["--no-send-anonymous-usage-stats", "--no-version-check", "--quiet", "--log-level-file", "none", "--no-write-json", *places]
