"""The example of a bad day, command by command, and what else the commands of a series say."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pyspark.sql import SparkSession

from examples.series.__main__ import STORY, copied, in_folder
from tests.cli.conftest import Answer, Run
from tests.cli.test_lake import called

pytestmark = pytest.mark.heavy  # the whole example: make heavy


@pytest.fixture(scope="module")
def place(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert (
        SparkSession.active().sparkContext is spark.sparkContext
    )  # the command goes on in this process; a stream may have left its own session active
    return copied(tmp_path_factory.mktemp("example") / "bank")


@pytest.fixture(scope="module")
def told(place: Path) -> list[Answer]:
    return [called(*in_folder(place, command)) for _, command, _ in STORY]


def of(told: list[Answer], verb: str) -> list[Answer]:
    return [answer for answer, (_, command, _) in zip(told, STORY, strict=True) if command[0] == verb]


def test_a_bad_day_is_contained_found_and_mended(told: list[Answer], place: Path) -> None:
    assert [answer.code for answer in told] == [code for _, _, code in STORY], [answer.err for answer in told]
    bad, good = (answer.out for answer in of(told, "read"))
    assert ("9050.00" in bad, "80.50" in bad, "Carter" in bad) == (False, True, True)
    assert ("90.50" in good, "60.00" in good, "Carter" in good) == (True, True, False)
    stopped = of(told, "build")[3]
    assert "delta 2026-03-03 is marked bad: amounts in cents" in stopped.err
    assert "muniment series unmark ledger delta 2026-03-03" in stopped.err
    assert len((place / "alerts.jsonl").read_text(encoding="utf-8").splitlines()) == 1
    plan, done = (answer.out for answer in of(told, "backfill"))
    assert plan.count("would be built again") == done.count("built again: 4 rows instead of 4") == 2
    assert "the mark on delta 2026-03-03 is cleared" in done


def test_the_strip_shows_what_each_partition_is_worth(told: list[Answer]) -> None:
    before, after = (answer.out.splitlines() for answer in of(told, "show"))
    assert before == [
        "ledger: 2026-03-01 to 2026-03-05",
        "        01 02 03 04 05",
        "dump    █  ·  ·  ·  ·",
        "delta   ·  █  ✗  █  █",
        "target  ·  █  ░  ░  ·",
        "        █ good  ░ tainted  ✗ bad",
    ]
    assert after[3:5] == ["delta   ·  █  █  █  █", "target  ·  █  █  █  █"]


def test_the_strip_is_a_picture_too_and_partitions_are_json(told: list[Answer], place: Path, run: Run, tmp_path: Path) -> None:
    assert told
    answer = run("series", "show", "ledger", "--svg", tmp_path / "strip.svg", "--project", place)
    picture = ElementTree.fromstring((tmp_path / "strip.svg").read_text(encoding="utf-8"))
    titles = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert (answer.code, len(titles), "target 2026-03-04: good" in titles) == (0, 15, True)
    rows = json.loads(run("series", "show", "ledger", "--project", place, "--output", "json").out)
    assert sum(row["quality"] == "replaced" for row in rows) == 3


def test_mistakes_are_told_with_what_to_do(told: list[Answer], place: Path, run: Run) -> None:
    assert told
    wrong = run("series", "mark", "ledger", "deltas", "2026-03-03", "--by", "j", "--reason", "r", "--project", place)
    assert (wrong.code, "A partition is a dump, a delta or a target." in wrong.err) == (2, True)
    unknown = run("series", "build", "ledgr", "2026-03-03", "--project", place)
    assert (unknown.code, "did you mean 'ledger'?" in unknown.err) == (2, True)
    nowhere = run("series", "land", "ledger", "dump", "2026-03-09", place / "nothing.csv", "--project", place)
    assert (nowhere.code, "there is nothing at" in nowhere.err) == (2, True)
