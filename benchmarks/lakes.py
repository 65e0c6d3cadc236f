"""Lakes to measure on: made once by the product itself, then copied for whoever works on one."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from muniment.project import Project

from benchmarks.events import Shape, history, shares

ENTITY = "account"
LOG, HISTORY = f"bronze.{ENTITY}_log", f"bronze.{ENTITY}_history"
_PROJECT = "name: bench\ninclude: [e.yml]\nlake: {path: ./lake}\n"
_SOURCES = """precedence: [core, app]
sources:
  core: {load: changes, event_time: at, op: &ops {column: op, insert: [c], update: [u], delete: [d]}}
  app: {load: partial, event_time: at, op: *ops}
  files: {read: {format: parquet, path: landing}, load: changes, event_time: at, op: *ops}
"""


def project_at(root: Path, shape: Shape, spark: SparkSession | None = None) -> Project:
    """A project of this shape in a folder; its lake is empty or what was copied there."""
    root.mkdir(parents=True, exist_ok=True)
    attributes = "".join(f"  {name}: {kind}\n" for name, kind in shape.kinds.items())
    (root / "muniment.yml").write_text(_PROJECT, encoding="utf-8")
    (root / "e.yml").write_text(f"entity: {ENTITY}\nkey: {{id: string}}\nattributes:\n{attributes}{_SOURCES}", encoding="utf-8")
    return Project.open(root, spark=spark)


def land(project: Project, rows: DataFrame) -> None:
    """Land rows under their sources, as they come."""
    for source, part in shares(rows):
        if source == "core" or not part.isEmpty():
            project.land(ENTITY, source, part)


def prepared(root: Path, shape: Shape, spark: SparkSession) -> Project:
    """The history of a shape, landed and derived."""
    project = project_at(root, shape, spark)
    land(project, staged(history(spark, shape), root / "events"))
    project.derive(ENTITY)
    return project


def staged(rows: DataFrame, place: Path) -> DataFrame:
    """Rows from Parquet files, written once: whoever reads them reads the same and does not pay for making them."""
    if not place.exists():
        rows.write.parquet(str(place))
    return rows.sparkSession.read.parquet(str(place))


def copied(project: Project, root: Path, shape: Shape) -> Project:
    """The same lake in another folder; data files are never changed, so they are linked and not copied."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(project.model.root / "lake", root / "lake", copy_function=_link_data)
    return project_at(root, shape, project.spark)


def _link_data(source: str, target: str) -> None:
    if source.endswith((".parquet", ".bin")) and "_delta_log" not in source:
        os.link(source, target)
    else:
        shutil.copyfile(source, target)


def multiplied(project: Project, root: Path, shape: Shape, *, times: int) -> Project:
    """A copy whose log and closed versions are there so many times: each file is linked again and named again in the commit that added it.

    Nothing may read these rows for what they say; files, rows and bytes are those of a history that is so much longer.
    """
    made = copied(project, root, shape)
    for name, part in ((HISTORY, "is_head=false"), (LOG, "")):
        _multiply(root / "lake" / Path(*name.split(".")), part, times)
    return made


def _multiply(table: Path, part: str, times: int) -> None:
    for entry in (table / "_delta_log").glob("*.json"):
        lines = entry.read_text(encoding="utf-8").splitlines()
        adds = [found["add"] for found in map(json.loads, lines) if "add" in found and found["add"]["path"].startswith(part)]
        more = [json.dumps({"add": _again(table, add, number)}) for add in adds for number in range(1, times)]
        entry.write_text("\n".join([*lines, *more]) + "\n", encoding="utf-8")
    for sums in [*(table / "_delta_log").glob("*.crc"), *(table / "_delta_log").glob(".*.crc")]:
        sums.unlink(missing_ok=True)


def _again(table: Path, add: dict[str, object], number: int) -> dict[str, object]:
    path = str(add["path"])
    name = path.removesuffix(".parquet") + f"-{number}.parquet"
    os.link(table / path, table / name)
    return {**add, "path": name}
