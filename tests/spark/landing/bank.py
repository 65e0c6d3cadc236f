"""A small bank with one source for each story, so that all stories share one lake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Row, SparkSession

from muniment.project import Project
from muniment.steps.results import Landed

PROJECT = "name: bank\ninclude: [entities/*.yml]\nlake: {path: ./lake}\n"
CUSTOMER = """
entity: customer
key: {customer_id: string}
history: {mixed_time: true}
attributes:
  name: string
  status: string
  balance: "decimal(12,2)"
  visits: int
  region: string
  seen_at: timestamp
  tags: "array<string>"
sources:
  events: {read: {format: json, path: landing/events}, load: partial, event_time: updated_at, sequence: [lsn], op: &ops {column: op, insert: [c], update: [u], delete: [d]}}
  documents: {read: {format: json, path: landing/documents, options: {multiLine: true}}, load: partial, event_time: updated_at}
  strict: {load: partial, event_time: updated_at, op: *ops, undeclared: quarantine}
  lax: {load: partial, event_time: updated_at, op: *ops, undeclared: ignore}
  tables: {read: {format: csv, path: landing/tables}, load: changes, event_time: {column: modified, format: "dd/MM/yyyy HH:mm", zone: Europe/London}, columns: {"no": customer_id, stat: status}, carries: [name, status]}
  parts: {read: {format: parquet, path: landing/parts}, load: changes, event_time: updated_at, op: *ops}
  shares: {read: {format: delta, path: landing/shares}, load: changes, event_time: updated_at}
  nameless: {read: {format: json, path: landing/nameless}, stable_key: false, load: partial, event_time: updated_at}
  daily: {load: full, absence: deletes, event_time: {given: as_of}, complete: {unit: call}}
  branch: {read: {format: csv, path: landing/branch}, load: full, absence: deletes, event_time: {file_name: "%Y%m%d", time: "18:00", zone: Europe/London}, complete: {unit: folder, marker: _SUCCESS}, scope: [region]}
  platform: {load: changes}
"""
WIDE = "entity: wide\nkey: {id: long}\nattributes:\n" + "".join(
    f"  a{number}: {kind}\n" for number, kind in enumerate(["string", "double", "long", "date"] * 125)
)
WIDE += "sources:\n  one: {load: changes, event_time: at}\n"


@dataclass(frozen=True, slots=True)
class Bank:
    """A project with its folder, and how a test looks into it."""

    project: Project
    root: Path

    def put(self, place: str, content: str | bytes) -> Path:
        """A file of the project."""
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def land(self, source: str, data: object = None, **given: Any) -> Landed:
        """One landing; whatever comes, the sums must be right (R19)."""
        landed = self.project.land("customer", source, data, **given)
        assert landed.received == landed.landed + landed.quarantined + landed.ignored
        assert landed.quarantined == sum(landed.reasons.values())
        return landed

    def rows(self, name: str, run: str | Landed, *columns: str) -> list[Row]:
        """The rows that a run left in a table."""
        run_id = run if isinstance(run, str) else run.run_id
        column = "run_id" if name == "ops.run" else "ingest_run_id"
        frame = self.project.lake.table(name).read()
        return frame.where(frame[column] == run_id).select(*columns or ["*"]).collect()

    def log(self, run: str | Landed, *columns: str) -> list[Row]:
        return sorted(self.rows("bronze.customer_log", run, *columns), key=str)

    def aside(self, run: str | Landed, *columns: str) -> list[Row]:
        return sorted(self.rows("ops.quarantine", run, *columns), key=str)

    def headers(self, run: str | Landed) -> list[Row]:
        return self.rows("bronze.customer_load", run)

    def count(self, name: str) -> int:
        return self.project.lake.table(name).read().count()


def write_project(root: Path, entities: Sequence[str] = (CUSTOMER,)) -> Path:
    """The files of a project."""
    (root / "entities").mkdir(parents=True, exist_ok=True)
    (root / "muniment.yml").write_text(PROJECT, encoding="utf-8")
    for number, text in enumerate(entities):
        (root / f"entities/e{number}.yml").write_text(text, encoding="utf-8")
    return root


def open_bank(root: Path, spark: SparkSession) -> Bank:
    """The bank of a folder."""
    return Bank(Project.open(root, spark=spark), root)
