"""A gate that holds a write, so that two writers meet for certain and not by chance."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.errors import MunimentError
from muniment.lake import retry
from muniment.lake.commits import Commit
from muniment.lake.tables import Table
from muniment.lake.trouble import condition


class Gate:
    """Holds a write between its first look at the table and its commit: Spark opens two pipes, and each waits for its other end."""

    def __init__(self, folder: Path) -> None:
        self._reached, self._opened = folder / "reached", folder / "opened"
        os.mkfifo(self._reached)
        os.mkfifo(self._opened)

    def hold(self, rows: DataFrame, column: str) -> DataFrame:
        """The same rows; whoever evaluates the first of them waits at the gate, the first time."""
        waits = [f"java_method('scala.io.Source', 'fromFile', '{pipe}', 'UTF-8')" for pipe in (self._reached, self._opened)]
        first = f"monotonically_increasing_id() = 0 AND {' != '.join(waits)}"
        return rows.coalesce(1).withColumn(column, F.expr(f"if({first}, {column}, {column})"))

    def wait_until_reached(self) -> None:
        """Until the write has begun."""
        _meet(self._reached)

    def open(self) -> None:
        """Let the write go on."""
        _meet(self._opened)


@dataclass(slots=True)
class Watch:
    """What happens to one table: how often it is written, and the errors that were looked at before trying again."""

    writes: int = 0
    errors: list[BaseException] = field(default_factory=list)

    @property
    def conflicts(self) -> list[str]:
        """What was tried again, by the names that Delta or Muniment give it; not every way to write tells Delta's."""
        return [_name(error) for error in self.errors if retry.is_conflict(error)]


def watch(patch: pytest.MonkeyPatch, table: str, *, gate: Gate | None = None, column: str = "sk") -> Watch:
    """Count the writes of a table, and hold the first of them at a gate; Delta and the retry are the real ones."""
    seen, write, judge = Watch(), Table.replace, retry.is_conflict

    def replace(self: Table, rows: DataFrame, **how: Any) -> Commit:
        if self.name != table:
            return write(self, rows, **how)
        seen.writes += 1
        return write(self, gate.hold(rows, column) if gate is not None and seen.writes == 1 else rows, **how)

    def is_conflict(error: BaseException) -> bool:
        if error not in seen.errors:
            seen.errors.append(error)
        return judge(error)

    patch.setattr(Table, "replace", replace)
    patch.setattr(retry, "is_conflict", is_conflict)
    return seen


def _name(error: BaseException) -> str:
    words = type(error).__name__ if isinstance(error, MunimentError) else str(error).split("\n\tat ")[0]
    return condition(error) or words


def _meet(pipe: Path, within: float = 300.0) -> None:
    """Open the other end as soon as Spark has opened its own; who comes again finds a plain file and does not wait."""
    plain = pipe.with_suffix(".plain")
    plain.touch()
    started = clock.stopwatch()
    while clock.stopwatch() - started < within:
        try:
            end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody is at the other end yet
            clock.pause(0.02)
        else:
            plain.rename(pipe)
            os.close(end)
            return
    pytest.fail(f"the write never reached {pipe.name}")
