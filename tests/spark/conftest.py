"""A lake of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.lake.location import Location
from muniment.lake.tables import Lake


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    """An empty lake in a folder whose name has all that a name must not be trusted with."""
    return Lake(spark, Location.at(tmp_path / "the lake's 100% ü `x` [1] {a}"))
