"""What earlier runs found: a figure stays until it is measured again, with the day and the load of its own run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.figures.finding import NO_TIME, Finding
from benchmarks.model import Point
from benchmarks.report import Report
from benchmarks.truth import Checked

NAME = "results.json"


def take_up(report: Report, folder: Path) -> None:
    """Beside what this run found, what earlier ones did; a figure that failed now, other than for want of time, does not keep its old value."""
    place = folder / NAME
    if not place.exists():
        return
    said = json.loads(place.read_text(encoding="utf-8"))
    anew = {*report.found, *(name for name, why in report.failed.items() if why != NO_TIME)}
    earlier = {name: _finding(each) for name, each in said["found"].items() if name not in anew}
    report.found = {**earlier, **report.found}
    report.points = report.points or tuple(Point(**each) for each in said["points"])
    report.checked = report.checked or tuple(Checked(**each) for each in said["checked"])


def put_by(report: Report, folder: Path) -> None:
    """For the next run."""
    said = {
        "found": {name: asdict(each) for name, each in sorted(report.found.items())},
        "points": [asdict(each) for each in report.points],
        "checked": [asdict(each) for each in report.checked],
    }
    (folder / NAME).write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _finding(said: Mapping[str, Any]) -> Finding:
    parts = {name: tuple(values) for name, values in said["parts"].items()}
    return Finding(tuple(said["values"]), parts, said["note"], said["passed"], said["when"])
