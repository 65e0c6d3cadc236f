"""A process that is killed in the middle of its work."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from threading import Thread

from muniment import faults


def die(work: Callable[[], object], *, at: str) -> None:
    """Do the work in a process of its own that is killed at a named point; it talks to the same Spark through a connection of its own."""
    child = os.fork()
    if child == 0:
        os.environ[faults.VARIABLE] = at
        thread = Thread(target=work)  # connections belong to threads
        thread.start()
        thread.join()
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL
