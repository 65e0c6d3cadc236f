"""Twelve years of real lists through HTTP: the history against a plain-Python diff of the files."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from muniment import clock
from muniment.project import Project
from muniment.steps.capture import Captured

from examples.sp500.days import Day, published_days
from examples.sp500.picture import draw, spans
from examples.sp500.questions import came_back, members, months, sector_changes
from examples.sp500.years import capture_years, write_project

pytestmark = pytest.mark.heavy  # 156 captures: make heavy

NAMES, SECTORS = ("Name", "Security", "Company"), ("Sector", "GICS Sector")
Version = tuple[str, datetime, datetime | None, str | None, str | None]
State = dict[str, tuple[str | None, str | None]]


@dataclass(frozen=True, slots=True)
class Years:
    """The lake after all days, and what it was made of."""

    project: Project
    days: Sequence[Day]
    captured: Sequence[Captured]


@pytest.fixture(scope="module")
def years(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Years:
    days = published_days()
    project = Project.open(write_project(tmp_path_factory.mktemp("sp500")), spark=spark)
    captured = capture_years(project, days)
    landed = project.land("member", "list")
    assert landed.landed == landed.received == sum(len(day.records) for day in days) + 60
    assert landed.held
    project.derive("member")
    return Years(project, days, captured)


def states(days: Sequence[Day]) -> Iterator[tuple[datetime, State]]:
    """Who is in each list, with name and sector; a row that lacks its sector leaves it as it was last stated."""
    stated: State = {}
    for day in days:
        listed = {row["Symbol"]: row for row in day.records}
        for symbol, row in listed.items():
            before = stated.get(symbol, (None, None))
            stated[symbol] = (_first(row, NAMES, before[0]), _first(row, SECTORS, before[1]))
        yield day.published, {symbol: stated[symbol] for symbol in listed}


def _first(row: dict[str, str], names: Sequence[str], otherwise: str | None) -> str | None:
    return next((row[name].strip() for name in names if name in row), otherwise)


def versions(days: Sequence[Day]) -> list[Version]:
    """The versions that the lists amount to, by comparing each with the one before."""
    done: list[Version] = []
    running: dict[str, tuple[datetime, tuple[str | None, str | None]]] = {}
    for at, state in states(days):
        for symbol in [each for each, (_, held) in running.items() if state.get(each) != held]:
            start, (name, sector) = running.pop(symbol)
            done.append((symbol, start, at, name, sector))
        for symbol, said in state.items():
            running.setdefault(symbol, (at, said))
    return sorted([*done, *((symbol, start, None, *said) for symbol, (start, said) in running.items())], key=lambda each: each[:2])


def held(project: Project) -> list[Version]:
    """The versions of a history."""
    micros = [F.unix_micros(name) for name in ("effective_from", "effective_to")]
    rows = project.history("member").select("symbol", *micros, F.trim("name"), F.trim("sector")).collect()
    found = [(row[0], clock.from_micros(row[1]), clock.from_micros(row[2]), row[3], row[4]) for row in rows]
    return sorted(found, key=lambda each: each[:2])  # type: ignore[arg-type]


def test_the_history_is_what_a_plain_diff_of_the_files_gives(years: Years) -> None:
    expected = versions(years.days)
    assert held(years.project) == expected
    assert len(expected) > 1000


def test_the_members_on_every_published_day_are_those_of_its_file(years: Years) -> None:
    found = held(years.project)
    for at, state in states(years.days):
        there = {symbol: (name, sector) for symbol, start, end, name, sector in found if start <= at and (end is None or end > at)}
        assert there == state
    day = years.days[77]
    asked = members(years.project, day.published.isoformat()).collect()  # as of that day and as known then
    assert {row["symbol"] for row in asked} == {row["Symbol"] for row in day.records}


def test_each_capture_says_what_it_changed_and_only_a_list_like_the_one_before_it_is_a_duplicate(years: Years) -> None:
    rows = years.project.captures("member").where("status IN ('success', 'skipped_duplicate')").collect()
    all_states = list(states(years.days))
    expected = []
    for (_, before), (_, after) in pairwise([(None, {}), *all_states]):
        both = before.keys() & after.keys()
        changed = sum(1 for symbol in both if before[symbol] != after[symbol])
        expected.append((len(after.keys() - before.keys()), changed, len(before.keys() - after.keys()), len(both) - changed))
    assert [(row["scd2_new"], row["scd2_modified"], row["scd2_delisted"], row["scd2_unchanged"]) for row in rows] == expected
    contents = [sorted(tuple(sorted(record.items())) for record in day.records) for day in years.days]
    repeats = [False, *(before == after for before, after in pairwise(contents))]
    assert [row["status"] == "skipped_duplicate" for row in rows] == repeats
    returns = sum(1 for n, content in enumerate(contents) if content in contents[: max(n - 1, 0)] and not repeats[n])
    assert returns == 6  # A, B, A: to compare with any earlier capture would lose them


def test_a_broken_page_is_never_used_and_a_short_answer_is_held(years: Years) -> None:
    bad = years.project.captures("member").where("status NOT IN ('success', 'skipped_duplicate')").orderBy("effective_ts").collect()
    assert [(row["status"], row["complete"], row["record_count"]) for row in bad] == [
        ("skipped_incomplete", False, 200),
        ("quarantined", True, 60),
    ]
    assert "page 2 could not be had" in bad[0]["reason"]
    assert "60 keys after" in bad[1]["reason"]


def test_the_change_of_columns_makes_no_version_for_what_did_not_change(years: Years) -> None:
    turns = [(before, day) for before, day in pairwise(years.days) if before.columns != day.columns]
    assert [day.name for _, day in turns] == ["20230413T152220Z", "20241208T004545Z", "20241210T004240Z"]
    by_time = dict(states(years.days))
    opened = {(symbol, start) for symbol, start, *_ in held(years.project)}
    for before, day in turns:
        old, new = by_time[before.published], by_time[day.published]
        assert {symbol for symbol, start in opened if start == day.published} == {s for s in new if new[s] != old.get(s)}


def test_the_questions_have_answers_that_the_files_confirm(years: Years) -> None:
    all_states = list(states(years.days))
    gone: set[str] = set()
    back = set()
    for (_, before), (_, after) in pairwise(all_states):
        back |= (after.keys() - before.keys()) & gone
        gone |= before.keys() - after.keys()
    assert {row["symbol"] for row in came_back(years.project).collect()} == back
    assert back
    counted: dict[str, int] = {}
    for (_, before), (at, after) in pairwise(all_states):
        counted[f"{at:%Y-%m}"] = counted.get(f"{at:%Y-%m}", 0) + len(before.keys() ^ after.keys())
    busiest = months(years.project).first()
    assert busiest is not None
    assert busiest["came"] + busiest["went"] == max(counted.values())
    changes = sector_changes(years.project, years.days).collect()
    turn = {day.published for before, day in pairwise(years.days) if before.columns != day.columns}
    expected = sum(
        1
        for (_, before), (at, after) in pairwise(all_states)
        if at in turn
        for s in before.keys() & after.keys()
        if before[s][1] != after[s][1]
    )
    assert sum(1 for row in changes if row["with_columns"]) == expected
    picture = draw(spans(years.project), until=years.days[-1].published)
    stays = len(all_states[0][1]) + sum(len(after.keys() - before.keys()) for (_, before), (_, after) in pairwise(all_states))
    assert picture.count("<title>") == stays  # one bar for each time that somebody came


@pytest.mark.heavy
def test_landing_the_days_in_random_order_gives_the_same_history(years: Years, spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path / "repaired", late="repair"), spark=spark)
    there = years.project.model.root / "captures/list"
    folders = sorted(path.parent.relative_to(there) for path in there.rglob("_manifest.json"))
    random.Random(8).shuffle(folders)
    for part in (folders[:60], folders[60:61], folders[61:]):
        for folder in part:
            shutil.copytree(there / folder, project.model.root / "captures/list" / folder)
        project.land("member", "list")
        project.derive("member")
    assert held(project) == versions(years.days)
