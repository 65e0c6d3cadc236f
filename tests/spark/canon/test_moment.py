"""Times of a run: Spark looks them up instead of working them into the plan, so that the next run finds its code compiled."""

from __future__ import annotations

from datetime import UTC, datetime

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from muniment import clock
from muniment.canon.moment import of_run

MOMENT = datetime(2026, 3, 1, 9, 30, 0, 123456, tzinfo=UTC)


def test_the_value_is_the_time_and_is_not_worked_out_beforehand(spark: SparkSession) -> None:
    moment, none = (of_run(each, beside=F.col("said")) for each in (MOMENT, None))
    rows = spark.createDataFrame([("x",), (None,)], "said string").select(F.unix_micros(moment).alias("at"), none.alias("none"))
    assert [(row["at"], row["none"]) for row in rows.collect()] == [(clock.micros(MOMENT), None)] * 2
    assert "isnull(said" in rows._jdf.queryExecution().optimizedPlan().toString()
