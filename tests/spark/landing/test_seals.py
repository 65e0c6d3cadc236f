"""What a lake says of itself can be checked with SPEC.md and a hash function alone (R1, R2, R6, R27)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Row
from pyspark.sql import types as T

from tests.spark.canon import spec
from tests.spark.landing.bank import Bank

TEXT = T.StringType()
ROWS: list[dict[str, Any]] = [
    {
        "customer_id": "s1",
        "updated_at": "2026-03-01T09:00",
        "op": "c",
        "name": "Ann",
        "balance": "1.50",
        "visits": 3,
        "tags": ["a", None],
        "lsn": 7,
    },
    {"customer_id": "s1", "updated_at": "2026-03-01T10:00", "op": "u", "name": None, "seen_at": "2026-07-01T00:00"},
    {"customer_id": "s2", "updated_at": "2026-03-01T10:00", "op": "d", "colour": "red"},
    {"customer_id": "s2", "updated_at": "2026-03-01T10:00", "op": "d"},
]


def typed(row: Row, schema: T.StructType) -> dict[str, tuple[Any, T.DataType]]:
    return {field.name: (_value(row[field.name]), field.dataType) for field in schema.fields}


def _value(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def test_keys_hashes_digests_and_link_of_a_landing_can_be_written_by_hand(bank: Bank) -> None:
    landed = bank.land("events", ROWS)
    table = bank.project.lake.table("bronze.customer_log")
    schema, rows = table.read().schema, bank.log(landed)
    attributes = ("name", "status", "balance", "visits", "region", "seen_at", "tags")

    for row in rows:
        cells = typed(row, schema)
        assert row["sk"] == spec.key({"customer_id": cells["customer_id"]})
        assert row["attr_hash"] == spec.attributes({name: cells[name] for name in attributes})
        assert row["record_hash"] == spec.record({name: cells[name] for name in row["asserted"]}, row["is_deleted"])
        said = ("sk", "source_system", "source_event_ts", "source_sequence", "record_hash")
        assert row["assertion_id"] == spec.key({name: cells[name] for name in said})[:32]
        others = {name: cell for name, cell in cells.items() if name not in ("salt", "row_digest")}
        assert row["row_digest"] == spec.row_digest(row["salt"], others)

    (run,) = bank.rows("ops.run", landed)
    assert len(rows) == len({row["row_digest"] for row in rows}) == 4
    assert run["digest"] == spec.run_digest([row["row_digest"] for row in rows])
    facts = next(dict(c.metadata) for c in table.commits() if c.metadata and c.metadata.get("run") == landed.run_id)
    link, previous = facts.pop("link"), facts.pop("previous")
    assert facts["digest"] == run["digest"]
    assert link == run["link"] == spec.joined([previous, json.dumps(facts, sort_keys=True)])
