"""`muniment mark` and `unmark` on the runs of an ordinary entity: what they print, how they end, and who says so afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.cli.conftest import Run
from tests.cli.test_lake import called

CUSTOMER = """\
entity: customer
key: {id: string}
attributes: {status: string}
sources: {core: {read: {format: json, path: landing}, load: partial, event_time: at}}
checks: [{accepted: {status: [Active, Closed, Wrong]}, on_fail: mark}]
"""
FILES = {
    "1": '{"id": "1", "at": "2026-03-01", "status": "Active"}\n',
    "2": '{"id": "1", "at": "2026-03-02", "status": "Wrong"}\n{"id": "2", "at": "2026-03-02", "status": "Wrong"}\n',
}
SIGNED = ("--by", "jane", "--reason", "a test system")


@pytest.fixture(scope="module")
def bank(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert (
        SparkSession.active().sparkContext is spark.sparkContext
    )  # the command goes on in this process; a stream may have left its own session active
    folder = tmp_path_factory.mktemp("marked")
    (folder / "landing").mkdir()
    (folder / "muniment.yml").write_text(
        "name: bank\ninclude: [c.yml]\nlake: {path: ./lake}\nalerts: [{file: {path: alerts.jsonl}}]\n", encoding="utf-8"
    )
    (folder / "c.yml").write_text(CUSTOMER, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def bad(bank: Path) -> str:
    """The run that brought the second file, after both were derived and believed."""
    landed = ""
    for name, text in FILES.items():
        (bank / "landing" / f"{name}.json").write_text(text, encoding="utf-8")
        landed = called("land", "customer", "core", "--project", bank, "--output", "json").out
    assert called("run", "--project", bank).code == 0
    run_id: str = json.loads(landed)["run_id"]
    return run_id


def test_a_run_is_held_then_left_out_then_brought_back_and_each_says_so(run: Run, bank: Path, bad: str) -> None:
    held = run("mark", "customer", bad, *SIGNED, "--project", bank)
    assert (held.code, held.out, held.err) == (0, f"customer: run {bad} is held: derive stops before it\n", "")
    derived = run("derive", "customer", "--project", bank)
    assert (derived.code, f"run {bad} is held; nothing from it on is derived until it is unmarked or excluded" in derived.out) == (3, True)
    stopped = run("run", "--project", bank)
    assert (stopped.code, f"it stops before run {bad}, which somebody holds" in stopped.out) == (3, True)

    before = json.loads(run("why", "customer", "1", "status", "--project", bank, "--output", "json").out)
    left_out = run("mark", "customer", bad, "--exclude", *SIGNED, "--project", bank)
    assert left_out.code == 0
    assert left_out.out.splitlines() == [
        f"customer: run {bad} is left out",
        "  3 versions of history and 3 intervals of belief read otherwise now",
    ]
    why = run("why", "customer", "1", "status", "--project", bank)
    assert ("Active" in why.out, f"what run {bad} says is left out: marked by jane: a test system" in why.out) == (True, True)
    gone = run("why", "customer", "2", "status", "--project", bank)
    assert (gone.code, "nothing that counts was ever said of it" in gone.out) == (0, True)
    assert (
        "nothing is known of 2"
        in run("history", "customer", "2", "--project", bank).out + run("history", "customer", "2", "--project", bank).err
    )

    (mark,) = json.loads(run("sql", "SELECT made_at FROM ops.mark WHERE effect = 'exclude'", "--project", bank, "--output", "json").out)
    then = json.loads(run("belief", "customer", "1", "--known-at", mark["made_at"], "--project", bank, "--output", "json").out)
    assert [row["status"] for row in then] == ["Active"]
    earlier = run("why", "customer", "1", "status", "--known-at", _second_before(mark["made_at"]), "--project", bank)
    assert (before["value"], "Wrong" in earlier.out, "left out" in earlier.out) == ("Wrong", True, False)

    back = run("unmark", "customer", bad, "--by", "jane", "--reason", "it was production", "--project", bank)
    assert (back.code, back.out.splitlines()[0]) == (0, f"customer: run {bad} counts again")
    again = run("unmark", "customer", bad, "--by", "jane", "--reason", "it was production", "--project", bank, "--output", "json")
    assert (again.code, json.loads(again.out)["repeated"]) == (0, True)
    assert "Wrong" in run("why", "customer", "1", "status", "--project", bank).out


def _second_before(moment: str) -> str:
    from datetime import timedelta

    from muniment import clock

    return (clock.utc(moment) - timedelta(milliseconds=1)).isoformat()


def test_mistakes_are_told_with_what_to_do_and_nothing_is_marked(run: Run, bank: Path, bad: str) -> None:
    unknown = run("mark", "customer", "01J", *SIGNED, "--project", bank)
    assert (unknown.code, "no run 01J has landed anything of it" in unknown.err, "'muniment runs customer' lists them" in unknown.err) == (
        2, True, True,
    )  # fmt: skip
    nobody = run("mark", "custmer", bad, *SIGNED, "--project", bank)
    assert (nobody.code, "did you mean 'customer'?" in nobody.err) == (2, True)
    unsigned = run("mark", "customer", bad, "--project", bank)
    assert (unsigned.code, "--by" in unsigned.err) == (2, True)
    silent = run("mark", "customer", bad, "--by", "", "--reason", "", "--project", bank)
    assert (silent.code, "who says so, and why, is kept with a mark" in silent.err) == (2, True)
    first = json.loads(run("runs", "customer", "--project", bank, "--output", "json").out)
    landed = next(row["run_id"] for row in first if row["step"] == "land" and row["run_id"] != bad)
    unmarked = run("unmark", "customer", landed, *SIGNED, "--project", bank)
    assert (unmarked.code, f"run {landed} is not marked" in unmarked.err) == (2, True)


def test_a_file_that_fails_a_check_that_marks_is_landed_and_held(run: Run, bank: Path, bad: str) -> None:
    (bank / "landing" / "3.json").write_text('{"id": "3", "at": "2026-03-03", "status": "Asleep"}\n', encoding="utf-8")
    landed = run("land", "customer", "core", "--project", bank)
    assert (landed.code, "received 1, landed 1, set aside 0" in landed.out) == (3, True)
    assert "  1 rows fail the check accepted status, which holds the run" in landed.out.splitlines()
    assert "'muniment unmark customer " in landed.out
    assert run("derive", "customer", "--project", bank).code == 3
