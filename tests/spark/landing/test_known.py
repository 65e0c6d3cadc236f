"""Only the same again is skipped: a file by place and content, a batch by its id, a load by instant and content (R30)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project
from muniment.steps.errors import AsOfMissing

from tests.spark.landing.bank import Bank, write_project

ROW: dict[str, Any] = {"customer_id": "k1", "updated_at": "2026-03-01T09:00:00Z", "op": "u", "name": "Ann"}
BAD = {**ROW, "customer_id": None}


def test_the_same_file_adds_nothing_and_a_changed_one_is_new_evidence(bank: Bank) -> None:
    line = json.dumps(ROW)
    bank.put("landing/events/known/a.json", f"{line}\n{json.dumps(BAD)}\n")
    first = bank.land("events", "landing/events/known")
    before = {name: bank.count(name) for name in ("bronze.customer_log", "ops.quarantine")}
    again = bank.land("events", "landing/events/known")

    assert (first.landed, first.quarantined) == (1, 1)
    assert (again.received, again.skipped) == (0, 1)
    assert any("landed before" in text for text in again.messages)
    assert {name: bank.count(name) for name in before} == before

    bank.put("landing/events/known/a.json", f"{line}\n{line}\n")
    bank.put("landing/events/known/b.json", f"{line}\n{json.dumps(BAD)}\n")  # what a.json held before
    changed = bank.land("events", "landing/events/known")

    assert (changed.received, changed.landed, changed.quarantined, changed.skipped) == (4, 3, 1, 0)
    assert any("a.json has changed" in text for text in changed.messages)
    assert not any("b.json" in text for text in changed.messages)
    ids = {row["assertion_id"] for row in (*bank.log(first, "assertion_id"), *bank.log(changed, "assertion_id"))}
    assert len(ids) == 1  # evidence four times, one thing said (R6)


def test_a_batch_is_known_by_its_id_and_rows_without_one_are_new_each_time(bank: Bank) -> None:
    first, again = (bank.land("events", [ROW, BAD], batch_id="b-1") for _ in range(2))
    other = bank.land("events", [ROW], batch_id="b-2")
    anonymous = [bank.land("events", [ROW]) for _ in range(2)]

    assert (first.landed, first.quarantined, first.skipped) == (1, 1, 0)
    assert (again.received, again.skipped) == (0, 1)
    assert any("b-1" in text for text in again.messages)
    assert [each.landed for each in (other, *anonymous)] == [1, 1, 1]


def test_a_load_is_known_by_its_instant_and_all_that_it_brings(bank: Bank) -> None:
    people = [{"customer_id": "d1", "name": "Ann"}, {"customer_id": "d2", "name": "Bob"}]
    first = bank.land("daily", people, as_of="2026-03-01T09:00")
    again = bank.land("daily", people[::-1], as_of="2026-03-01T10:00+01:00")
    later = bank.land("daily", people, as_of="2026-03-02T09:00")
    with_bad = bank.land("daily", [*people, {"name": "nobody"}], as_of="2026-03-01T09:00")

    assert (first.landed, again.received, again.skipped, later.landed) == (2, 0, 1, 2)
    assert any(first.run_id in text for text in again.messages)
    assert (with_bad.received, with_bad.quarantined, with_bad.held) == (3, 1, True)  # what was set aside was not there before
    headers = [bank.headers(run) for run in (first, again, later, with_bad)]
    assert [[(h["rows"], h["carried"], h["complete"]) for h in each] for each in headers] == [
        [(2, {"[]": 2}, True)], [], [(2, {"[]": 2}, True)], [(2, {"[]": 2}, False)],
    ]  # fmt: skip
    assert [h[0]["load_ts"].astimezone(UTC).day for h in headers if h] == [1, 2, 1]


def test_an_empty_load_is_a_load_that_was_seen(bank: Bank) -> None:
    landed = bank.land("daily", [], as_of="2026-03-05T09:00")

    assert (landed.received, landed.held) == (0, True)  # an empty load deletes nothing until a person accepts it (R17)
    assert [(h["rows"], h["carried"]) for h in bank.headers(landed)] == [(0, {"[]": 0})]
    with pytest.raises(AsOfMissing):
        bank.land("daily", [])


def test_the_part_files_of_a_folder_are_one_load_and_a_folder_without_its_marker_waits(bank: Bank) -> None:
    for number in range(12):
        bank.put(f"landing/branch/20260701/part-{number:02d}.csv", f"customer_id,name,region\nx{number},N{number},{'NS'[number % 2]}\n")
    bank.put("landing/branch/20260701/_SUCCESS", "")
    bank.put("landing/branch/20260702/part-00.csv", "customer_id,name,region\nx0,N0,N\n")
    landed = bank.land("branch")

    assert landed.landed == 12
    assert [text for text in landed.messages if "waits" in text and "20260702" in text]
    (header,) = bank.headers(landed)
    assert (header["rows"], len(header["files"]), header["carried"], header["complete"]) == (12, 12, {'["N"]': 6, '["S"]': 6}, True)
    assert header["load_ts"].astimezone(UTC) == datetime(2026, 7, 1, 17, tzinfo=UTC)
    assert {row["source_event_ts"] for row in bank.log(landed, "source_event_ts")} == {header["load_ts"]}

    bank.put("landing/branch/20260702/_SUCCESS", "")
    second = bank.land("branch")
    assert (second.landed, second.skipped, len(bank.headers(second))) == (1, 12, 1)


def test_a_load_with_a_row_set_aside_or_a_file_refused_says_nothing_of_absence(bank: Bank) -> None:
    bank.put("landing/branch/20260801/a.csv", "customer_id,name,region\nx0,N0,N\n,nobody,N\n")
    bank.put("landing/branch/20260802/a.csv", "customer_id,name,region\nx0,N0,N\n")
    bank.put("landing/branch/20260802/b.csv", "customer_id,name,name\nx0,N0,N\n")
    for day in ("20260801", "20260802"):
        bank.put(f"landing/branch/{day}/_SUCCESS", "")
    landed = bank.land("branch", "landing/branch/2026080*/*")

    assert (landed.held, dict(landed.reasons)) == (True, {"key_missing": 1, "file_unreadable": 1})
    assert [(h["complete"], bool(h["note"])) for h in bank.headers(landed)] == [(False, True)] * 2


def test_a_dry_run_says_what_would_happen_and_writes_nothing(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = write_project(tmp_path_factory.mktemp("dry"))
    landed = Project.open(root, spark=spark).land("customer", "events", [ROW, BAD, {**ROW, "visits": "x"}], dry_run=True)

    assert (landed.received, landed.landed, dict(landed.reasons), landed.dry_run) == (3, 1, {"key_missing": 1, "value_cast": 1}, True)
    assert [path for path in root.rglob("*") if path.suffix in (".parquet", ".json") or path.name == "_delta_log"] == []


def test_a_dry_run_on_a_lake_that_is_there_adds_no_version(bank: Bank) -> None:
    bank.land("events", [ROW])
    names = bank.project.lake.names()
    before = {name: bank.project.lake.table(name).version() for name in names}
    landed = bank.land("events", [ROW, BAD], dry_run=True)

    assert (landed.received, landed.landed) == (2, 1)
    assert {name: bank.project.lake.table(name).version() for name in bank.project.lake.names()} == before
