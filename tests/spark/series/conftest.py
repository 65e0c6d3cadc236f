"""A project with series, one for each story, so that the stories share a lake."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project
from muniment.verbs.series import SeriesVerbs

HEAD = "name: bank\ninclude: [s*.yml]\nlake: LAKE\nalerts: [{file: {path: alerts.jsonl}}]\n"
BY_PATH = "{path: ./lake}"
LEDGER = "series: NAME\nkey: {account: string}\nevery: day\norder: [changed_at, seq]\n"
Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Bank:
    """A project, and how a test looks into it."""

    project: Project
    root: Path

    def series(self, name: str) -> SeriesVerbs:
        return self.project.series(name)

    def alerts(self) -> list[dict[str, str]]:
        file = self.root / "alerts.jsonl"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def open_bank(root: Path, spark: SparkSession, *series: str, lake: str = BY_PATH) -> Bank:
    root.mkdir(parents=True, exist_ok=True)
    (root / "muniment.yml").write_text(HEAD.replace("LAKE", lake), encoding="utf-8")
    for number, text in enumerate(series):
        (root / f"s{number}.yml").write_text(text, encoding="utf-8")
    return Bank(Project.open(root, spark=spark), root)


def ledgers(*names: str, more: str = "") -> list[str]:
    return [LEDGER.replace("NAME", name) + more for name in names]


def day(number: int) -> str:
    """A day of March 2026."""
    return f"2026-03-{number:02d}"


def rows(**balances: int) -> list[Row]:
    """A dump."""
    return [{"account": account, "balance": balance} for account, balance in balances.items()]


def changes(*, seq: int = 1, **balances: int | None) -> list[Row]:
    """A delta; None takes an account away."""
    return [
        {"account": account, "balance": balance, "changed_at": "09:00", "seq": seq, "op": "d" if balance is None else "u"}
        for account, balance in balances.items()
    ]


def balances(found: Iterable[object]) -> dict[str, int]:
    """Accounts and what is on them; each account once."""
    pairs = [(row["account"], row["balance"]) for row in found]  # type: ignore[index]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def seen(series: SeriesVerbs, at: str | None = None) -> dict[str, int]:
    return balances(series.read(at).collect())


@pytest.fixture(scope="module")
def bank(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Bank:
    names = ("plain", "around", "stopped", "again", "shape", "late", "hourly")
    hourly = LEDGER.replace("NAME", "hourly").replace("every: day", "every: hour")
    return open_bank(tmp_path_factory.mktemp("series"), spark, *ledgers(*names[:-1]), hourly)
