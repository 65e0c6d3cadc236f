"""Commands on a real lake: two deliveries land once for all tests, and each test looks at or adds its own part."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.cli.main import main

from tests.cli.conftest import Answer, Run

CORE = """\
{"customer_id": "C-1", "op": "u", "status": "Restricted", "updated_at": "2026-03-02T09:30:00Z"}
{"customer_id": null, "op": "u", "status": "Closed", "updated_at": "2026-03-02T10:10:00Z"}
{"customer_id": "C-3", "op": "u", "city": "Bristol", "updated_at": "0001-01-01T00:00:00Z"}
{"customer_id": "C-4", "op": "u", "status": "Dormant", "updated_at": "2026-03-02T11:00:00Z"}
{"customer_id": "C-5", "op": "u", "status": "Asleep", "updated_at": "2026-03-02T12:00:00Z"}
"""
SHORT_CRM = "customer_id,name,status,city\nC-1,Jane Archer,Active,York\n,Nobody,Active,Hull\n"


def called(*arguments: str | Path) -> Answer:
    """One call outside of a test, for what all tests share."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return Answer(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def bank(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project that `init` writes, with another file of the core system in it."""
    assert (
        SparkSession.active().sparkContext is spark.sparkContext
    )  # the command goes on in this process; a stream may have left its own session active
    folder = tmp_path_factory.mktemp("the bank's folder")
    called("init", folder)
    (folder / "landing" / "core" / "core_20260302.json").write_text(CORE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def crm(bank: Path) -> Answer:
    """The branches' files, landed from a folder inside the project."""
    return called("land", "customer", "crm", "--project", bank)


@pytest.fixture(scope="module")
def core(bank: Path, crm: Answer) -> Answer:
    """The core system's file, landed as JSON output."""
    return called("land", "customer", "core", "--project", bank, "--output", "json")


@pytest.fixture
def aside(run: Run, bank: Path, core: Answer) -> dict[str, str]:
    """What was set aside: the raw row's customer or status → its id."""
    rows = json.loads(run("quarantine", "customer", "--all", "--project", bank, "--output", "json").out)
    return {json.loads(row["raw"]).get("status") or "Bristol": row["quarantine_id"] for row in rows if row["source_system"] == "core"}


def test_the_project_of_init_lands_without_a_mistake(crm: Answer) -> None:
    assert (crm.code, crm.err) == (0, "")
    assert crm.out.startswith("customer from crm (run ")
    assert crm.out.endswith("): received 6, landed 6, set aside 0\n")


def test_land_as_json_is_the_result_itself(core: Answer) -> None:
    assert core.code == 0
    result = json.loads(core.out)
    counts = {name: result[name] for name in ("entity", "source", "received", "landed", "quarantined", "ignored", "skipped", "held")}
    assert counts == {
        "entity": "customer", "source": "core", "received": 5, "landed": 1, "quarantined": 4, "ignored": 0, "skipped": 0, "held": False,
    }  # fmt: skip
    assert result["reasons"] == {"key_missing": 1, "event_time_impossible": 1, "check_failed": 2}


def test_a_path_is_relative_to_the_working_directory_and_a_file_landed_before_adds_nothing(
    run: Run, bank: Path, crm: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bank / "landing" / "core")
    answer = run("land", "customer", "crm", "../crm/crm_20260301.csv")
    assert answer.code == 0
    assert answer.out.splitlines()[0] == "customer from crm: nothing new"
    assert "1 file landed before" in answer.out


def test_a_dry_run_says_what_would_be_set_aside_in_words_and_writes_nothing(run: Run, bank: Path, core: Answer, tmp_path: Path) -> None:
    file = tmp_path / "core_20260303.json"
    file.write_text(CORE, encoding="utf-8")
    before = json.loads(run("runs", "--project", bank, "--output", "json").out)
    answer = run("land", "customer", "core", file, "--dry-run", "--project", bank)
    assert answer.code == 0
    assert answer.out.splitlines()[:2] == [
        "customer from core (dry run, nothing is written): received 5, landed 1, set aside 4",
        "  4 set aside: 2 × failed check, 1 × impossible event time, 1 × no key",
    ]
    assert json.loads(run("runs", "--project", bank, "--output", "json").out) == before


def test_quarantine_lists_what_waits_in_words_and_names_the_next_command(run: Run, bank: Path, core: Answer) -> None:
    answer = run("quarantine", "customer", "--reason", "key_missing", "--project", bank)
    assert answer.code == 0
    assert "customer_id: missing or null" in answer.out
    assert "impossible event time" not in answer.out
    assert "muniment quarantine release|reject customer ID… --by NAME --reason WHY" in answer.out


def test_a_reason_that_does_not_exist_is_answered_with_the_nearest(run: Run, bank: Path) -> None:
    answer = run("quarantine", "customer", "--reason", "key_mising", "--project", bank)
    assert (answer.code, answer.out) == (2, "")
    assert "did you mean 'key_missing'?" in answer.err


def test_a_row_is_released_once_by_the_beginning_of_its_id(run: Run, bank: Path, aside: dict[str, str]) -> None:
    command = ("quarantine", "release", "customer", aside["Dormant"][:12], "--by", "jane", "--reason", "new status", "--project", bank)
    assert run(*command).out.splitlines()[0] == "customer: released 1, refused 0, decided before 0"
    assert run(*command).out.splitlines()[0] == "customer: released 0, refused 0, decided before 1"
    landed = run("sql", "SELECT count(*) AS n FROM bronze.customer_log WHERE status = 'Dormant'", "--project", bank, "--output", "csv")
    assert landed.out == "n\n1\n"


def test_a_rejected_row_no_longer_waits_and_is_kept(run: Run, bank: Path, aside: dict[str, str]) -> None:
    answer = run("quarantine", "reject", "customer", aside["Asleep"], "--by", "jane", "--reason", "a joke", "--project", bank)
    assert (answer.code, answer.out) == (0, "customer: rejected 1\n")
    rows = json.loads(run("quarantine", "customer", "--all", "--project", bank, "--output", "json").out)
    assert [row["status"] for row in rows if row["quarantine_id"] == aside["Asleep"]] == ["rejected"]


def test_an_id_that_nothing_has_is_the_users_mistake(run: Run, bank: Path, core: Answer) -> None:
    answer = run("quarantine", "reject", "customer", "nothing", "--by", "jane", "--reason", "none", "--project", bank)
    assert (answer.code, answer.out) == (2, "")
    assert "there is no id 'nothing'" in answer.err


def test_a_held_load_exits_3_until_somebody_accepts_it(run: Run, bank: Path, crm: Answer, tmp_path: Path) -> None:
    file = tmp_path / "crm_20260303.csv"
    file.write_text(SHORT_CRM, encoding="utf-8")
    answer = run("land", "customer", "crm", file, "--project", bank)
    assert answer.code == 3
    words = answer.out.splitlines()[-1].split()
    assert words[:4] == ["muniment", "quarantine", "accept", "customer"]
    assert "1 of its rows were set aside" in answer.out
    accepted = run(*words[1:5], "--by", "jane", "--reason", "they left", "--project", bank)
    assert accepted.code == 0
    assert f"load {words[4]} accepted" in accepted.out
    assert "held:" not in run("quarantine", "customer", "--project", bank).out


def test_status_shows_each_source_with_its_contract(run: Run, bank: Path, core: Answer) -> None:
    rows = list(csv.DictReader(io.StringIO(run("status", "--project", bank, "--output", "csv").out)))
    assert [(row["entity"], row["source"], row["contract"]) for row in rows] == [
        ("customer", "core", "DEFENSIBLE"),
        ("customer", "crm", "DEFENSIBLE"),
    ]


def test_runs_are_listed_newest_first_as_many_as_asked_for(run: Run, bank: Path, core: Answer) -> None:
    rows = json.loads(run("runs", "customer", "--project", bank, "--output", "json").out)
    ids = [row["run_id"] for row in rows]
    assert ids == sorted(ids, reverse=True)
    newest = run("runs", "customer", "--limit", "1", "--project", bank)
    assert ids[0] in newest.out
    assert ids[1] not in newest.out
    assert "--limit" in newest.err


def test_sql_gives_exact_values_and_times_in_utc(run: Run, bank: Path, crm: Answer) -> None:
    query = (
        "SELECT TIMESTAMP'2026-07-01T09:00:00.000001+02:00' AS t, 12345678901234567.89BD AS d, CAST(NULL AS string) AS n, 'a,\"b\"' AS s"
    )
    assert json.loads(run("sql", query, "--project", bank, "--output", "json").out, parse_float=str) == [
        {"t": "2026-07-01T07:00:00.000001Z", "d": "12345678901234567.89", "n": None, "s": 'a,"b"'}
    ]
    assert list(csv.reader(io.StringIO(run("sql", query, "--project", bank, "--output", "csv").out))) == [
        ["t", "d", "n", "s"],
        ["2026-07-01T07:00:00.000001Z", "12345678901234567.89", "", 'a,"b"'],
    ]


def test_sql_knows_tables_by_the_names_people_see(run: Run, bank: Path, crm: Answer) -> None:
    query = "SELECT customer_id FROM bronze.customer_log WHERE source_file = 'crm_20260302.csv' ORDER BY customer_id"
    answer = run("sql", query, "--project", bank, "--output", "csv")
    assert answer.out.split() == ["customer_id", "C-1", "C-2", "C-4"]


def test_an_empty_answer_is_valid_in_every_form(run: Run, bank: Path, crm: Answer) -> None:
    query = "SELECT customer_id FROM bronze.customer_log WHERE false"
    assert json.loads(run("sql", query, "--project", bank, "--output", "json").out) == []
    assert run("sql", query, "--project", bank, "--output", "csv").out == "customer_id\n"
    assert run("sql", query, "--project", bank).err == "no rows\n"


@pytest.mark.parametrize("statement", ["DROP TABLE bronze.customer_log", "DELETE FROM bronze.customer_log"])
def test_sql_refuses_what_is_no_query(run: Run, bank: Path, crm: Answer, statement: str) -> None:
    answer = run("sql", statement, "--project", bank)
    assert (answer.code, answer.out) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [(("land", "custmer", "crm"), "customer"), (("land", "customer", "cmr"), "crm"), (("verify", "customr"), "customer")],
)
def test_an_unknown_name_is_answered_with_the_nearest(run: Run, bank: Path, arguments: tuple[str, ...], hint: str) -> None:
    answer = run(*arguments, "--project", bank)
    assert (answer.code, answer.out) == (2, "")
    assert f"did you mean '{hint}'?" in answer.err


