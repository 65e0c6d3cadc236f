"""init, check and schema: the first minute with Muniment."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def started(run: Run, tmp_path: Path) -> Path:
    assert run("init", tmp_path / "bank").code == 0
    return tmp_path / "bank"


def test_init_writes_a_project_in_which_check_finds_no_mistake(run: Run, started: Path) -> None:
    answer = run("check", "--project", started)
    assert answer.code == 0
    assert answer.out.startswith("my-bank: 1 entity, 2 sources, no mistakes\n")


def test_init_writes_configuration_data_and_what_git_should_leave_alone(started: Path) -> None:
    written = {path.relative_to(started).as_posix() for path in started.rglob("*") if path.is_file()}
    assert {"muniment.yml", "entities/customer.yml", ".gitignore"} <= written
    assert {name.split("/")[1] for name in written if name.startswith("landing/")} == {"crm", "core"}


def test_init_ends_with_the_next_two_commands(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", "bank").out.splitlines()[-2:] == ["  cd bank && muniment check", "  muniment land customer crm"]
    monkeypatch.chdir(tmp_path / "bank")
    assert run("check").code == 0


def test_init_never_writes_over_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "muniment.yml").write_text("mine", encoding="utf-8")
    answer = run("init", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert "MU-CLI-002" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["muniment.yml"]
    assert (tmp_path / "muniment.yml").read_text(encoding="utf-8") == "mine"


def test_check_says_what_the_gate_thinks_of_a_source_that_promises_little(run: Run, started: Path) -> None:
    (started / "entities" / "branch.yml").write_text("entity: branch\nkey: {code: string}\nsources:\n  sheet: {}\n", encoding="utf-8")
    rows = json.loads(run("check", "--project", started, "--output", "json").out)
    found = {(row["entity"], row["source"]): row for row in rows}
    assert found["customer", "crm"]["contract"] == "DEFENSIBLE"
    assert found["branch", "sheet"]["contract"] == "LIMITED_FALLBACK_ONLY"
    assert [reason.split(":")[0] for reason in found["branch", "sheet"]["reasons"]] == [
        "no source time",
        "no declared load type",
        "no delete semantics",
    ]


def test_check_as_csv_has_a_header_and_a_row_per_source(run: Run, started: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("--output", "csv", "check", "--project", started).out)))
    assert [(row["entity"], row["source"]) for row in rows] == [("customer", "crm"), ("customer", "core")]


def test_check_shows_every_mistake_with_file_and_line_and_no_stack(run: Run, started: Path) -> None:
    (started / "muniment.yml").write_text("name: x\ninclude: [entities/*.yml]\nlak: {path: ./lake}\n", encoding="utf-8")
    (started / "entities" / "customer.yml").write_text("entity: customer\nkey: {id: strng}\n", encoding="utf-8")
    answer = run("check", "--project", started)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("MU-CONF-001 ")
    assert "muniment.yml:3: " in answer.err
    assert "entities/customer.yml:2: " in answer.err
    assert "Traceback" not in answer.err


def test_schema_is_json_and_knows_the_names_people_type(run: Run) -> None:
    answer = run("schema")
    assert answer.code == 0
    schema = json.loads(answer.out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "precedence" in json.dumps(schema["$defs"])


def test_the_nearest_project_upwards_is_taken(run: Run, started: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(started / "landing" / "crm")
    assert run("check").out.startswith("my-bank: ")


@pytest.mark.parametrize("arguments", [(), ("--project", "nowhere")])
def test_a_missing_project_is_the_users_mistake(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = run("check", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("MU-CLI-001 ")
    assert "muniment init" in answer.err


def test_a_target_that_does_not_exist_is_a_mistake(run: Run, started: Path) -> None:
    answer = run("check", "--project", started, "--target", "prod")
    assert answer.code == 2
    assert "prod" in answer.err


def test_shared_options_mean_the_same_before_and_after_the_command(run: Run, started: Path) -> None:
    before = run("--project", started, "--output", "json", "check")
    after = run("check", "--project", started, "--output", "json")
    assert before == after
    assert before.code == 0


def test_what_stands_after_the_command_goes_first(run: Run, started: Path) -> None:
    answer = run("--output", "csv", "check", "--project", started, "--output", "json")
    assert isinstance(json.loads(answer.out), list)


@pytest.mark.parametrize(
    "arguments", [("chek",), ("land",), ("check", "--outptu", "json"), ("check", "--output", "xml"), ("quarantine", "release", "customer")]
)
def test_a_slip_of_the_finger_is_the_users_mistake(run: Run, arguments: tuple[str, ...]) -> None:
    answer = run(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert "help" in answer.err


def test_retention_without_vacuum_is_refused_before_anything_starts(run: Run, started: Path) -> None:
    answer = run("maintain", "--retention", "30 days", "--project", started)
    assert (answer.code, answer.out) == (2, "")
    assert "--vacuum" in answer.err


def test_a_duration_that_is_none_is_refused(run: Run, started: Path) -> None:
    answer = run("maintain", "--vacuum", "--retention", "soon", "--project", started)
    assert answer.code == 2
    assert "'soon' is not a duration" in answer.err
