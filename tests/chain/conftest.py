"""The servers of a chain, started for the first test that asks for them, and a session that can read their topics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from muniment.lake.session import start

from examples.cdc.artefacts import SPARK, fetched
from examples.cdc.chain import Chain, chain


@pytest.fixture(scope="session")
def servers() -> Iterator[Chain]:
    """PostgreSQL and Kafka on ports of their own; they end with the tests."""
    with chain(tables="public.account") as running:
        yield running


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session of this folder's own, with Spark's connector for Kafka."""
    session = start({"spark.jars": ",".join(map(str, fetched(SPARK))), "spark.driver.memory": "3g"})
    yield session
    session.stop()
