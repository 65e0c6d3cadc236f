"""The physical floors: what any way of doing it has to pay."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame


def shuffle_and_sort(log: DataFrame) -> None:
    """Bring the rows of each key together, in order, and do nothing with them."""
    log.repartition("sk").sortWithinPartitions("sk", "source_event_ts").write.format("noop").mode("overwrite").save()


def append(rows: DataFrame, folder: Path) -> None:
    """Add rows to a Delta table, as they are."""
    rows.write.format("delta").mode("append").save(str(folder))
