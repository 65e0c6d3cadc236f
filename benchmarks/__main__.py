"""`python -m benchmarks`: measure the figures, all or some, and write down what was found."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from muniment import clock
from muniment.lake import session

from benchmarks import model, truth
from benchmarks.bench import Bench, Settings, WrongAnswer
from benchmarks.figures.finding import NO_TIME, Figure
from benchmarks.figures.table import FIGURES, chosen
from benchmarks.kept import put_by, take_up
from benchmarks.paper import fill
from benchmarks.report import Report

HERE = Path(__file__).parent
SMOKE = Settings(scale=0.0005, runs=1, batches=2, minutes=1.5, attributes=4, warm_ups=0, axes=("batch",), points=1, dbt=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and report; 1 where something failed or got no time for a wrong answer."""
    asked = _asked(arguments)
    settings = SMOKE if asked.smoke else Settings(asked.scale, asked.runs, asked.batches)
    settings = settings if asked.minutes is None else replace(settings, minutes=asked.minutes)
    root = Path(tempfile.mkdtemp(prefix="muniment-bench-"))
    try:
        report = Report(Bench(_session(small=asked.smoke), root, settings))
        stays = settings.scale == 1 and (asked.keep or asked.only is None)
        out = Path(asked.out) if asked.out else (HERE if stays else root / "out")
        _measure(report, asked.only, write=partial(_write, report, out, stays=stays))
        print((out / "RESULTS.md").read_text(encoding="utf-8"))
        return 1 if [name for name, why in report.failed.items() if why != NO_TIME] else 0
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _session(*, small: bool) -> SparkSession:
    """The session Muniment starts by itself; to see that everything runs, the one of the tests."""
    if not small:
        return session.start(app="muniment bench")
    from tests.conftest import SMALL

    return session.start(SMALL, app="muniment bench")


def _write(report: Report, out: Path, *, stays: bool) -> None:
    """What is known so far: a run of an hour that is broken off has not measured for nothing."""
    if stays and "right answers" not in report.failed:
        take_up(report, HERE)
        put_by(report, HERE)
        fill(HERE / "README.md", report)
    report.write(out)


def _measure(report: Report, only: str | None, *, write: Callable[[], None]) -> None:
    bench = report.bench
    figures = chosen(only)
    _step(report, "right answers", lambda: setattr(report, "checked", truth.check(bench)))
    if "right answers" in report.failed:
        write()
        return
    _step(report, "preparation", lambda: bench.base)
    for name, action in _work(report, figures, with_model=only is None or "model" in only.split(",")):
        if bench.seconds_left > 0:
            _step(report, name, action)
        else:
            report.failed[name] = NO_TIME
        write()


def _work(report: Report, figures: Sequence[Figure], *, with_model: bool) -> list[tuple[str, Callable[[], object]]]:
    """What is to be done, the light things first; the model comes before the longest series."""
    bench = report.bench
    work: list[tuple[int, str, Callable[[], object]]] = [(each.weight, each.name, partial(_find, report, each)) for each in figures]
    if with_model:
        work.append((8, "model", lambda: setattr(report, "points", model.points(bench))))
    return [(name, action) for _, name, action in sorted(work, key=lambda each: each[0])]


def _find(report: Report, figure: Figure) -> None:
    when = f"{clock.now():%Y-%m-%d}, load {os.getloadavg()[0]:.1f}"
    report.found[figure.name] = replace(figure.find(report.bench), when=when)


def _step(report: Report, name: str, action: Callable[[], object]) -> None:
    """One part; what fails is named in the report and the others go on."""
    started = clock.stopwatch()
    try:
        action()
    except WrongAnswer as error:
        report.failed[name] = f"no time for a wrong answer: {error}"
    except Exception as error:  # noqa: BLE001 - a figure that fails must not take the others with it
        report.failed[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
    report.took[name] = clock.stopwatch() - started
    if name in report.failed:
        report.found.pop(name, None)  # an earlier value does not stand for a figure that fails now
    found = report.found.get(name)
    said = report.failed.get(name) or ("" if found is None else f"→ {found.value:.2f}")
    print(f"{name}: {report.took[name]:.0f} s {said}", file=sys.stderr, flush=True)


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    usual = Settings()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What Muniment costs, against what people use today.")
    parser.add_argument("--only", help=f"some of: {', '.join(figure.name for figure in FIGURES)}, model")
    parser.add_argument("--scale", type=float, default=usual.scale, help="share of the 200,000 keys")
    parser.add_argument("--runs", type=int, default=usual.runs, help="runs of each short figure")
    parser.add_argument("--batches", type=int, default=usual.batches, help="length of the long series")
    parser.add_argument(
        "--minutes", type=float, help=f"no figure is begun after that; default {usual.minutes:g}, or {SMOKE.minutes:g} with --smoke"
    )
    parser.add_argument("--keep", action="store_true", help="a part of the whole, at full size, takes its place in RESULTS.md")
    parser.add_argument("--out", help="folder for RESULTS.md and the drawings; a part of the whole is only printed")
    parser.add_argument("--smoke", action="store_true", help="as many figures as the minutes allow, once, on next to nothing")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
