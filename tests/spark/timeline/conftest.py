"""Projects of a test's own, from YAML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project

Make = Callable[..., Project]


@pytest.fixture(scope="module")
def make(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """A project with these entities; `again` in the folder of an earlier one, whose lake it then has."""

    def made(*entities: str, again: Project | None = None) -> Project:
        root: Path = again.model.root if again else tmp_path_factory.mktemp("project")
        (root / "muniment.yml").write_text("name: stories\ninclude: [e*.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
        for number, text in enumerate(entities):
            (root / f"e{number}.yml").write_text(text, encoding="utf-8")
        return Project.open(root, spark=spark)

    return made
