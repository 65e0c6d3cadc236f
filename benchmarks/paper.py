"""The numbers of the paper part: what was measured here, carried to ten billion versions on fifty machines by stated arithmetic."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import Bench, folder
from benchmarks.lakes import HISTORY, LOG
from benchmarks.meter import written
from benchmarks.report import Report, by_axis

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
VERSIONS, MACHINES, CORES = 10_000_000_000, 50, 16


@dataclass(frozen=True, slots=True)
class Line:
    """One quantity, here and there."""

    what: str
    here: str
    there: str


def fill(page: Path, report: Report) -> None:
    """Put the measured numbers into their place on the page; all else stays."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    page.write_text(f"{before}{BEGIN}\n{table(report)}\n{END}{after}", encoding="utf-8")


def table(report: Report) -> str:
    """The lines that can be said from what was found."""
    lines = [*_sizes(report.bench), *_rebuild(report), *_batch(report)]
    rows = [f"| {line.what} | {line.here} | {line.there} |" for line in lines]
    return "\n".join(["| | measured here | 10 billion versions, 50 machines of 16 cores |", "|---|---|---|", *rows])


def _sizes(bench: Bench) -> list[Line]:
    rows = bench.shape.keys * bench.shape.versions
    parts = {"log": LOG, "history": HISTORY}
    each = {name: written(folder(bench.base, table)) / rows for name, table in parts.items()}
    return [Line(f"bytes of the {name} per assertion", f"{size:.0f}", f"{size * VERSIONS / 1e12:.1f} TB") for name, size in each.items()]


def _rebuild(report: Report) -> list[Line]:
    found = report.found.get("rebuild-sort")
    if found is None:
        return []
    rows = report.bench.shape.keys * report.bench.shape.versions
    rate = rows / sorted(found.parts["rebuild"])[len(found.parts["rebuild"]) // 2] / (os.cpu_count() or 1)
    hours = VERSIONS / (rate * MACHINES * CORES) / 3600
    return [Line("full rebuild: assertions per core and second", f"{rate:,.0f}", f"{hours:.1f} hours, if every core does as much as here")]


def _batch(report: Report) -> list[Line]:
    """A batch does not know how many versions there are; what it knows is the number of keys whose heads it looks among."""
    found = report.found.get("in-order")
    axes = by_axis(report.points)
    if found is None or "keys" not in axes:
        return []
    from benchmarks.model import exponent

    grows = ", ".join(f"{axis} {exponent(axes[axis], 'derive'):.2f}" for axis in axes)
    seconds = sorted(found.parts["derive"])[len(found.parts["derive"]) // 2]
    return [Line("derive of one batch: seconds; exponents", f"{seconds:.1f}; {grows}", "not carried over: see the limits below")]
