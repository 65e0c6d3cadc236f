"""The example's week, slice by slice as people run it: what its README says comes out."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project

EXAMPLE = Path(__file__).parents[3] / "examples" / "loads"

pytestmark = pytest.mark.heavy  # twenty-one slices


def test_a_week_of_slices_for_each_strategy(spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(copytree(EXAMPLE, tmp_path / "week"), spark=spark)
    done = project.run()
    assert [(outcome.stage.entity, outcome.status) for outcome in done.outcomes] == [
        ("country", "done"),
        ("customer", "done"),
        ("orders", "done"),
    ]
    assert sorted(tuple(row) for row in project.loaded("country").select("continent", "code", "name").collect()) == [
        ("Asia", "JP", "Japan"),
        ("Europe", "FR", "France"),
        ("Europe", "IE", "Ireland"),
        ("Europe", "TR", "Türkiye"),
        ("South America", "CL", "Chile"),
        ("South America", "PE", "Peru"),
    ]
    orders = project.table("silver.orders").selectExpr("order_id", "string(total)", "state", "is_deleted").collect()
    assert sorted(tuple(row) for row in orders) == [
        (1, "9.00", "shipped", False),
        (2, "20.00", "shipped", False),
        (3, "6.25", "open", False),
        (4, "99.00", "open", False),
        (5, "9.90", "open", False),
    ]
    versions = (
        project.table("silver.customer").orderBy("customer_id", "effective_from").select("customer_id", "tier", "is_current", "is_deleted")
    )
    assert [tuple(row) for row in versions.collect()] == [
        ("C-1", "gold", False, False),
        ("C-1", "gold", True, True),  # missed on the fourth day
        ("C-2", "silver", False, False),
        ("C-2", "gold", False, False),
        ("C-2", None, True, False),
        ("C-3", None, False, False),
        ("C-3", "silver", False, False),
        ("C-3", "silver", True, False),  # modified again
        ("C-4", "silver", False, False),
        ("C-4", "gold", True, False),
    ]
    assert [outcome.detail for outcome in project.run().outcomes] == ["nothing new"] * 3
