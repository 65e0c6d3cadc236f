"""The place of a source as a stream: files as they come, or the messages of a topic."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from muniment import clock
from muniment.arrival.errors import ConnectorMissing, PlaceMissing
from muniment.arrival.files import inside
from muniment.model.project import Connection
from muniment.model.settings import setting_text
from muniment.model.source import ENDS, Kafka

_FILE = "path string, modificationTime timestamp, length bigint, content binary"
_FOREVER = "36500d"  # by default Spark forgets about files that are a week older than the newest, and never reads them
_SHORT = {"servers": "kafka.bootstrap.servers"}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one batch takes at most, so that a backlog does not come all at once."""

    files: int = 1000
    messages: int = 100_000


def file_stream(spark: SparkSession, path: str, *, root: Path, limits: Limits) -> DataFrame:
    """The names of new files below a folder; they are read by the same reader as without a stream."""
    place = inside(path, root)
    if not place.exists() and not any(sign in path for sign in "*?["):
        raise PlaceMissing(path=path, looked=str(place))
    reader = spark.readStream.format("binaryFile").schema(_FILE).option("maxFilesPerTrigger", limits.files)
    return reader.option("maxFileAge", _FOREVER).option("recursiveFileLookup", "true").load(str(place)).select("path")


def topic_stream(spark: SparkSession, kafka: Kafka, connection: Connection, *, limits: Limits) -> DataFrame:
    """The messages of a topic; what was lost at the broker ends the stream, because silence would hide it."""
    reader = spark.readStream.format("kafka").options(**kafka_options(connection)).option("subscribe", kafka.topic)
    try:
        return reader.options(**_beginning(kafka)).option("maxOffsetsPerTrigger", limits.messages).load()
    except PySparkException as error:
        if "find data source: kafka" not in str(error).lower().replace("`", ""):
            raise
        raise ConnectorMissing(topic=kafka.topic, version=spark.version) from None


def begun_at(kafka: Kafka) -> int | None:
    """The moment, in microseconds, that somebody chose to begin at; none where it is an end of the topic."""
    return None if kafka.start in ENDS else clock.micros(clock.utc(kafka.start, "start"))


def _beginning(kafka: Kafka) -> dict[str, str]:
    """A partition that has nothing since the chosen time begins with what comes next."""
    moment = begun_at(kafka)
    if moment is None:
        return {"startingOffsets": kafka.start}
    return {"startingTimestamp": str(moment // 1000), "startingOffsetsByTimestampStrategy": "latest"}


def kafka_options(connection: Connection) -> dict[str, str]:
    """A connection as options of Spark's Kafka source: `servers`, and the client's own settings by their own names."""
    named = {_SHORT.get(name, name if name.startswith("kafka.") else f"kafka.{name}"): value for name, value in connection.settings.items()}
    return {name: setting_text(name, value) for name, value in named.items()}
