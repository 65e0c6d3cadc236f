"""What the benchmark adds up and divides is right; that it runs at all is shown by `make bench-smoke`."""

from __future__ import annotations

import itertools
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, cast

import pytest

from benchmarks import lakes, svg
from benchmarks.bench import Bench, Settings
from benchmarks.figures.finding import NO_TIME, Figure, Finding, ratios
from benchmarks.figures.table import FIGURES, chosen
from benchmarks.kept import put_by, take_up
from benchmarks.meter import committed, newest, written
from benchmarks.model import KINDS, Point, exponent
from benchmarks.report import Report, verdict

FASTER = Figure("f", "a figure", 3, 5, "× faster", lambda bench: Finding((1.0,)))
FEWER = Figure("g", "another", 2, 1, "s", lambda bench: Finding((1.0,)))


def points(kind: str, *seconds: float) -> list[Point]:
    return [
        Point("keys", at, dict.fromkeys(("land", "derive", "late", "merge", "rebuild"), 1.0) | {kind: value})
        for at, value in zip((10, 100, 1_000), seconds, strict=True)
    ]


def test_a_file_that_only_got_a_vector_counts_for_its_vector_alone() -> None:
    vector = {"storageType": "u", "sizeInBytes": 40}
    actions: list[dict[str, Any]] = [
        {"commitInfo": {}},
        {"remove": {"path": "old.parquet"}},
        {"add": {"path": "old.parquet", "size": 9_000, "deletionVector": vector}},
        {"add": {"path": "new.parquet", "size": 500}},
    ]
    assert committed(actions) == 540


def test_bytes_are_those_of_the_commits_after_a_version(tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    for version, size in enumerate((100, 20, 3)):
        (log / f"{version:020}.json").write_text(f'{{"add": {{"path": "{version}.parquet", "size": {size}}}}}\n', encoding="utf-8")
    assert (newest(tmp_path), written(tmp_path), written(tmp_path, 0), written(tmp_path, 2)) == (2, 123, 23, 0)
    assert newest(tmp_path / "nothing") == -1


@pytest.mark.parametrize(
    ("figure", "value", "says"),
    [
        (FASTER, 2.9, "**not met**"),
        (FASTER, 3.0, "must met"),
        (FASTER, 6.0, "goal met"),
        (FEWER, 2.1, "**not met**"),
        (FEWER, 0.9, "goal met"),
    ],
)
def test_faster_counts_upwards_and_seconds_downwards(figure: Figure, value: float, says: str) -> None:
    assert verdict(figure, Finding((value,))) == says


def test_what_failed_by_itself_is_not_saved_by_its_time() -> None:
    assert verdict(FEWER, Finding((0.1,), passed=False)) == "**not met**"


def test_a_figure_stays_until_it_is_measured_again_or_fails(tmp_path: Path) -> None:
    def report(**values: float) -> Report:
        bench = cast("Bench", None)  # nothing is measured here
        return Report(bench, found={name: Finding((value,), {"part": (value,)}, when="a day") for name, value in values.items()})

    first = report(late=2.0, jobs=24.0, skew=1.5)
    first.points = tuple(points("land", 1.0, 2.0, 3.0))
    put_by(first, tmp_path)
    again = report(late=1.5)
    again.failed |= {"skew": "it broke", "jobs": NO_TIME}
    take_up(again, tmp_path)
    assert {name: each.value for name, each in again.found.items()} == {"late": 1.5, "jobs": 24.0}
    assert again.found["jobs"] == first.found["jobs"]
    assert again.points == first.points


def test_a_ratio_is_taken_run_by_run() -> None:
    assert ratios((6.0, 9.0), (2.0, 1.0)) == (3.0, 9.0)


@pytest.mark.parametrize(("seconds", "expected"), [((2.0, 2.0, 2.0), 0.0), ((1.0, 10.0, 100.0), 1.0), ((1.0, 100.0, 10_000.0), 2.0)])
def test_the_exponent_says_how_seconds_follow_the_size(seconds: tuple[float, ...], expected: float) -> None:
    assert exponent(points("derive", *seconds), "derive") == pytest.approx(expected)


def test_a_drawing_is_xml_with_a_line_for_each_kind() -> None:
    root = ET.fromstring(svg.drawn("keys", points("merge", 0.4, 3.0, 20.0)))
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 5
    labels = sorted(float(text.attrib["y"]) for text in root.iter("{http://www.w3.org/2000/svg}text") if text.text in KINDS)
    assert len(labels) == 5
    assert all(below - above >= 12 for above, below in itertools.pairwise(labels))  # though four of the lines are one


def test_figures_are_chosen_by_name_and_the_light_ones_come_first() -> None:
    assert [figure.name for figure in chosen("hundred,late")] == ["late", "hundred"]
    assert len(chosen(None)) == len(FIGURES) == 28


def test_an_unknown_figure_is_named_with_those_there_are() -> None:
    with pytest.raises(SystemExit, match=r"no figure lte.*There are: in-order"):
        chosen("lte")


def test_at_least_three_runs_are_the_habit() -> None:
    assert Settings().runs >= 3


def test_a_longer_history_names_each_closed_file_again_and_leaves_heads_alone(tmp_path: Path) -> None:
    for name in ("is_head=false/a.parquet", "is_head=true/b.parquet", "_delta_log/.00000000000000000000.json.crc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    adds = [{"add": {"path": path, "size": 10}} for path in ("is_head=false/a.parquet", "is_head=true/b.parquet")]
    (tmp_path / "_delta_log/00000000000000000000.json").write_text("\n".join(map(json.dumps, adds)) + "\n", encoding="utf-8")
    lakes._multiply(tmp_path, "is_head=false", 3)
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file() and path.suffix == ".parquet")
    assert files == ["is_head=false/a-1.parquet", "is_head=false/a-2.parquet", "is_head=false/a.parquet", "is_head=true/b.parquet"]
    assert written(tmp_path) == 40
    assert not list((tmp_path / "_delta_log").glob(".*.crc"))
