"""Projects with loads: those of the timeline's stories serve here too."""

from __future__ import annotations

from tests.spark.timeline.conftest import empty_lake, make

__all__ = ["empty_lake", "make"]
