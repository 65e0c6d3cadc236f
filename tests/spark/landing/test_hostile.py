"""Hostile names and values work or are refused with a code; nothing is executed and nothing is written outside the lake (R19)."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from muniment.arrival.errors import BadRows, PathLeavesProject, PlaceMissing
from muniment.errors import UnknownName

from tests.spark.landing.bank import Bank

NAMES = (
    "it's.json", 'a "b".json', "a b.json", "100%25.json", "[x]{y}?.json", "ü-é-e\u0301-日本.json", "a\u00a0b.json", "$(touch x);`id`.json",
    "<b>&amp;.json", "back\\slash.json", "new\nline.json", "--help.json", "a#b=c&d+e.json", "🙂.json",
)  # fmt: skip
VALUES = (
    "'; DROP TABLE customer; --", '" OR 1=1', "<script>alert(1)</script>", "${spark.home} ${env:HOME} $(id)", "a\0b", "line\nbreak\r\n\ttab",
    "`x`", "\\", "\u202e\ufeff", "n0:", "null", "", " ",
)  # fmt: skip
ROW: dict[str, Any] = {"customer_id": "h", "updated_at": "2026-03-01T09:00:00Z", "op": "u"}


def everything_outside(bank: Bank) -> set[str]:
    """All there is around the lake."""
    return {str(path) for path in bank.root.parent.rglob("*") if bank.root / "lake" not in (path, *path.parents)}


def test_files_may_have_any_name(bank: Bank) -> None:
    for number, name in enumerate(NAMES):
        bank.put(f"landing/events/names/{name}", json.dumps({**ROW, "customer_id": f"n{number}"}))
    before = everything_outside(bank)
    landed = bank.land("events", "landing/events/names")

    rows = bank.log(landed, "customer_id", "source_file", "source_path")
    found = {row["customer_id"]: (row["source_file"], row["source_path"]) for row in rows}
    assert found == {f"n{number}": (name, f"landing/events/names/{name}") for number, name in enumerate(NAMES)}
    assert everything_outside(bank) == before


def test_a_name_that_hadoop_cannot_take_is_refused_and_said(bank: Bank) -> None:
    """A colon below a folder with brackets in its name: Hadoop can escape the one only where the other is not."""
    bank.put("landing/events/colon/a:b.json", json.dumps(ROW))
    bank.put("landing/events/colon/ab.json", json.dumps(ROW))
    landed = bank.land("events", "landing/events/colon")

    assert (landed.landed, [(row["reason"], row["source_file"]) for row in bank.aside(landed)]) == (1, [("file_unreadable", "a:b.json")])


def test_columns_may_have_any_name_and_values_any_text(bank: Bank) -> None:
    before = everything_outside(bank)
    rows = [{**ROW, "customer_id": f"v{number}{value}", "name": value, value or "empty": value} for number, value in enumerate(VALUES)]
    landed = bank.land("events", rows)
    text = io.StringIO()
    csv.writer(text).writerows(
        [["no", "name", "stat", "modified", "a`b", "x.y", "DROP TABLE"], ["w1", VALUES[0], VALUES[3], "01/07/2026 09:30", "1", "2", "3"]]
    )
    bank.put("landing/tables/hostile.csv", text.getvalue())
    table = bank.land("tables", "landing/tables/hostile.csv")

    assert {(row["customer_id"], row["name"]) for row in bank.log(landed, "customer_id", "name")} == {
        (row["customer_id"], row["name"]) for row in rows
    }
    assert [(row["name"], row["status"], json.loads(row["payload"])) for row in bank.log(table, "name", "status", "payload")] == [
        (VALUES[0], VALUES[3], {"a`b": "1", "x.y": "2", "DROP TABLE": "3"})
    ]
    assert everything_outside(bank) == {*before, *(str(bank.root / place) for place in ("landing/tables", "landing/tables/hostile.csv"))}


def test_long_texts_and_keys_land_whole(bank: Bank) -> None:
    name, key = "ü🙂x" * 1_500_000, "k" * 4096
    landed = bank.land("events", [{**ROW, "customer_id": key, "name": name}, {**ROW, "customer_id": key + "2", "tags": ["t" * 1000] * 100}])

    found = {row["customer_id"]: row["name"] for row in bank.log(landed, "customer_id", "name")}
    assert len(name.encode()) > 10_000_000
    assert found == {key: name, key + "2": None}


@pytest.mark.heavy
def test_an_entity_may_have_five_hundred_attributes(bank: Bank) -> None:
    values = {f"a{n}": [f"text {n}", n / 3, n * 10**12, "2026-03-01"][n % 4] for n in range(500)}
    landed = bank.project.land("wide", "one", [{"id": 1, "at": "2026-03-01", **values}, {"id": 2, "at": "2026-03-01", **values, "a2": "x"}])

    (row,) = bank.rows("bronze.wide_log", landed)
    assert (landed.received, landed.landed, dict(landed.reasons), len(row["asserted"])) == (2, 1, {"value_cast": 1}, 500)
    assert [row["a0"], row["a497"], row["a498"]] == ["text 0", 497 / 3, 498 * 10**12]


def test_rows_that_are_no_rows_are_refused_with_a_code(bank: Bank, spark: SparkSession) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for data in (["text"], [{**ROW, "name": "\ud800"}], [{**ROW, "name": deep}], 5, b"bytes", {"a": 1}):
        with pytest.raises(BadRows):
            bank.land("events", data)
    with pytest.raises(BadRows):
        bank.land("events", spark.createDataFrame([("a", "b")], "customer_id string, __path string"))
    with pytest.raises(UnknownName):
        bank.land("events'; --", [ROW])


def test_nested_values_as_deep_as_they_come_stay_text_or_wait(bank: Bank) -> None:
    nested: Any = 1
    for _ in range(400):
        nested = {"a": nested}
    landed = bank.land("events", [{**ROW, "name": nested}, {**ROW, "tags": nested}])

    assert (landed.landed, dict(landed.reasons)) == (1, {"value_cast": 1})
    assert [json.loads(row["name"]) for row in bank.log(landed, "name")] == [nested]


@pytest.fixture
def outside(bank: Bank) -> Path:
    folder = bank.root.parent / "outside"
    folder.mkdir(exist_ok=True)
    (folder / "secret.json").write_text(json.dumps(ROW), encoding="utf-8")
    return folder


def test_paths_that_lead_out_of_the_project_are_refused(bank: Bank, outside: Path) -> None:
    links = bank.root / "landing/links"
    (links / "below").mkdir(parents=True, exist_ok=True)
    (links / "file.json").symlink_to(outside / "secret.json")
    (links / "below" / "folder").symlink_to(outside)
    (bank.root / "landing/whole").symlink_to(outside)
    (links.parent / "shares_out").symlink_to(outside)

    count = bank.count("bronze.customer_log")
    for place in (
        "../outside",
        "landing/../../outside/secret.json",
        "landing/links",
        "landing/links/file.json",
        "landing/links/below",
        "landing/whole",
        "landing/whole/*",
    ):
        with pytest.raises(PathLeavesProject):
            bank.land("events", place)
    for place in ("../outside", "landing/shares_out"):
        with pytest.raises(PathLeavesProject):
            bank.land("shares", place)
    with pytest.raises(PlaceMissing):
        bank.land("events", "landing/nowhere.json")
    assert bank.count("bronze.customer_log") == count


def test_what_a_writer_has_not_finished_is_not_read(bank: Bank) -> None:
    for name in (".hidden.json", "_part.json", "x.json.tmp", "_temporary/0/part-0.json", ".staging/a.json", "sub/good.json"):
        bank.put(f"landing/events/unfinished/{name}", json.dumps(ROW))
    landed = bank.land("events", "landing/events/unfinished")

    assert [row["source_path"] for row in bank.log(landed, "source_path")] == ["landing/events/unfinished/sub/good.json"]


def test_a_name_that_python_can_write_and_java_cannot_is_no_silence(bank: Bank) -> None:
    folder = bank.root / "landing/events/bytes"
    folder.mkdir(parents=True)
    with open(os.fsencode(folder) + b"/\xff.json", "w", encoding="utf-8") as stream:  # noqa: PTH123 - a path of bytes
        stream.write(json.dumps(ROW))
    landed = bank.land("events", "landing/events/bytes")

    assert (landed.received, dict(landed.reasons)) == (1, {"file_unreadable": 1})
