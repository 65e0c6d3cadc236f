"""Rows kept in memory while a step looks at them more than once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame


class Kept:
    """What a step keeps; all of it is let go at its end."""

    def __init__(self) -> None:
        self._frames: list[DataFrame] = []

    def keep(self, rows: DataFrame) -> DataFrame:
        """The rows, computed when first looked at."""
        self._frames.append(rows.persist())
        return self._frames[-1]

    def now(self, rows: DataFrame) -> DataFrame:
        """The rows, computed on all cores here; a later look in one partition would scan a table in one task."""
        kept = self.keep(rows)
        kept.count()
        return kept

    def release(self) -> None:
        """Let go of everything, the last first: Spark plans anew what was kept on top of rows that go."""
        for frame in reversed(self._frames):
            frame.unpersist()


@contextmanager
def keeping() -> Iterator[Kept]:
    """Keep rows for the length of a block."""
    kept = Kept()
    try:
        yield kept
    finally:
        kept.release()
