"""RESULTS.md and the drawings, from what was found and nothing else."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import svg
from benchmarks.bench import Bench
from benchmarks.contenders import dbt
from benchmarks.figures.finding import NO_MARK, Figure, Finding
from benchmarks.figures.table import FIGURES
from benchmarks.model import AXES, KINDS, Point, exponent
from benchmarks.truth import Checked

PACKAGES = ("muniment", "pyspark", "delta-spark", "duckdb", "mack", "dbt-duckdb")


@dataclass(slots=True)
class Report:
    """All that one run of the benchmark has to say."""

    bench: Bench
    checked: tuple[Checked, ...] = ()
    found: dict[str, Finding] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    took: dict[str, float] = field(default_factory=dict)
    points: tuple[Point, ...] = ()
    busy: float = field(default_factory=lambda: os.getloadavg()[0])  # before anything was done

    def write(self, folder: Path) -> None:
        """The page, and one drawing for each axis of the model."""
        folder.mkdir(parents=True, exist_ok=True)
        parts = (self._head(), self._table(), self._answers(), self._model(), self._raw())
        (folder / "RESULTS.md").write_text("\n".join(line for part in parts for line in part), encoding="utf-8")
        for axis, drawn in by_axis(self.points).items():
            (folder / f"cost-{axis}.svg").write_text(svg.drawn(axis, drawn), encoding="utf-8")

    def _head(self) -> list[str]:
        shape = self.bench.shape
        said = (
            f"{shape.keys:,} keys × {shape.versions} versions × {shape.attributes} attributes, batches of {self.bench.batch_keys:,} keys;"
            f" {shape.partial:.0%} of the rows partial and from a second source, {shape.deleted:.0%} deletes, {shape.repeated:.0%} repeats; seed {shape.seed}."
        )
        return [
            "# What was measured",
            "",
            "Written by `make bench`; [README.md](README.md) says what each figure means. A ratio is taken inside one run; the table has the middle run. What a later run did not measure keeps the value, the day and the load of its own.",
            "",
            f"- Machine: {_machine()}; load {self.busy:.1f} before it began",
            f"- Software: Python {platform.python_version()}, {_versions()}",
            f"- Data: {said}",
            f"- Runs: {self.bench.settings.runs} of each figure; the last run of the benchmark took {sum(self.took.values()) / 60:.1f} minutes",
            "",
        ]

    def _table(self) -> list[str]:
        lines = ["| figure | must | goal | measured | spread | | when |", "|---|---|---|---|---|---|---|"]
        return [*lines, *(self._line(figure) for figure in FIGURES), ""]

    def _line(self, figure: Figure) -> str:
        marks = f"| {figure.says} | {figure.must_be or _mark(figure, figure.must)} | {'' if figure.must_be == NO_MARK else _mark(figure, figure.goal)} |"
        finding = self.found.get(figure.name)
        if finding is None:
            return f"{marks} not measured | | {self.failed.get(figure.name, 'not asked for')} | |"
        return f"{marks} {_amount(finding.value, figure.unit)} | {_spread(finding)} | {verdict(figure, finding)} | {finding.when} |"

    def _answers(self) -> list[str]:
        lines = [
            "## Right answers first",
            "",
            "Each table against the oracle's, on a small set of the same events. A wrong answer gets no time.",
            "",
        ]
        rows = [f"| {each.who} | {each.claim} | {'right' if each.right else 'wrong: no time'} |" for each in self.checked]
        return [*lines, "| who | claim | answer |", "|---|---|---|", *rows, "", *_absent(), ""]

    def _model(self) -> list[str]:
        if not self.points:
            return []
        lines = [
            "## How it grows",
            "",
            "Seconds = a · size^b, fitted to three points of one run each; the table has b. 0 does not grow at all, 1 grows as the size does.",
            "",
        ]
        head = [f"| | {' | '.join(KINDS)} |", "|---" * (len(KINDS) + 1) + "|"]
        rows = [
            f"| {axis} ({', '.join(f'{point.at:,}' for point in drawn)}) | {' | '.join(f'{exponent(drawn, kind):.2f}' for kind in KINDS)} |"
            for axis, drawn in by_axis(self.points).items()
        ]
        return [*lines, *head, *rows, "", *(f"![Seconds by {axis}](cost-{axis}.svg)" for axis in by_axis(self.points)), ""]

    def _raw(self) -> list[str]:
        lines = ["## Run by run", "", "| figure | part | runs | |", "|---|---|---|---|"]
        rows = [
            f"| {name} | {part} | {', '.join(f'{value:.2f}' for value in values)} | {finding.note} |"
            for name, finding in self.found.items()
            for part, values in finding.parts.items()
        ]
        return [*lines, *rows, "", "Seconds each figure took with its preparation: " + _times(self.took) + ".", ""]


def verdict(figure: Figure, finding: Finding) -> str:
    """Met or not, in a word or two; nothing where nothing was asked."""
    if figure.must_be == NO_MARK:
        return ""
    must = figure.reaches(finding.value, figure.must) if finding.passed is None else finding.passed
    if not must:
        return "**not met**"
    return "goal met" if figure.reaches(finding.value, figure.goal) else "must met"


def by_axis(points: Sequence[Point]) -> dict[str, list[Point]]:
    """The points of each axis, in order."""
    found = {axis: [point for point in points if point.axis == axis] for axis in AXES}
    return {axis: drawn for axis, drawn in found.items() if drawn}


def _mark(figure: Figure, value: float) -> str:
    return f"{'≥' if figure.more_is_better else '≤'} {value:g} {figure.unit}"


def _amount(value: float, unit: str) -> str:
    return f"{value:.0f} {unit}" if unit == "jobs" else f"{value:.2f} {unit}"


def _spread(finding: Finding) -> str:
    if len(finding.values) < 2:
        return "one run"
    return f"{min(finding.values):.2f}–{max(finding.values):.2f}"


def _times(took: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {seconds:.0f}" for name, seconds in took.items())


def _absent() -> list[str]:
    missing = [name for name in ("duckdb", "mack", "dbt-duckdb") if _version(name) is None]
    return [f"Not installed, so not measured: {', '.join(missing)}."] if missing else []


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.machine()}"


def _versions() -> str:
    return ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))


def _version(name: str) -> str | None:
    if name == "dbt-duckdb":
        return dbt.version()  # it is not in this environment
    try:
        return version(name)
    except PackageNotFoundError:
        return None
