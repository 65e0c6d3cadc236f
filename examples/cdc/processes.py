"""Servers as processes: started in a folder of their own, known by their id, ended by it."""

from __future__ import annotations

import os
import pwd
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muniment import clock

PATIENCE = 90.0  # seconds until something that does not come is given up


@dataclass(slots=True)
class Server:
    """One command that may be started, killed and started again; what it says goes to a file."""

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    user: int | None = None
    folder: Path | None = None
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it is the first of a group of its own, so that all it starts ends with it."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=self.folder, env={**os.environ, **self.environment},
                start_new_session=True, **as_user(self.user),
            )  # fmt: skip

    @property
    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """End it and all it started at once, as a machine that fails does."""
        self._end(signal.SIGKILL)

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> int | None:
        """Ask it to end, and see to it that it does."""
        if self.is_running:
            assert self._process is not None
            self._process.send_signal(sign)
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
        return self._left()

    def wait(self, seconds: float) -> int:
        """Wait until it ends by itself."""
        assert self._process is not None
        self._process.wait(seconds)
        return self._left() or 0

    def said(self) -> str:
        """All it has said so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def _end(self, sign: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, sign)
            self._process.wait()
        self._left()

    def _left(self) -> int | None:
        if self._process is None:
            return None
        if self._process.stdin is not None:
            self._process.stdin.close()
        return self._process.returncode


def as_user(user: int | None) -> dict[str, Any]:
    """What makes a process another user's, and no more than that user's."""
    return {} if user is None else {"user": user, "group": pwd.getpwuid(user).pw_gid, "extra_groups": []}


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether somebody answers at a port."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def until(ready: Callable[[], bool], *, what: str, server: Server | None = None, seconds: float = PATIENCE) -> None:
    """Look again and again until something is so; a server that ended meanwhile is told with its last words."""
    end = clock.stopwatch() + seconds
    while not ready():
        if server is not None and not server.is_running:
            raise RuntimeError(f"{server.name} ended while waiting for {what}:\n{server.said()[-3000:]}")
        if clock.stopwatch() > end:
            raise TimeoutError(f"no {what} within {seconds:.0f} seconds" + (f":\n{server.said()[-3000:]}" if server else ""))
        clock.pause(0.1)
