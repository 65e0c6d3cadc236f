"""Projects of a test's own, from YAML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.lake.location import Location
from muniment.lake.tables import Lake
from muniment.ledger.runs import ensure
from muniment.project import Project

Make = Callable[..., Project]


@pytest.fixture(scope="session")
def empty_lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with nothing but its bookkeeping, to be copied: making the tables takes seconds."""
    place = tmp_path_factory.mktemp("empty") / "lake"
    ensure(Lake(spark, Location.at(place)))
    return place


@pytest.fixture(scope="module")
def make(spark: SparkSession, empty_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """A project with these entities; `again` in the folder of an earlier one, whose lake it then has."""

    def made(*entities: str, again: Project | None = None, connections: str = "") -> Project:
        root = again.model.root if again else tmp_path_factory.mktemp("project")
        if again is None:
            copytree(empty_lake, root / "lake")
        (root / "muniment.yml").write_text(f"name: stories\ninclude: [e*.yml]\nlake: {{path: ./lake}}\n{connections}", encoding="utf-8")
        for number, text in enumerate(entities):
            (root / f"e{number}.yml").write_text(text, encoding="utf-8")
        return Project.open(root, spark=spark)

    return made
