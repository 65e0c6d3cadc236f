"""The commands of belief on a real lake, made by one `muniment run`: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.cli.conftest import Answer, Run
from tests.cli.test_lake import called

CUSTOMER = """\
entity: customer
tags: [people]
key: {id: string}
attributes: {status: string, tax_id: {type: string, sensitive: true}}
precedence: [core, crm]
sources:
  core: {read: {format: json, path: landing/core}, load: partial, event_time: at}
  crm: {read: {format: json, path: landing/crm}, load: partial, event_time: at}
"""
BROKEN = """\
entity: broken
key: {id: string}
attributes: {status: string}
sources:
  feed: {read: {format: json, path: landing/nowhere}, load: partial, event_time: at}
"""
CORE = '{"id": "1", "at": "2026-03-01", "status": "Active", "tax_id": "X-77"}\n{"id": "2", "at": "2026-03-01", "status": "Active"}\n'
CRM = '{"id": "1", "at": "2026-03-02", "status": "Closed"}\n'


@pytest.fixture(scope="module")
def bank(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems that say something of two customers."""
    assert (
        SparkSession.active().sparkContext is spark.sparkContext
    )  # the command goes on in this process; a stream may have left its own session active
    folder = tmp_path_factory.mktemp("bank")
    (folder / "muniment.yml").write_text("name: bank\ninclude: [entities/*.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    for place, text in (("entities/customer.yml", CUSTOMER), ("landing/core/1.json", CORE), ("landing/crm/1.json", CRM)):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ran(bank: Path) -> Answer:
    return called("run", "--project", bank)


def test_run_lands_derives_and_resolves_in_order(ran: Answer) -> None:
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "land customer core: received 2, landed 2, set aside 0",
        "land customer crm: received 1, landed 1, set aside 0",
        "derive customer: 3 versions changed",
        "resolve customer: 3 intervals changed",
    ]


def test_plan_tells_the_same_stages_and_writes_nothing(run: Run, bank: Path, ran: Answer) -> None:
    found = json.loads(run("plan", "--select", "tag:people", "--project", bank, "--output", "json").out)
    told = [(o["stage"]["verb"], o["stage"]["source"], o["detail"]) for o in found["outcomes"]]
    assert told[:2] == [("land", "core", "nothing new"), ("land", "crm", "nothing new")]
    assert [verb for verb, _, _ in told[2:]] == ["derive", "resolve"]
    assert json.loads(run("plan", "--exclude", "tag:people", "--project", bank, "--output", "json").out)["outcomes"] == []


def test_belief_is_printed_in_all_three_forms_without_sensitive_values_in_the_table(run: Run, bank: Path, ran: Answer) -> None:
    page = run("belief", "customer", "--project", bank)
    assert page.code == 0
    assert "Closed" in page.out
    assert "X-77" not in page.out
    rows = json.loads(run("belief", "customer", "1", "--as-of", "2026-03-01T12:00", "--project", bank, "--output", "json").out)
    assert [(row["id"], row["status"], row["origin"]["status"]["source"]) for row in rows] == [("1", "Active", "core")]
    over_time = run("belief", "customer", "1", "--history", "--project", bank, "--output", "csv").out.splitlines()
    assert len(over_time) == 3


def test_why_is_a_page_and_an_object(run: Run, bank: Path, ran: Answer) -> None:
    page = run("why", "customer", "1", "status", "--project", bank)
    assert page.code == 0
    assert page.out.splitlines()[:2] == ["customer 1, status", "  Closed"]
    assert "said by crm for 2026-03-02 00:00:00" in page.out
    assert "file 1.json" in page.out
    assert "not Active of core: it is older" in page.out
    told = json.loads(run("why", "customer", "1", "status", "--project", bank, "--output", "json").out)
    assert (told["value"], told["losers"][0]["value"]) == ("Closed", "Active")
    assert "X-77" not in run("why", "customer", "1", "tax_id", "--project", bank).out


def test_a_changed_rule_set_is_compared_before_it_is_adopted(run: Run, bank: Path, ran: Answer) -> None:
    rules = bank / "new.yml"
    rules.write_text("belief:\n  rules: [{attributes: [status], rule: precedence}]\n", encoding="utf-8")
    answer = run("belief", "customer", "--rules", rules, "--diff", "--project", bank)
    assert answer.code == 0
    assert "of 2 entities 1 would be believed otherwise now, 1 at some time" in answer.out
    assert "1 status: Closed → Active" in answer.out
    assert run("belief", "customer", "--diff", "--project", bank).code == 2


@pytest.mark.heavy  # the same from Python: tests/spark/belief/test_stories.py
def test_an_override_is_made_listed_and_withdrawn(run: Run, bank: Path, ran: Answer) -> None:
    made = run("override", "customer", "2", "status=Frozen", "--by", "ann", "--reason", "court", "--project", bank)
    assert made.code == 0
    name = made.out.strip().removesuffix(")").split()[-1]
    assert "Frozen" in run("belief", "customer", "2", "--project", bank).out
    assert name in run("override", "customer", "--project", bank, "--output", "json").out
    ended = run("override", "customer", "--withdraw", name, "--by", "ann", "--reason", "lifted", "--project", bank)
    assert (ended.code, ended.out) == (0, f"customer: override {name} withdrawn\n")
    assert "Active" in run("belief", "customer", "2", "--project", bank).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("why", "customer", "nobody", "status"), "nothing was ever said of customer nobody"),
        (("why", "customer", "1", "statu"), "did you mean 'status'?"),
        (("override", "customer", "1", "status=A"), "who sets it, and why"),
        (("override", "customer", "1", "status", "--by", "a", "--reason", "b"), "sets nothing"),
    ],
)
def test_mistakes_are_answered_with_what_to_do(run: Run, bank: Path, ran: Answer, arguments: tuple[str, ...], words: str) -> None:
    answer = run(*arguments, "--project", bank)
    assert (answer.code, answer.out) == (2, "")
    assert words in answer.err


def test_a_pin_is_made_and_proved(run: Run, bank: Path, ran: Answer) -> None:
    assert "is kept: 2 entities" in run("pin", "customer", "march", "--as-of", "2026-03-31", "--project", bank).out
    assert "is as it was kept" in run("pin", "customer", "march", "--project", bank).out
    assert [row["name"] for row in json.loads(run("pin", "customer", "--project", bank, "--output", "json").out)] == ["march"]


def test_a_failure_stops_only_what_depends_on_it_and_the_worst_code_is_returned(run: Run, bank: Path, ran: Answer) -> None:
    (bank / "entities" / "broken.yml").write_text(BROKEN, encoding="utf-8")
    answer = run("run", "--project", bank)
    lines = answer.out.splitlines()
    assert lines[0].startswith("land broken feed: failed: MU-")
    assert lines[-1] == "resolve customer: 0 intervals changed"
    assert answer.code == 2
