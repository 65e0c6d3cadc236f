"""What something cost: seconds, Spark jobs, bytes written, the JVM's peak memory."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from muniment import clock


@dataclass(frozen=True, slots=True)
class Cost:
    """One run of one thing."""

    seconds: float
    jobs: int
    written: int  # bytes of data files and deletion vectors


def cost(spark: SparkSession, action: Callable[[], object], *tables: Path) -> Cost:
    """Do it once and say what it took; `tables` are the folders whose new files count."""
    versions = {table: newest(table) for table in tables}
    before = _mark(spark)
    took = seconds(action)
    jobs = _mark(spark) - before - 1
    return Cost(took, jobs, sum(written(table, since) for table, since in versions.items()))


def seconds(action: Callable[[], object]) -> float:
    """How long it takes once."""
    started = clock.stopwatch()
    action()
    return clock.stopwatch() - started


def _mark(spark: SparkSession) -> int:
    """The number of a job that does nothing: numbers only grow, so two marks enclose all jobs between them, whichever thread ran them."""
    context = spark.sparkContext
    group = f"mark {clock.new_id()}"
    context.setJobGroup(group, "a mark")
    try:
        spark.range(1, numPartitions=1).write.format("noop").mode("overwrite").save()
        return _number(context, group)
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]


def _number(context: SparkContext, group: str) -> int:
    """The tracker hears of a job a moment after it has ended."""
    while not (found := context.statusTracker().getJobIdsForGroup(group)):
        clock.pause(0.005)
    return max(found)


def newest(table: Path) -> int:
    """The newest version of a table, -1 where there is none."""
    return max((int(path.stem) for path in _entries(table)), default=-1)


def written(table: Path, since: int = -1) -> int:
    """Bytes of the files that the commits after a version made, by Delta's log."""
    fresh = (path for path in _entries(table) if int(path.stem) > since)
    return sum(committed(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()) for path in fresh)


def committed(actions: Iterable[dict[str, Any]]) -> int:
    """Bytes that one commit wrote; of a file that was there before and only got a deletion vector, the vector alone."""
    found = list(actions)
    gone = {action["remove"]["path"] for action in found if "remove" in action}
    adds = [action["add"] for action in found if "add" in action]
    data: int = sum(add["size"] for add in adds if add["path"] not in gone)
    vectors: int = sum(add["deletionVector"]["sizeInBytes"] for add in adds if add.get("deletionVector"))
    return data + vectors


def data_files(lake: Path) -> set[Path]:
    """All data files below a folder."""
    return {path for path in lake.rglob("*.parquet") if "_delta_log" not in path.parts}


def peak_memory() -> int:
    """The most bytes that the JVM of this process ever held."""
    for child in _children(os.getpid()):
        status = Path(f"/proc/{child}/status").read_text(encoding="utf-8")
        if "Name:\tjava" in status:
            return int(status.split("VmHWM:")[1].split()[0]) * 1024
    return 0


def _children(parent: int) -> Iterator[int]:
    for task in Path(f"/proc/{parent}/task").iterdir():
        for child in (task / "children").read_text(encoding="utf-8").split():
            yield int(child)
            yield from _children(int(child))


def _entries(table: Path) -> list[Path]:
    return [path for path in (table / "_delta_log").glob("*.json") if path.stem.isdecimal()]
