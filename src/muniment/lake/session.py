"""A Spark session that suits one machine, or the user's own, checked for what Delta needs."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from muniment.lake import jars, java
from muniment.lake.errors import SessionUnfit, SparkFailed
from muniment.lake.trouble import condition, summary

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
OLDEST_SPARK = (4, 0)
_JAVA = "spark.driver.extraJavaOptions"
# Planning is most of a small batch: a collector without threads beside the work, room for Spark's classes and for what Java compiles of them;
# and the code that Spark makes for a wide row is longer than what Java compiles unasked.
_JVM = "-XX:+UseParallelGC -XX:MetaspaceSize=400m -XX:ReservedCodeCacheSize=400m -XX:-DontCompileHugeMethods"
_COLLECTOR = re.compile(r"-XX:\+Use\w+GC\b")
NEEDED = {"spark.sql.extensions": EXTENSION, "spark.sql.catalog.spark_catalog": CATALOG}


def start(settings: Mapping[str, str] | None = None, *, app: str = "muniment") -> SparkSession:
    """A local session with Delta; what `settings` says goes before what suits one machine."""
    if SparkSession.getActiveSession() is None:
        java.check()
    builder = SparkSession.builder.appName(app)
    for name, value in merge(defaults(), settings or {}).items():
        builder = builder.config(name, value)
    try:
        session: SparkSession = builder.getOrCreate()
    except Exception as error:  # the gateway and Py4J each have their own kinds
        raise SparkFailed(problem=summary(error), advice=_resolution_advice()) from error
    return adopt(session)


def adopt(spark: SparkSession) -> SparkSession:
    """The user's own session, left alone and checked for what Muniment needs."""
    check(spark.version, lambda name: spark.conf.get(name, "") or "")
    _check_classpath(spark)
    return spark


def check(version: str, setting: Callable[[str], str]) -> None:
    """Refuse a session by its version and settings, naming everything that is missing at once."""
    numbers = tuple(int(n) for n in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST_SPARK:
        raise SessionUnfit(problem=f"it is Spark {version}", advice="Muniment needs Spark 4.0 or newer.")
    missing = [name for name, value in NEEDED.items() if value not in setting(name).split(",")]
    if missing:
        lines = "".join(f'\n    .config("{name}", "{NEEDED[name]}")' for name in missing)
        raise SessionUnfit(problem=f"{' and '.join(missing)} lack Delta", advice=f"Add to the session's builder:{lines}")


def _check_classpath(spark: SparkSession) -> None:
    """Delta's source is looked up by name, on a path that cannot be a table; only a missing class is a fault."""
    try:
        spark.read.format("delta").load("file:/nowhere/of/muniment").schema  # noqa: B018 - asking is the check
    except PySparkException as error:
        if condition(error).startswith(("DELTA_", "PATH_NOT_FOUND")):
            return
        line = f'.config("spark.jars.packages", "{jars.coordinate()}")'
        raise SessionUnfit(problem=f"Delta is not on its classpath ({summary(error)})", advice=f"Add {line}") from None


def defaults() -> dict[str, str]:
    """Settings that suit one machine (DESIGN section 6)."""
    cores = str(os.cpu_count() or 2)
    scratch = _scratch()
    return {
        "spark.master": "local[*]",
        **NEEDED,
        **_delta_jars(),
        "spark.driver.memory": "4g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        _JAVA: f"-Dlog4j2.configurationFile={_logging()} -Dderby.system.home={scratch} {_JVM}",
        "spark.pyspark.python": sys.executable,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.default.parallelism": cores,
        "spark.sql.shuffle.partitions": cores,
        "spark.sql.parquet.compression.codec": "zstd",  # most of a row is hashes, which snappy cannot make smaller
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # half of reading a timeline was the 96-bit form, of which it has thirty columns
        "spark.sql.codegen.maxFields": "1000",  # with fields inside structs counted, a timeline has more than the default 100: it would be read row by row
        "spark.sql.codegen.cache.maxEntries": "4000",  # one derive alone needs more classes than the default 100: all would be compiled each time
        "spark.sql.maxConcurrentOutputFileWriters": "8",  # a timeline has two partitions: without it, its rows would be sorted by them once more
        "spark.sql.inMemoryColumnarStorage.compressed": "false",  # what is kept is mostly hashes: to find that out took a third of keeping it
        "spark.sql.adaptive.enabled": "false",  # every stage would be a job of its own, planned anew: a third of a small batch's time
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": cores,  # a vacuum is that many tasks, 10,000 by default
        "spark.sql.session.timeZone": "UTC",
        "spark.python.sql.dataFrameDebugging.enabled": "false",  # call sites in errors cost more than all else in building a plan
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.databricks.delta.snapshotPartitions": "2",
    }


def merge(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """Theirs over ours; lists of jars, packages and extensions are joined, because Delta is needed whatever else is."""
    merged = {**ours, **theirs}
    if "spark.jars.packages" in theirs:  # Ivy has to run anyway, and must know of all
        merged.pop("spark.jars", None)
        merged["spark.jars.packages"] = _joined(jars.coordinate(), theirs["spark.jars.packages"])
        merged.setdefault("spark.jars.ivy", str(jars.cache()))
    if "spark.jars" in theirs:
        merged["spark.jars"] = _joined("" if "spark.jars.packages" in theirs else ours.get("spark.jars", ""), theirs["spark.jars"])
    if "spark.sql.extensions" in theirs:
        merged["spark.sql.extensions"] = _joined(EXTENSION, theirs["spark.sql.extensions"])
    if _JAVA in theirs and _JAVA in ours:
        own = _COLLECTOR.sub("", ours[_JAVA]) if _COLLECTOR.search(theirs[_JAVA]) else ours[_JAVA]  # Java takes one collector only
        merged[_JAVA] = f"{own} {theirs[_JAVA]}"
    return merged


def _joined(ours: str, theirs: str) -> str:
    return ",".join(dict.fromkeys(part.strip() for part in f"{ours},{theirs}".split(",") if part.strip()))


def _delta_jars() -> dict[str, str]:
    """Jars from the cache need no resolution and no network; without them Ivy fetches them into it once."""
    ivy = jars.cache()
    found = jars.cached(ivy)
    if found is not None:
        return {"spark.jars": ",".join(str(jar) for jar in found)}
    ivy.mkdir(parents=True, exist_ok=True)
    return {"spark.jars.ivy": str(ivy), "spark.jars.packages": jars.coordinate()}


def _scratch() -> Path:
    """A folder of this process for what Spark would otherwise leave in the working directory."""
    folder = Path(tempfile.mkdtemp(prefix="muniment-spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _logging() -> str:
    return (Path(__file__).parent / "log4j2.properties").as_uri()


def _resolution_advice() -> str:
    if jars.cached(jars.cache()) is not None:
        return "The lines above it say why."
    return f"{jars.coordinate()} has to be downloaded once, into {jars.cache()} (MUNIMENT_CACHE): is the network there?"
