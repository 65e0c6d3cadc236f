"""`muniment load`: run, show, watermarks, and the steps of a load in the plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.cli.conftest import Run

LOAD = """
load: orders
strategy: merge
read: {format: csv, path: slices}
key: {order_id: long}
columns: {qty: int, total: {type: int, expression: qty * 2}, at: date}
watermark: [{column: at, lag: 1 day}]
checks: [{range: {qty: {max: 9}}, on_fail: quarantine}]
"""


@pytest.fixture(scope="module")
def shop(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert (
        SparkSession.active().sparkContext is spark.sparkContext
    )  # the command goes on in this process; a stream may have left its own session active
    root = tmp_path_factory.mktemp("shop")
    (root / "muniment.yml").write_text("name: shop\ninclude: [l.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "l.yml").write_text(LOAD, encoding="utf-8")
    (root / "slices").mkdir()
    (root / "slices" / "1.csv").write_text("order_id,qty,at\n1,2,2026-03-01\n2,3,2026-03-02\n", encoding="utf-8")
    return root


def test_a_load_is_planned_run_shown_and_its_watermark_set_by_hand(run: Run, shop: Path) -> None:
    planned = run("plan", "--project", shop)
    assert planned.out.splitlines()[:3] == [
        "load orders: would load 1 of 1 slices, strategy merge",
        "load orders inject_transformations: adds nothing",
        "load orders add_calculated_columns: adds total",
    ]
    done = run("load", "run", "orders", "--at", "2026-03-03T09:00:00+01:00", "--project", shop)
    assert (done.code, done.out.split("): ")[1].splitlines()) == (
        0,
        ["received 2: inserted 2, updated 0, deleted 0, seen again 0", "  watermark at: 2026-03-02"],
    )
    shown = run("load", "show", "orders", "--project", shop, "--output", "json")
    assert [(row["order_id"], row["total"], row["last_seen_ts"]) for row in json.loads(shown.out)] == [
        (1, 4, "2026-03-03T08:00:00.000000Z"),
        (2, 6, "2026-03-03T08:00:00.000000Z"),
    ]
    assert "the source is read next with: at > 2026-03-01" in run("load", "watermarks", "orders", "--project", shop).out
    reset = ("load", "watermarks", "orders", "--reset", "at", "--project", shop)
    assert run(*reset).code == 2
    refused = run(*reset, "--to", "1' OR '1'='1", "--by", "jane", "--reason", "x")
    assert (refused.code, "MU-LOAD-010" in refused.err) == (2, True)
    assert "read next with: everything" in run(*reset, "--to", "none", "--by", "jane", "--reason", "again", "--history").out
    (shop / "slices" / "2.csv").write_text("order_id,qty,at\n1,2,2026-03-01\n1,3,2026-03-02\n", encoding="utf-8")
    double = run("load", "run", "orders", "--project", shop)
    assert (double.code, "MU-LOAD-001" in double.err) == (3, True)
    assert run("load", "run", "ordrs", "--project", shop).err.startswith("MU-NAME-001 there is no load 'ordrs'; did you mean 'orders'?")


@pytest.mark.heavy
def test_status_quarantine_maintain_and_verify_know_loads(run: Run, shop: Path, spark: SparkSession) -> None:
    (shop / "slices" / "0.csv").write_text("order_id,qty,at\n7,2,2026-03-01\n8,99,2026-03-02\n", encoding="utf-8")
    done = run("load", "run", "orders", shop / "slices" / "0.csv", "--project", shop)
    assert (done.code, "  1 rows set aside    muniment quarantine orders" in done.out.splitlines()) == (0, True)
    aside = json.loads(run("quarantine", "orders", "--project", shop, "--output", "json").out)
    assert [(row["detail"], json.loads(row["raw"])["order_id"]) for row in aside] == [("range qty", "8")]
    released = run("quarantine", "release", "orders", aside[0]["quarantine_id"], "--by", "jane", "--reason", "x", "--project", shop)
    assert (released.code, "keeps no log" in released.err) == (2, True)
    (status,) = json.loads(run("status", "--project", shop, "--output", "json").out)
    assert (status["entity"], status["contract"], status["quarantined"]) == ("orders", "load merge", 1)
    assert run("maintain", "orders", "--vacuum", "--retention", "2 hours", "--project", shop).code == 2
    kept = run("maintain", "orders", "--project", shop, "--output", "json")
    assert [row["table"] for row in json.loads(kept.out)] == ["silver.orders"]
    assert run("verify", "orders", "--project", shop).code == 0
    spark.sql(f"UPDATE delta.`{shop}/lake/silver/orders` SET qty = 3 WHERE order_id = 7")
    found = run("verify", "orders", "--project", shop)
    assert found.code == 1
    assert 'contents  silver.orders: 1 rows, such as {"order_id":7}: the values are not those that were loaded' in found.out
    assert run("verify", "ordrs", "--project", shop).code == 2
