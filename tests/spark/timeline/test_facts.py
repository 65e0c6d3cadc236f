"""Entities that are facts: said once, heard often, corrected by other facts and never changed (000's transactions)."""

from __future__ import annotations

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

PAYMENT = """
entity: payment
kind: event
key: {id: string}
attributes: {amount: "decimal(12,2)", corrects: string}
corrects: corrects
precedence: [core, bank]
sources:
  core: {load: changes, event_time: at}
  bank: {load: changes, event_time: at}
"""
NAMES = ("id", "amount", "seen_count", "conflict_count", "corrected_by")


def paid(key: str, at: int, amount: str, corrects: str | None = None) -> dict[str, object]:
    return {"id": key, "at": day(at), "amount": amount, "corrects": corrects}


def test_a_fact_is_inserted_once_a_repeat_moves_its_last_receipt_and_a_correction_names_it(make: Make) -> None:
    project = make(PAYMENT)
    project.land("payment", "core", [paid("p1", 1, "10.00"), paid("p2", 1, "20.00")], received_at="2026-04-01")
    assert project.derive("payment").opened == 2
    project.land("payment", "core", [paid("p1", 1, "10.00"), paid("p3", 2, "12.00", corrects="p1")], received_at="2026-04-02")
    done = project.derive("payment")
    assert (done.opened, done.changed) == (1, 2)

    facts = {row["id"]: row for row in project.history("payment").collect()}
    assert [(key, str(row["amount"]), row["seen_count"], row["conflict_count"]) for key, row in sorted(facts.items())] == [
        ("p1", "10.00", 2, 0),
        ("p2", "20.00", 1, 0),
        ("p3", "12.00", 1, 0),
    ]
    assert (facts["p1"]["first_seen_ts"].day, facts["p1"]["last_seen_ts"].day) == (1, 2)
    assert (facts["p1"]["corrected_by"], facts["p2"]["corrected_by"]) == (facts["p3"]["sk"], None)

    project.land("payment", "bank", [paid("p2", 1, "21.00")], received_at="2026-04-03")
    project.derive("payment")
    (told,) = project.history("payment", "p2").select(*NAMES).collect()
    assert (str(told["amount"]), told["conflict_count"]) == ("20.00", 1)  # another story is counted, never a change
    assert project.history("payment", known_at="2026-04-01").count() == 2

    before = {tuple(row) for row in project.table("bronze.payment_event").select("id", "amount", "seen_count").collect()}
    project.rebuild("payment")
    assert {tuple(row) for row in project.table("bronze.payment_event").select("id", "amount", "seen_count").collect()} == before
    assert project.verify("payment").problems == ()
