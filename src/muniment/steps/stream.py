"""Stream: land and derive what comes, batch by batch. Each batch has an id of its own, so one that is tried again adds nothing (R30)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from muniment import clock, faults
from muniment.arrival.streams import Limits, begun_at, file_stream, topic_stream
from muniment.gate.contract import Status, assess
from muniment.lake.location import local_path
from muniment.lake.tables import Lake
from muniment.lake.trouble import summary
from muniment.model.entity import Entity
from muniment.model.names import find
from muniment.model.project import ProjectModel
from muniment.model.source import Format, GivenTime, Source, Unit
from muniment.steps.derive import derive
from muniment.steps.errors import AsOfMissing, NoCheckpointPlace, NothingToStream, StreamFailed, StreamRefused
from muniment.steps.land import land
from muniment.steps.request import Files, Request
from muniment.steps.results import Derived, Landed

_LOOK = 0.2  # seconds between two looks at whether the streams still run
_PATIENCE = 10.0  # seconds that a stop gives Spark to note a batch as done; one it does not note is tried again and adds nothing


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of one batch of a stream."""

    source: str
    number: int
    landed: Landed
    derived: Derived


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """What a stream is to do: whose sources, how much at once, and whom to tell."""

    entity: Entity
    project: ProjectModel
    limits: Limits = field(default_factory=Limits)
    available_now: bool = False
    tell: Callable[[Batch], None] = lambda batch: None


