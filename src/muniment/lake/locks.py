"""One process at a time on a lake of the local disk; the threads of a process share its hold."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from muniment import clock
from muniment.lake.errors import LakeBusy

FILE = ".muniment.lock"
_QUEUE = ".muniment.queue"  # held while waiting, so that who waits comes before who has just been
_POLL = 0.1


@dataclass(slots=True)
class _Held:
    """The open lock file of this process and how many share it."""

    file: int
    sharers: int = 1


_held: dict[Path, _Held] = {}
_guard = threading.RLock()


@contextmanager
def hold(folder: Path, *, who: str, wait: float = 60.0) -> Iterator[None]:
    """Hold a lake's folder; another process waits and is then refused, naming the holder. A dead holder blocks nobody."""
    place = folder.resolve()
    _acquire(place, who=who, wait=wait)
    try:
        yield
    finally:
        _release(place)


def _acquire(folder: Path, *, who: str, wait: float) -> None:
    started = clock.stopwatch()
    turn: int | None = None
    try:
        while not _joined_or_taken(folder, who, has_turn=turn is not None):
            waited = clock.stopwatch() - started
            if waited >= wait:
                raise LakeBusy(folder=folder, waited=round(waited, 1), **_holder(folder))
            turn = turn if turn is not None else _taken(folder / _QUEUE)
            clock.pause(min(_POLL, max(wait - waited, 0.001)))
    finally:
        if turn is not None:
            os.close(turn)


def _joined_or_taken(folder: Path, who: str, *, has_turn: bool) -> bool:
    """Share what this process holds, else try for it, unless another process waits for its turn."""
    with _guard:
        held = _held.get(folder)
        if held is not None:
            held.sharers += 1
            return True
        if not has_turn and _is_awaited(folder):
            return False
        file = _taken(folder / FILE)
        if file is None:
            return False
        _describe(file, who)
        _held[folder] = _Held(file)
        return True


def _is_awaited(folder: Path) -> bool:
    queue = _taken(folder / _QUEUE)
    if queue is not None:
        os.close(queue)
    return queue is None


def _taken(place: Path) -> int | None:
    """A lock file, locked; None while another process has it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file


def _describe(file: int, who: str) -> None:
    since = clock.now().isoformat(timespec="seconds")
    content = {"pid": os.getpid(), "host": socket.gethostname(), "who": who, "since": since}
    os.ftruncate(file, 0)
    os.pwrite(file, json.dumps(content, ensure_ascii=False).encode(), 0)


def _release(folder: Path) -> None:
    with _guard:
        held = _held.get(folder)
        if held is None:  # a fork leaves the block that its parent entered
            return
        held.sharers -= 1
        if held.sharers == 0:
            del _held[folder]
            os.ftruncate(held.file, 0)
            os.close(held.file)


def _forget() -> None:
    """A fork holds nothing: its copy of the lock file would keep the lock alive after its parent."""
    for held in _held.values():
        os.close(held.file)
    _held.clear()
    _guard.release()


def _holder(folder: Path) -> dict[str, object]:
    """What the holder wrote of itself."""
    unknown: dict[str, object] = {"pid": "unknown", "host": "this machine", "who": "doing something", "since": "a moment ago"}
    try:
        said = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return unknown
    return {name: said.get(name, missing) for name, missing in unknown.items()} if isinstance(said, dict) else unknown


os.register_at_fork(before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_forget)
