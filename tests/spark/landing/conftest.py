"""One bank for all stories of landing: a lake costs seconds."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.spark.landing.bank import CUSTOMER, WIDE, Bank, open_bank, write_project


@pytest.fixture(scope="session")
def bank(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Bank:
    """A project in a folder whose name has all that a name must not be trusted with."""
    root = write_project(tmp_path_factory.mktemp("bank") / "the bank's 100% ü `x` [1] {a}", (CUSTOMER, WIDE))
    return open_bank(root, spark)
