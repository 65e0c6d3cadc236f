"""The lake's lock: one process at a time, shared by its threads, gone with its holder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from muniment import clock
from muniment.lake import locks
from muniment.lake.errors import LakeBusy

HOLDER = """
import sys
from pathlib import Path
from muniment.lake import locks

with locks.hold(Path(sys.argv[1]), who="landing customer", wait=0):
    sys.stdout.write("held\\n")
    sys.stdout.flush()
    sys.stdin.readline()
"""


@contextmanager
def another_process(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lake until it is told, or killed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_process_waits_and_is_then_refused_with_the_holders_name(tmp_path: Path) -> None:
    with another_process(tmp_path) as holder:
        started = clock.stopwatch()
        with pytest.raises(LakeBusy) as refused, locks.hold(tmp_path, who="deriving customer", wait=0.3):
            pytest.fail("two processes held the lake")

    assert clock.stopwatch() - started >= 0.3
    assert refused.value.facts["pid"] == holder.pid
    assert "landing customer" in str(refused.value)
    assert refused.value.exit_code == 4


def test_a_process_that_waits_gets_the_lake_when_the_holder_is_done(tmp_path: Path) -> None:
    with another_process(tmp_path) as holder:
        entered = Event()

        def wait() -> None:
            with locks.hold(tmp_path, who="deriving customer", wait=30):
                entered.set()

        waiter = Thread(target=wait)
        waiter.start()
        assert not entered.wait(0.3)
        assert holder.stdin is not None
        holder.stdin.write("\n")
        holder.stdin.flush()
        waiter.join()

    assert entered.is_set()


def test_a_holder_that_was_killed_blocks_nobody(tmp_path: Path) -> None:
    with another_process(tmp_path) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait()

        with locks.hold(tmp_path, who="deriving customer", wait=0):
            assert "deriving customer" in (tmp_path / locks.FILE).read_text(encoding="utf-8")


def test_threads_of_one_process_share_the_lake(tmp_path: Path) -> None:
    inside = Event()

    def enter() -> None:
        with locks.hold(tmp_path, who="thread", wait=0):
            inside.set()

    with locks.hold(tmp_path, who="main", wait=0):
        thread = Thread(target=enter)
        thread.start()
        thread.join()

        with pytest.raises(AssertionError), another_process(tmp_path):
            pytest.fail("the thread took the lock away from its process when it left")

    assert inside.is_set()


def test_entered_twice_it_is_held_until_left_twice(tmp_path: Path) -> None:
    with locks.hold(tmp_path, who="outer", wait=0):
        with locks.hold(tmp_path, who="inner", wait=0):
            pass
        with pytest.raises(AssertionError), another_process(tmp_path):
            pytest.fail("held by two")

    with another_process(tmp_path):
        pass


def test_an_error_inside_lets_the_lake_go(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locks.hold(tmp_path, who="failing", wait=0):
        raise ZeroDivisionError

    with another_process(tmp_path):
        pass


def test_a_fork_does_not_keep_the_lake_after_its_parent_let_it_go(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with locks.hold(tmp_path, who="parent", wait=0):
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)
    try:
        with another_process(tmp_path):
            pass
    finally:
        os.close(writing)
        os.close(reading)
        os.waitpid(child, 0)
