"""A stream at the terminal: land and derive what comes, until somebody says stop."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

from muniment.cli.asked import Asked
from muniment.cli.failures import say
from muniment.cli.landing import told
from muniment.cli.projects import opened

if TYPE_CHECKING:
    from muniment.lake.tables import Lake
    from muniment.project import Project
    from muniment.steps.stream import Batch, Stream, StreamPlan


def follow(asked: Asked, names: list[str] | None, *, available_now: bool, limits: tuple[int, int]) -> None:
    """Land and derive what comes at the places of the sources, until all has been taken or somebody says stop."""
    project = opened(asked)
    with stop_asked() as stopping, ExitStack() as started:
        streams = [started.enter_context(_started(plan)) for plan in _plans(project, names, available_now=available_now, limits=limits)]
        _watch(streams, stopping)
    say("stopped" if stopping.is_set() else "done")


@contextmanager
def stop_asked() -> Iterator[Event]:
    """An event that is set when somebody asks this process to end; the batch at hand is finished first."""
    asked = Event()

    def ask(number: int, frame: FrameType | None) -> None:
        asked.set()

    before = {each: signal.signal(each, ask) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield asked
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _plans(project: Project, names: list[str] | None, *, available_now: bool, limits: tuple[int, int]) -> list[tuple[Lake, StreamPlan]]:
    """What is to run: the entities that were named, or all that a stream can read."""
    from muniment.arrival.streams import Limits
    from muniment.steps.stream import StreamPlan, can_stream

    able = [each for each in project.model.entities if can_stream(each)] or list(project.model.entities)
    entities = [project.entity(name) for name in names] if names else able
    return [(project.lake, StreamPlan(each, project.model, Limits(*limits), available_now, _tell)) for each in entities]


@contextmanager
def _started(plan: tuple[Lake, StreamPlan]) -> Iterator[Stream]:
    from muniment.steps.stream import Stream

    running = Stream(*plan)
    try:
        yield running
    finally:
        running.stop()


def _watch(streams: Sequence[Stream], stopping: Event) -> None:
    """Until all have ended, one has failed, or somebody asks to stop."""
    while not stopping.is_set():
        ended = {each.wait(0) for each in streams}
        if ended <= {True}:
            return
        stopping.wait(0.5)


def _tell(batch: Batch) -> None:
    """What a batch did, while the stream goes on."""
    changed = batch.derived
    for line in told(batch.landed):
        print(line, flush=True)
    print(f"  batch {batch.number}: {changed.keys:,} keys, {changed.opened:,} versions opened, {changed.closed:,} closed", flush=True)