class Stream:
    """The running streams of one entity, one for each of its sources that has a place."""

    def __init__(self, lake: Lake, plan: StreamPlan) -> None:
        self.batches: list[Batch] = []
        self._lake, self._plan = lake, plan
        self._turn, self._stopping = Lock(), Event()
        self._failed: dict[str, BaseException] = {}
        sources = _ready(plan.entity)
        self._queries = {source.name: self._start(source) for source in sources}

    @property
    def is_running(self) -> bool:
        """Whether any of its sources is still being read."""
        return any(query.isActive for query in self._queries.values())

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until all has ended, or so long; what made a source fail is raised here."""
        end = None if seconds is None else clock.stopwatch() + seconds
        while self.is_running and not self._failed and (end is None or clock.stopwatch() < end):
            clock.pause(_LOOK)
        self._raise()
        return not self.is_running

    def stop(self) -> None:
        """End after the batch at hand; what comes later waits for the next start."""
        self._stopping.set()
        with self._turn:  # the batch at hand is done; one that waits for its turn gives up when it gets it
            pass
        for name, query in self._queries.items():
            self._await_note(name, query)
            query.stop()

    def _await_note(self, name: str, query: StreamingQuery) -> None:
        """Let Spark note the last batch as done, so that the next start does not begin with it."""
        last = max((batch.number for batch in self.batches if batch.source == name), default=-1)
        end = clock.stopwatch() + _PATIENCE
        while query.isActive and _noted(query) < last and clock.stopwatch() < end:
            clock.pause(_LOOK)

    def _start(self, source: Source) -> StreamingQuery:
        started: list[StreamingQuery] = []
        ready = Event()

        def take(frame: DataFrame, number: int) -> None:
            ready.wait()
            self._take(source, frame, batch_id=f"{started[0].id}/{number}", number=number)

        writer = (
            self._frame(source).writeStream.foreachBatch(take).option("checkpointLocation", _checkpoint(self._lake, self._plan, source))
        )
        started.append((writer.trigger(availableNow=True) if self._plan.available_now else writer).start())
        ready.set()
        return started[0]

    def _frame(self, source: Source) -> DataFrame:
        read, spark = source.read, self._lake.spark
        if read is not None and read.kafka is not None:
            connections = {each.name: each for each in self._plan.project.connections}
            return topic_stream(spark, read.kafka, find("connection", read.kafka.use, connections), limits=self._plan.limits)
        path = read.path if read is not None and read.path is not None else ""
        return file_stream(spark, path, root=self._plan.project.root, limits=self._plan.limits)

    def _take(self, source: Source, frame: DataFrame, *, batch_id: str, number: int) -> None:
        """One batch, one at a time; a batch that a stop overtakes is left for the next start."""
        with self._turn:
            if self._stopping.is_set() or self._failed:
                raise InterruptedError("the stream stops before this batch")
            try:
                batch = self._land(source, frame, batch_id=batch_id, number=number)
            except BaseException as error:
                self._failed[source.name] = error
                raise
            self.batches.append(batch)
        self._plan.tell(batch)

    def _land(self, source: Source, frame: DataFrame, *, batch_id: str, number: int) -> Batch:
        request = Request(
            entity=self._plan.entity,
            source=source,
            root=self._plan.project.root,
            received_at=clock.now(),
            data=_data(source, frame),
            batch_id=batch_id,
            alerts=self._plan.project.alerts,
        )
        landed = land(Lake(frame.sparkSession, self._lake.location), request)  # a batch belongs to the session of its stream
        faults.point("stream:after-land")
        return Batch(source.name, number, landed, derive(self._lake, self._plan.entity))

    def _raise(self) -> None:
        for name, query in self._queries.items():
            error = self._failed.get(name)
            if error is not None:
                self.stop()
                raise error
            problem = None if query.isActive or self._stopping.is_set() else query.exception()
            if problem is not None:
                raise StreamFailed(entity=self._plan.entity.name, source=name, problem=summary(problem)[:300])


def _noted(query: StreamingQuery) -> int:
    """The newest batch whose end Spark has noted; it may not have one yet, and then counts from the start."""
    progress = query.lastProgress
    return -1 if progress is None else int(progress["batchId"])


def can_stream(entity: Entity) -> bool:
    """Whether any of its sources has a place that a stream can read."""
    return any(_streams(source) for source in entity.sources)


def _ready(entity: Entity) -> list[Source]:
    """The sources that have a place to stream from; one that the gate rejects refuses all (R18)."""
    placed = [source for source in entity.sources if _streams(source)]
    if not placed:
        raise NothingToStream(entity=entity.name, sources=", ".join(source.name for source in entity.sources) or "none declared")
    for source in placed:
        found = assess(entity, source)
        if found.status is Status.REJECT:
            raise StreamRefused(entity=entity.name, source=source.name, reasons="; ".join(found.reasons))
        if isinstance(source.event_time, GivenTime):
            raise AsOfMissing(entity=entity.name, source=source.name)
    return placed


def _streams(source: Source) -> bool:
    read = source.read
    return read is not None and (read.kafka is not None or (read.path is not None and read.format is not Format.DELTA))


def _checkpoint(lake: Lake, plan: StreamPlan, source: Source) -> str:
    place = lake.location.beside("_streams", plan.entity.name, _reader(source))
    if place is None:
        raise NoCheckpointPlace(entity=plan.entity.name)
    return place


def _reader(source: Source) -> str:
    """Who keeps how far it has read: the source, or the source from a chosen time on, which begins anew."""
    kafka = source.read.kafka if source.read is not None else None
    moment = None if kafka is None else begun_at(kafka)
    return source.name if moment is None else f"{source.name}@{moment}"


def _data(source: Source, frame: DataFrame) -> object:
    """The messages of a batch, or the names of its files; folders that are loads are looked at as a whole, because a batch may cut them."""
    if source.read is not None and source.read.kafka is not None:
        return frame
    if source.is_complete_set and source.complete.unit is Unit.FOLDER:
        return None
    return Files(tuple(str(local_path(row["path"]) or row["path"]) for row in frame.select("path").orderBy("path").collect()))


def stream(lake: Lake, plan: StreamPlan) -> Stream:
    """Start the streams of an entity; with `available_now` they have ended when this returns."""
    running = Stream(lake, plan)
    if plan.available_now:
        running.wait()
    return running
