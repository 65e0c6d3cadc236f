"""The guide's pictures are what the code gives, and the example tells what it promises."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project

from examples.dimension.__main__ import HERE, tell
from examples.dimension.pictures import GUIDE, with_pictures


def test_the_pictures_of_the_guide_are_drawn_by_the_code(spark: SparkSession) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert with_pictures(text, spark) == text


@pytest.mark.heavy
def test_the_casino_ends_with_the_tiers_of_the_time(spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(copytree(HERE, tmp_path / "casino"), spark=spark)
    keys = tell(project)
    versions = project.dimension("dim_player").select("player_key", "tier")
    met = keys.join(versions, "player_key", "left").orderBy("play").collect()
    assert [(row["play"], row["tier"]) for row in met] == [(1, "Bronze"), (2, "Silver"), (3, "Gold"), (4, "Gold"), (5, None)]
    assert project.verify_dimension("dim_player").ok
