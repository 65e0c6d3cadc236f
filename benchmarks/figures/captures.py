"""A capture of which little changed: what it costs to see that and to have it in the history, against reading it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from muniment.gate.fields import Fields
from muniment.project import Project
from muniment.steps.diff import captured_frame

from benchmarks.bench import Bench, WrongAnswer
from benchmarks.figures.finding import Finding, ratios
from benchmarks.meter import seconds

ENTITY, SOURCE = "listing", "vendor"
TIMES, SHARE, PAGE = 5, 100, 10_000  # five times the keys of a lake: a million; one in a hundred changes
_BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
_LISTING = """entity: listing
key: {symbol: string}
attributes: {name: string, tick_size: {type: double, scale: 10}, lot: int, exchange: string}
history: {deletes: close, late: forward_only}
sources:
  vendor: {read: {format: json, capture: captures/vendor}, load: full, absence: deletes}
"""


def diff_and_apply(bench: Bench) -> Finding:
    """Diff, land and derive of a capture ÷ reading it and the one before it."""
    project, keys = _project(bench.root / "captures", bench), bench.shape.keys * TIMES
    paths = [_captured(project, keys, 0)]
    project.land(ENTITY, SOURCE)
    project.derive(ENTITY)
    parts: dict[str, list[float]] = {"reading both": [], "diff": [], "land": [], "derive": []}
    for day in range(1, bench.settings.runs + 1):
        paths.append(_captured(project, keys, day))
        two = paths[-2:]
        parts["reading both"].append(seconds(lambda two=two: _read(project, two)))  # type: ignore[misc]
        parts["diff"].append(seconds(lambda two=two: _diff(project, two, keys)))  # type: ignore[misc]
        parts["land"].append(seconds(lambda: project.land(ENTITY, SOURCE)))
        parts["derive"].append(seconds(lambda: project.derive(ENTITY)))
    whole = [sum(each) for each in zip(parts["diff"], parts["land"], parts["derive"], strict=True)]
    return Finding(ratios(whole, parts["reading both"]), {name: tuple(took) for name, took in parts.items()})


def _project(root: Path, bench: Bench) -> Project:
    root.mkdir(parents=True)
    (root / "muniment.yml").write_text("name: bench\ninclude: [e.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "e.yml").write_text(_LISTING, encoding="utf-8")
    return Project.open(root, spark=bench.spark)


def _captured(project: Project, keys: int, day: int) -> str:
    return project.capture(ENTITY, SOURCE, lambda: _pages(keys, day), captured_at=_BEGIN + timedelta(days=day)).path


def _pages(keys: int, day: int) -> Iterator[list[dict[str, object]]]:
    """One more in a hundred has another lot each day."""
    for first in range(0, keys, PAGE):
        yield [
            {
                "symbol": f"S{n:09d}",
                "name": f"Company {n}",
                "tick_size": 0.01,
                "lot": 2 if 0 < n % SHARE <= day else 1,
                "exchange": "X",
            }
            for n in range(first, min(first + PAGE, keys))
        ]


def _read(project: Project, paths: list[str]) -> None:
    fields = Fields(project.entity(ENTITY), project.entity(ENTITY).source(SOURCE))
    for path in paths:
        captured_frame(project.lake, project.model.root, Path(path), fields).write.format("noop").mode("overwrite").save()


def _diff(project: Project, paths: list[str], keys: int) -> None:
    """One in a hundred has changed, and nothing else."""
    counts = project.diff(paths[0], paths[1], entity=ENTITY, source=SOURCE).counts()
    if counts["modified"] != keys // SHARE or counts["modified"] + counts["unchanged"] != keys:
        raise WrongAnswer(f"captures: {counts} of {keys} keys")
