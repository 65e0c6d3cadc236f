"""What every test may use: one Spark session for all, and Hypothesis set to repeat itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUIET = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)  # a Spark job is slow, and the session is shared on purpose
settings.register_profile("explore", deadline=None, suppress_health_check=QUIET)
settings.register_profile("repeat", parent=settings.get_profile("explore"), derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))

# Thousands of small plans: reading the rows is cheaper than compiling code for them.
SMALL = {
    "spark.master": "local[2]",
    "spark.driver.memory": "3g",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",  # nothing to adapt to in a few rows; each stage would be planned anew
}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A real session with Delta on two cores, started by the first test that asks for it."""
    from muniment.lake.session import start

    session = start(SMALL)
    yield session
    session.stop()
