"""Projects of a test's own, made as for the timeline."""

from __future__ import annotations

from tests.spark.timeline.conftest import empty_lake, make

__all__ = ["empty_lake", "make"]
