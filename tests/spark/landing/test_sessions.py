"""The session's time zone, ansi mode and case sensitivity change no table; threads of one process do not disturb each other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project
from muniment.steps.results import Landed

from tests.spark.gate.gating import session
from tests.spark.landing.bank import Bank, write_project

OWN = {"ingest_run_id", "salt", "row_digest", "quarantine_id"}  # what is another in each run by design
DICTS: list[dict[str, Any]] = [
    {
        "customer_id": 1,
        "updated_at": "2026-03-29T01:30",
        "op": "c",
        "Name": "x",
        "seen_at": "2026-10-25 01:30:00",
        "balance": "1.50",
        "tags": ["a", None],
    },
    {
        "customer_id": "2",
        "updated_at": "2026-03-29",
        "op": "u",
        "name": None,
        "seen_at": datetime(2026, 7, 1, 9, tzinfo=UTC),
        "visits": "7",
    },
    {"customer_id": "3", "updated_at": "2026-03-29", "op": "u", "visits": "1.5"},
    {"customer_id": "4", "updated_at": "9" * 40, "op": "u"},
]
FRAME = "customer_id bigint, updated_at timestamp, op string, name date, balance double, seen_at timestamp_ntz, at struct<t:timestamp,d:decimal(20,10)>"
NAIVE = datetime(2026, 3, 29, 1, 30)  # noqa: DTZ001 - a time without a zone is what is meant
TYPED = [
    (
        1,
        datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
        "c",
        date(2026, 3, 29),
        1.25,
        NAIVE,
        (datetime(2026, 1, 1, tzinfo=UTC), Decimal("1e-10")),
    ),
    (2, datetime(1999, 1, 1, tzinfo=UTC), "u", None, 1.255, None, None),
]
CSV = "no,name,stat,modified\n1,Ann,A,29/03/2026 00:59\n2,Bob,A,29/03/2026 01:30\n3,Cid,A,never\n"
SETTINGS = (
    {"zone": "UTC", "ansi": "true", "case": "false"},
    {"zone": "Pacific/Chatham", "ansi": "false", "case": "true"},
)


def landings(bank: Bank, number: int) -> list[Landed]:
    """The same things said again, under another name each time."""
    frame = bank.project.spark.createDataFrame(TYPED, FRAME)
    when = "2026-04-01T00:00:00Z"
    return [
        bank.land("events", DICTS, batch_id=f"s{number}", received_at=when),
        bank.land("parts", frame, batch_id=f"s{number}", received_at=when),
        bank.land("tables", str(bank.put(f"landing/tables/s{number}/t.csv", CSV)), received_at=when),
    ]


def content(bank: Bank, runs: list[Landed]) -> list[list[tuple[Any, ...]]]:
    """All columns of all rows but those that are a run's own."""
    tables = []
    for name in ("bronze.customer_log", "ops.quarantine"):
        for run in runs:
            rows = [row.asDict(recursive=True) for row in bank.rows(name, run)]
            tables.append(sorted(tuple((k, str(v)) for k, v in row.items() if k not in {*OWN, "source_path"}) for row in rows))
    return tables


def test_no_setting_of_the_session_changes_a_table(bank: Bank) -> None:
    found = []
    for number, settings in enumerate(SETTINGS):
        with session(bank.project.spark, **settings):
            found.append(landings(bank, number))

    first, *others = (content(bank, runs) for runs in found)
    assert [len(table) for table in first] == [2, 1, 2, 2, 1, 1]
    for other in others:
        assert other == first


def test_two_threads_that_land_at_once_both_succeed(spark: SparkSession, tmp_path: Path) -> None:
    project = Project.open(write_project(tmp_path), spark=spark)

    def land(number: int) -> Landed:
        rows = [{"customer_id": f"{number}-{n}", "updated_at": "2026-03-01", "op": "u"} for n in range(50)]
        return project.land("customer", ("strict", "lax")[number % 2], [*rows, {"customer_id": "?"}])

    with ThreadPoolExecutor(2) as pool:
        landed = list(pool.map(land, range(2)))

    assert [(each.landed, each.quarantined) for each in landed] == [(50, 1)] * 2
    rows = project.lake.table("bronze.customer_log").read().select("customer_id", "ingest_run_id").collect()
    assert sorted((row[0], row[1]) for row in rows) == sorted((f"{n}-{k}", landed[n].run_id) for n in range(2) for k in range(50))
    assert sorted(row["run_id"] for row in project.lake.table("ops.run").read().select("run_id").collect()) == sorted(
        each.run_id for each in landed
    )
    assert project.lake.table("ops.quarantine").read().count() == 2


def test_two_threads_with_one_file_land_it_once(bank: Bank) -> None:
    bank.put("landing/events/twice/a.json", '{"customer_id": "t", "updated_at": "2026-03-01", "op": "u"}')
    with ThreadPoolExecutor(2) as pool:
        landed = list(pool.map(lambda _: bank.land("events", "landing/events/twice"), range(2)))

    assert sorted((each.landed, each.skipped) for each in landed) == [(0, 1), (1, 0)]


@pytest.fixture(autouse=True)
def _kept(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
