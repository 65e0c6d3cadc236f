"""`silver.<entity>` where a catalog keeps it as a view."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from muniment.columns import Col
from muniment.lake.location import Location
from muniment.lake.tables import Lake
from muniment.model.tables import LIVE_NOW
from muniment.steps import readers

HISTORY = (Col("id", "int", ""), Col("is_current", "boolean", ""), Col("is_deleted", "boolean", ""))


def test_in_a_catalog_what_people_query_is_a_view_of_the_live_rows(spark: SparkSession, tmp_path: Path) -> None:
    silver = f"crm_{tmp_path.name[-1]}_silver"
    lake = Lake(spark, Location(catalog="spark_catalog", schemas={"silver": silver}))
    try:
        table = lake.table("silver.customer_history")
        table.create(HISTORY)
        table.append(
            spark.createDataFrame([(1, True, False), (2, True, True), (3, False, False)], "id int, is_current boolean, is_deleted boolean")
        )
        lake.view("silver.customer", of="silver.customer_history", where=LIVE_NOW)
        lake.view("silver.customer", of="silver.customer_history", where=LIVE_NOW)  # once more changes nothing

        assert [row["id"] for row in spark.sql(f"SELECT id FROM {silver}.customer").collect()] == [1]
        assert [row["id"] for row in readers.table(lake, "silver.customer").collect()] == [1]
        assert [row["id"] for row in readers.sql(lake, "SELECT id FROM silver.customer").collect()] == [1]
    finally:
        spark.sql(f"DROP SCHEMA IF EXISTS {silver} CASCADE")