def test_a_time_that_is_none_is_refused(run: Run, bank: Path) -> None:
    answer = run("land", "customer", "crm", "--as-of", "yesterday", "--project", bank)
    assert answer.code == 2
    assert "'yesterday' is not a time" in answer.err


def test_a_scope_that_is_no_pair_is_refused(run: Run, bank: Path) -> None:
    answer = run("land", "customer", "crm", "--scope", "north", "--project", bank)
    assert answer.code == 2
    assert "name=value" in answer.err


def test_maintain_reports_each_table_and_refuses_to_vacuum_what_is_young(run: Run, bank: Path, crm: Answer) -> None:
    tables = {row["table"] for row in json.loads(run("maintain", "customer", "--project", bank, "--output", "json").out)}
    assert {"bronze.customer_log", "bronze.customer_load"} <= tables
    answer = run("maintain", "customer", "--vacuum", "--retention", "1 hour", "--project", bank)
    assert answer.code == 2
    assert "MU-LAKE-005" in answer.err


@pytest.fixture
def settings(spark: SparkSession) -> Iterator[None]:
    """The demo's own settings end with it, because the session is everybody's."""
    names = ("spark.sql.codegen.wholeStage", "spark.sql.codegen.factoryMode", "spark.sql.shuffle.partitions")
    before = {name: str(spark.conf.get(name)) for name in names}
    yield
    for name, value in before.items():
        spark.conf.set(name, value)


