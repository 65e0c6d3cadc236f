"""A process that only rebuilds, to see how much memory that takes: `python -m benchmarks.peak FOLDER`."""

from __future__ import annotations

import json
import sys

from muniment import clock
from muniment.project import Project

from benchmarks.lakes import ENTITY
from benchmarks.meter import peak_memory


def main(folder: str) -> None:
    """Rebuild and say in one line what it took."""
    project = Project.open(folder)
    started = clock.stopwatch()
    project.rebuild(ENTITY)
    print(json.dumps({"seconds": clock.stopwatch() - started, "bytes": peak_memory()}))


if __name__ == "__main__":
    main(sys.argv[1])
