"""Received = landed + quarantined + ignored, whatever comes, and what is set aside is there to be read (R18, R19)."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession

from tests.spark.landing.bank import Bank

GOOD: dict[str, Any] = {"customer_id": "c1", "updated_at": "2026-03-01T09:00:00Z", "op": "u", "name": "Ann"}
LINES: list[tuple[str, str | None]] = [
    (json.dumps(GOOD), None),
    ("", "blank"),
    (json.dumps({**GOOD, "customer_id": None}), "key_missing"),
    (json.dumps({**GOOD, "updated_at": "0001-01-01"}), "event_time_impossible"),
    (json.dumps({**GOOD, "updated_at": None}), "event_time_missing"),
    (json.dumps({**GOOD, "op": "?"}), "op_unknown"),
    (json.dumps({**GOOD, "visits": 1.5}), "value_cast"),
    (json.dumps({**GOOD, "balance": "12345678901.00"}), "value_cast"),
    (json.dumps({**GOOD, "lsn": "x"}), "sequence_cast"),
    ('{"customer_id": "c1", "upda', "unreadable"),
    ("[1, 2]", "unreadable"),
    ("5", "unreadable"),
    ("null", "unreadable"),
    (f"[{json.dumps(GOOD)}, {json.dumps(GOOD)}]", "unreadable"),
    ("\ufffd\x00\x01 not json", "unreadable"),
    ('{"customer_id": "c2", "updated_at": "2026-03-01", "op": "u", "name": "x", "name": "y"}', None),
    ('{"a":' * 2000 + "1" + "}" * 2000, "unreadable"),
]  # fmt: skip


def test_every_line_of_a_file_lands_or_waits_with_its_reason(bank: Bank) -> None:
    wanted = [(line, reason) for line, reason in LINES if reason != "blank"]
    bank.put("landing/events/bad.json", "\n".join(line for line, _ in LINES) + "\n")
    landed = bank.land("events", "landing/events/bad.json")

    aside = bank.aside(landed, "reason", "raw", "source_path", "source_file", "source_type")
    assert landed.received == len(wanted)
    assert sorted((row["reason"], row["raw"]) for row in aside) == sorted((reason, line) for line, reason in wanted if reason)
    assert {tuple(row)[2:] for row in aside} == {("landing/events/bad.json", "bad.json", "json")}
    assert landed.landed == len(bank.log(landed)) == sum(reason is None for _, reason in wanted)

    (run,) = bank.rows("ops.run", landed)
    assert {name: run["counts"][name] for name in ("received", "landed", "quarantined", "ignored")} == {
        "received": landed.received, "landed": landed.landed, "quarantined": landed.quarantined, "ignored": 0,
    }  # fmt: skip
    assert run["reasons"] == dict(landed.reasons)


def test_a_document_that_cannot_be_read_is_set_aside_and_not_lost(bank: Bank) -> None:
    bank.put("landing/documents/good.json", json.dumps([GOOD, None, {**GOOD, "customer_id": "c2"}], indent=2))
    bank.put("landing/documents/one.json", json.dumps(GOOD, indent=2))
    bank.put("landing/documents/broken.json", '[\n{"customer_id": "c1"')
    landed = bank.land("documents")

    assert (landed.received, landed.landed, dict(landed.reasons)) == (5, 3, {"unreadable": 2})
    assert sorted(row["source_file"] for row in bank.aside(landed)) == ["broken.json", "good.json"]


def test_a_row_of_a_table_that_does_not_fit_its_header_keeps_all_that_came(bank: Bank) -> None:
    header = "no,name,stat,modified\n"
    bank.put(
        "landing/tables/odd.csv",
        f'{header}1,Ann,Active,01/07/2026 09:30\n2,Bob,Active,01/07/2026 09:30,"too, much"\n3,Cid\n4,,,01/07/2026 10:00\n',
    )
    landed = bank.land("tables", "landing/tables/odd.csv")

    assert (landed.received, landed.landed, dict(landed.reasons)) == (4, 2, {"unreadable": 2})
    assert ["too, much" in row["raw"] or "Cid" in row["raw"] for row in bank.aside(landed)] == [True, True]
    rows = bank.log(landed, "customer_id", "name", "asserted", "source_event_ts")
    assert [(row[0], row[1], row[2]) for row in rows] == [("1", "Ann", ["name", "status"]), ("4", None, ["name", "status"])]
    assert [row["source_event_ts"].astimezone(UTC) for row in rows] == [
        datetime(2026, 7, 1, hour, 30 * (hour == 8), tzinfo=UTC) for hour in (8, 9)
    ]


def test_broken_files_are_refused_as_a_whole_and_the_others_land(bank: Bank, spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [(f"p{n}", "2026-03-01T09:00:00Z", "c", "x" * 200 + str(n)) for n in range(500)],
        "customer_id string, updated_at string, op string, name string",
    )
    frame.coalesce(1).write.option("compression", "none").parquet(str(bank.root / "made"))
    (made,) = (bank.root / "made").glob("*.parquet")
    whole = made.read_bytes()
    bank.put("landing/parts/good.parquet", whole)
    bank.put("landing/parts/cut.parquet", whole[: len(whole) // 2])
    bank.put("landing/parts/spoilt.parquet", whole[:400] + b"\xff" * 2000 + whole[2400:])
    bank.put("landing/parts/empty.parquet", b"")
    landed = bank.land("parts")

    aside = bank.aside(landed, "reason", "source_file", "detail")
    assert [(row["reason"], row["source_file"]) for row in aside] == [
        ("file_unreadable", name) for name in ("cut.parquet", "empty.parquet", "spoilt.parquet")
    ]
    assert (landed.received, landed.landed, landed.quarantined) == (503, 500, 3)
    assert {row["source_file"] for row in bank.log(landed, "source_file")} == {"good.parquet"}
    assert sum("refused as a whole" in message for message in landed.messages) == 3


def test_a_broken_gzip_is_refused_as_a_whole(bank: Bank) -> None:
    lines = "no,name,stat,modified\n" + "".join(f"g{n},{'name' * 50}{n * 7919 % 1000},A,01/07/2026 09:30\n" for n in range(3000))
    whole = gzip.compress(lines.encode())
    bank.put("landing/tables/z/good.csv.gz", whole)
    bank.put("landing/tables/z/cut.csv.gz", whole[: len(whole) * 2 // 3])
    bank.put("landing/tables/z/flipped.csv.gz", whole[:12] + bytes(255 - byte for byte in whole[12:40]) + whole[40:])
    landed = bank.land("tables", "landing/tables/z")

    assert (landed.received, landed.landed, dict(landed.reasons)) == (3002, 3000, {"file_unreadable": 2})
    assert {row["source_file"] for row in bank.log(landed, "source_file")} == {"good.csv.gz"}


def test_a_source_without_a_stable_key_never_reaches_the_log(bank: Bank) -> None:
    before = bank.count("bronze.customer_log")
    bank.put("landing/nameless/a.json", json.dumps(GOOD))
    landed = bank.land("nameless")

    assert (landed.received, landed.landed, dict(landed.reasons)) == (1, 0, {"no_stable_key": 1})
    assert bank.count("bronze.customer_log") == before
    contract = bank.project.lake.table("ops.contract").read().where("source = 'nameless'").collect()
    assert [row["status"] for row in contract] == ["REJECT_FOR_AUTHORITATIVE_BRONZE"]


def test_undeclared_columns_follow_the_sources_policy(bank: Bank) -> None:
    row = {**GOOD, "colour": "red"}
    kept, strict, lax = (bank.land(source, [row, GOOD]) for source in ("platform", "strict", "lax"))

    assert [(each.landed, dict(each.reasons)) for each in (kept, strict, lax)] == [(2, {}), (1, {"undeclared_column": 1}), (2, {})]
    assert any("nobody declared" in text and "kept in payload" in text for text in kept.messages)
    assert {"  attributes:", "    colour: string"} <= set(kept.messages)
    assert any("ignored" in text for text in lax.messages)
    assert [row["payload"] for row in bank.log(lax, "payload")] == [None, None]
    assert any("red" in (row["payload"] or "") for row in bank.log(kept, "payload"))


def test_a_source_without_time_is_kept_on_platform_time(bank: Bank) -> None:
    landed = bank.land("platform", [{"customer_id": "t1", "name": "x"}], received_at="2026-05-01T10:00:00.000001")
    frame = bank.project.lake.table("bronze.customer_log").read().where(f"ingest_run_id = '{landed.run_id}'")
    (row,) = frame.selectExpr("unix_micros(source_event_ts) AS at", "unix_micros(ingest_ts) AS received", "time_basis").collect()
    assert (row["at"], row["received"], row["time_basis"]) == (1777629600000001, 1777629600000001, "PLATFORM")


def test_a_delta_table_is_known_by_its_version(bank: Bank, spark: SparkSession) -> None:
    path = str(bank.root / "landing/shares")
    frame = spark.createDataFrame(
        [("d1", "2026-03-01", "Ann"), ("d2", "soon", "Bob")], "customer_id string, updated_at string, name string"
    )
    frame.write.format("delta").save(path)
    first, again = bank.land("shares"), bank.land("shares")
    frame.limit(1).write.format("delta").mode("append").save(path)
    grown = bank.land("shares")

    assert (first.landed, dict(first.reasons)) == (1, {"event_time_impossible": 1})
    assert (again.received, again.skipped) == (0, 1)
    assert grown.received == 3