@pytest.mark.heavy  # .ci/run calls make demo, which ends with 1 if the lake does not verify or the second one differs
@pytest.mark.usefixtures("settings")
def test_demo_tells_its_story_and_ends_with_a_lake_that_verifies(run: Run, tmp_path: Path) -> None:
    lake = tmp_path / "demo"
    answer = run("demo", "--keep", lake)
    assert answer.code == 0
    assert "received 8, landed 3, set aside 5" in answer.out
    assert "nothing new" in answer.out
    assert "has changed since it was landed" in answer.out
    assert "have no sequence that orders them" in answer.out
    assert "late: received after something newer" in answer.out
    assert "16 versions here, 16 there; 0 only here, 0 only there" in answer.out
    assert f"The lake is in {lake / 'lake'}" in answer.out
    assert run("demo", "--keep", lake).code == 2

    assert run("verify", "--project", lake).code == 0
    logs = lake / "lake" / "bronze" / "customer_log"
    commits = (json.loads(line) for entry in sorted(logs.glob("_delta_log/*.json")) for line in entry.read_text().splitlines())
    (logs / next(action["add"]["path"] for action in commits if "add" in action)).unlink()
    found = run("verify", "customer", "--project", lake, "--output", "json")
    assert found.code == 1
    result = json.loads(found.out)
    assert result["ok"] is False
    assert result["problems"]
