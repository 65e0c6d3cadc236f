"""Lines that one core unpacks are spread over all of them: nothing of what lands may show it."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import Any

from pyspark.sql import SparkSession

from muniment.arrival.read import LARGE

from tests.spark.landing.bank import Bank

LINES: list[dict[str, Any]] = [
    *(
        {"customer_id": f"k{n % 7}", "updated_at": f"2026-03-01T09:{n:02}", "op": "u", "name": f"Ann {n}" + "n" * (LARGE // 40)}
        for n in range(40)
    ),
    *({"customer_id": "k1", "updated_at": "2026-03-01T08:00", "op": "u", "shoe": 42} for _ in range(3)),
    {"customer_id": None, "updated_at": "2026-03-01T09:00", "op": "u"},
]


def landed(bank: Bank, name: str, *, packed: int) -> tuple[object, ...]:
    """Everything of a landing that must not depend on who read which line; hardly packed, the file is a large one."""
    text = "".join(json.dumps(line) + "\n" for line in LINES) + "\nno JSON\n"
    packet = gzip.compress(text.encode(), packed, mtime=0)
    assert (len(packet) > LARGE) is (packed == 0)
    bank.put(f"landing/events/{name}/a.json.gz", packet)
    done = bank.land("events", f"landing/events/{name}")
    run = bank.project.table("ops.run").where(f"run_id = '{done.run_id}'").collect()[0]
    log = Counter(tuple(row) for row in bank.log(done, "assertion_id", "sk", "attr_hash", "record_hash", "payload", "source_file"))
    return done.landed, done.reasons, done.messages, run["content"], log


def test_spread_lines_land_as_they_would_in_one_place(bank: Bank, spark: SparkSession) -> None:
    together = landed(bank, "together", packed=9)
    cores = str(spark.conf.get("spark.sql.shuffle.partitions"))
    try:
        for wanted in ("1", "5"):
            spark.conf.set("spark.sql.shuffle.partitions", wanted)
            assert landed(bank, f"spread-{wanted}", packed=0) == together
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", cores)

    assert together[:2] == (43, {"key_missing": 1, "unreadable": 1})
