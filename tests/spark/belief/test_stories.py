"""Belief as people ask for it, one story each: landed, resolved and read through the project, all side by side in one lake."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.errors import BadArgument, UnknownName
from muniment.project import Project
from muniment.steps.errors import NothingKnown, NothingToDecide

from tests.spark.timeline.conftest import Make

CLIENT = """
entity: client
key: {id: string}
attributes: {name: string, address: string, status: string}
precedence: [core, crm]
sources:
  core: {load: partial, event_time: at, op: {column: op, insert: [c], update: [u], delete: [d]}}
  crm: {load: partial, event_time: at, op: {column: op, insert: [c], update: [u], delete: [d]}}
belief:
  rules: [{attributes: [status], rule: precedence, sources: [core, crm]}]
  deletion: {sources: [core]}
"""
RATE = """
entity: rate
key: {id: string}
attributes: {percent: int}
sources:
  office: {load: changes, event_time: at}
"""
FACT = """
entity: payment
kind: event
key: {id: string}
attributes: {amount: int}
sources:
  till: {load: changes, event_time: at}
"""
Line = tuple[object, ...]


def said(key: str, at: str, op: str = "u", **values: object) -> dict[str, object]:
    return {"id": key, "at": f"2026-03-{at}", "op": op, **values}


JANE = {"name": "Jane Carter", "address": "12 Market Street", "status": "Active"}
CRM = [
    said("C7", "01T09:00", status="Active"),
    said("C7", "03T09:00", status="Active"),
    said("C8", "01T09:00", "c", **JANE),
    said("C8", "03T09:00", address="18 King Street"),
    said("C8", "04T12:00", "d"),
    said("hidden", "01", "c", name="H"),
    said("hidden", "02", "d"),
    said("late", "01", "c", name="L", status="Active"),
    said("late", "05", status="Dormant"),
    said("same", "03", status="A"),
    said("begun", "01", "d"),
    said("begun", "02", name="B"),
]
CORE = [
    said("C7", "02T10:00", status="Restricted"),
    said("C8", "02T10:00", status="Restricted"),
    said("hidden", "03", name="H2"),
    said("hidden", "04", "d"),
    said("same", "01", "c", name="S", status="A"),
    said("set", "01", "c", name="N", status="Active"),
    said("set", "05", status="Closed"),
    said("gone", "02", "d"),
]
LATE = [
    said("C7", "02T18:00", status="Active"),
    said("C8", "02T18:00", status="Active"),
    said("late", "03", status="Restricted"),
]


@pytest.fixture(scope="module")
def bank(make: Make) -> Project:
    """Two batches; only the core system has a say in deletion."""
    project = make(CLIENT, RATE, FACT)
    project.land("client", "crm", CRM, received_at="2026-04-01")
    project.land("client", "core", CORE, received_at="2026-04-01")
    project.resolve("client")
    project.land("client", "core", LATE, received_at="2026-04-02")
    project.resolve("client")
    return project


def lines(rows: DataFrame, *names: str) -> list[Line]:
    """Start and end, then some columns, in order."""
    start, end = (
        F.date_format(F.from_utc_timestamp(F.col(name).cast("timestamp"), "UTC"), "dd HH") for name in ("effective_from", "effective_to")
    )
    return [tuple(row) for row in rows.orderBy("id", "effective_from").select(start, end, *names).collect()]


def at(project: Project, entity: str, key: str, moment: str, *names: str) -> Line | None:
    row = project.belief(entity, key, as_of=f"2026-03-{moment}", include_deleted=True).select(*names).first()
    return None if row is None else tuple(row)


def test_document_12_4_7_at_its_three_times_the_third_with_core_as_the_origin(bank: Project) -> None:
    assert at(bank, "client", "C7", "02T12:00", "status", "origin.status.source") == ("Restricted", "core")
    assert at(bank, "client", "C7", "02T19:00", "status", "origin.status.source") == ("Active", "core")
    assert at(bank, "client", "C7", "03T10:00", "status", "origin.status.source") == ("Active", "core")
    third = bank.why("client", "C7", "status", as_of="2026-03-03T10:00")
    assert (third.value, third.source, third.rule, [loser.source for loser in third.losers]) == ("Active", "core", "precedence", ["crm"])


def test_document_12_4_8_at_its_four_times_where_the_deleting_source_has_no_authority(bank: Project) -> None:
    names = ("status", "address", "is_deleted")
    assert at(bank, "client", "C8", "02T12:00", *names) == ("Restricted", "12 Market Street", False)
    assert at(bank, "client", "C8", "02T19:00", *names) == ("Active", "12 Market Street", False)
    assert at(bank, "client", "C8", "03T10:00", *names) == ("Active", "18 King Street", False)
    assert at(bank, "client", "C8", "04T13:00", *names) == ("Active", "18 King Street", False)


def test_a_delete_that_only_collapsing_would_hide_turns_belief_at_the_authoritys_own_delete(bank: Project) -> None:
    assert lines(bank.belief_history("client", "hidden"), "name", "is_deleted") == [
        ("01 00", "03 00", "H", False),
        ("03 00", "04 00", "H2", False),
        ("04 00", None, "H2", True),
    ]


def test_a_delete_without_authority_leaves_belief_alone_and_is_visible_in_why(bank: Project) -> None:
    assert bank.belief("client", "C8").count() == 1
    of_status = bank.why("client", "C8", "status")
    assert [(d.source, d.value, d.note) for d in of_status.deletions] == [("crm", True, "has no say in deletion")]
    of_deletion = bank.why("client", "C8", "is_deleted")
    assert (of_deletion.value, of_deletion.source) == (False, None)
    assert [(said.source, said.value, said.note) for said in of_deletion.losers] == [("crm", True, "it has no say in deletion")]


def test_belief_of_a_key_begins_with_an_assertion_other_than_a_delete_without_authority(bank: Project) -> None:
    assert lines(bank.belief_history("client", "begun"), "name", "is_deleted") == [("02 00", None, "B", False)]
    assert lines(bank.belief_history("client", "gone"), "is_deleted") == [("02 00", None, True)]


def test_a_late_row_of_a_stronger_source_changes_the_past_and_only_where_it_should(bank: Project) -> None:
    names = ("status", "origin.status.source", "contested")
    assert lines(bank.belief_history("client", "late", known_at="2026-04-01"), *names) == [
        ("01 00", "05 00", "Active", "crm", []),
        ("05 00", None, "Dormant", "crm", []),
    ]
    assert lines(bank.belief_history("client", "late"), *names) == [
        ("01 00", "03 00", "Active", "crm", []),
        ("03 00", None, "Restricted", "core", ["status"]),
    ]


def test_the_same_value_from_another_source_opens_no_interval_and_why_names_the_exact_winner(bank: Project) -> None:
    assert lines(bank.belief_history("client", "same"), "status", "origin.status.source") == [("01 00", None, "A", "core")]
    assert bank.why("client", "same", "status", as_of="2026-03-04").source == "core"
    assert lines(bank.belief_history("client", "C7"), "status")[0] == ("01 09", "02 10", "Active")
    assert bank.why("client", "C7", "status", as_of="2026-03-01T12:00").source == "crm"


def test_why_names_file_run_and_both_times_of_the_winner(bank: Project) -> None:
    told = bank.why("client", "late", "status")
    landed = bank.table("bronze.client_log").where("id = 'late' AND status = 'Restricted'").first()
    assert landed is not None
    assert (told.assertion_id, told.run_id, told.rule_version) == (landed["assertion_id"], landed["ingest_run_id"], 1)
    assert told.event_ts is not None
    assert told.received_at is not None
    assert (told.event_ts.isoformat(), told.received_at.isoformat()) == ("2026-03-03T00:00:00+00:00", "2026-04-02T00:00:00+00:00")
    assert [(loser.source, loser.value, loser.note) for loser in told.losers] == [("crm", "Dormant", "it is weaker than core")]
    assert told.contested
    assert told.to_dict()["losers"][0]["received_at"] == "2026-04-01T00:00:00+00:00"
    assert "<b>Restricted</b>" in told._repr_html_()
    page = "\n".join(told.lines())
    assert "said by core for 2026-03-03 00:00:00, heard 2026-04-02 00:00:00" in page
    assert "not Dormant of crm: it is weaker than core" in page


def test_a_tax_rate_as_it_was_believed_then_and_as_it_is_known_today(bank: Project) -> None:
    for begins, percent, received in (("2024-01-01", 7, "2024-01-01"), ("2024-10-01", 8, "2024-10-01"), ("2024-07-01", 8, "2024-12-15")):
        bank.land("rate", "office", [{"id": "vat", "at": begins, "percent": percent}], received_at=received)
    bank.resolve("rate")
    (then,) = bank.belief("rate", "vat", as_of="2024-08-15", known_at="2024-09-01").collect()
    (today,) = bank.belief("rate", "vat", as_of="2024-08-15").collect()
    assert (then["percent"], today["percent"]) == (7, 8)
    assert bank.why("rate", "vat", "percent", as_of="2024-08-15", known_at="2024-09-01").value == 7


def test_an_override_wins_for_its_interval_and_its_withdrawal_brings_the_old_belief_back(bank: Project) -> None:
    before = lines(bank.belief_history("client", "set"), "status", "is_deleted")
    made = bank.override("client", "set", {"status": "Frozen"}, start="2026-03-03", end="2026-03-07", by="ann", reason="court order")
    assert lines(bank.belief_history("client", "set"), "status", "origin.status.rule", "contested") == [
        ("01 00", "03 00", "Active", "precedence", []),
        ("03 00", "07 00", "Frozen", "override", ["status"]),
        ("07 00", None, "Closed", "precedence", []),
    ]
    told = bank.why("client", "set", "status", as_of="2026-03-06")
    assert told.override is not None
    assert (told.value, told.source, told.override.by, told.override.reason) == ("Frozen", "override", "ann", "court order")
    assert [(loser.source, loser.value) for loser in told.losers] == [("core", "Closed")]
    assert bank.belief("client", "set", as_of="2026-03-06", known_at="2026-04-03").select("status").collect() == [("Closed",)]
    assert bank.verify("client").problems == ()

    bank.withdraw(made, by="bob", reason="lifted")
    assert lines(bank.belief_history("client", "set"), "status", "is_deleted") == before
    bank.withdraw(made, by="bob", reason="again")  # says nothing new
    assert bank.table("ops.override").count() == 2


def test_mistakes_get_clear_answers_and_change_nothing(bank: Project) -> None:
    with pytest.raises(UnknownName, match="client"):
        bank.belief("clint")
    with pytest.raises(UnknownName, match="status"):
        bank.why("client", "C8", "statu")
    with pytest.raises(NothingKnown, match="nobody"):
        bank.why("client", "nobody", "status")
    with pytest.raises(NothingKnown, match="nobody"):
        bank.override("client", "nobody", {"status": "A"}, by="ann", reason="x")
    with pytest.raises(UnknownName, match="statuss"):
        bank.override("client", "C8", {"statuss": "A"}, by="ann", reason="x")
    with pytest.raises(BadArgument, match="not of type int"):
        bank.override("rate", "vat", {"percent": "seven"}, by="ann", reason="x")
    with pytest.raises(BadArgument, match="ends before it begins"):
        bank.override("client", "C8", {"status": "A"}, start="2026-03-02", end="2026-03-01", by="ann", reason="x")
    with pytest.raises(NothingToDecide, match="no override"):
        bank.withdraw("nothing", by="ann", reason="x")
    with pytest.raises(BadArgument, match="facts"):
        bank.belief("payment")
    assert bank.belief("client", "nobody").count() == 0


def test_a_time_before_the_first_evidence_and_a_known_at_before_the_first_arrival_are_answered(bank: Project) -> None:
    assert bank.belief("client", "C8", as_of="2020-01-01").count() == 0
    early = bank.why("client", "C8", "status", as_of="2020-01-01")
    assert (early.value, early.source) == (None, None)
    assert "the first that is known of it is of 2026-03-01T09:00" in early.note
    assert bank.belief("client", known_at="2020-01-01").count() == 0
    unheard = bank.why("client", "C8", "status", known_at="2020-01-01")
    assert "nothing had been heard of it by then; the first was heard at 2026-04-01" in unheard.note


def test_the_view_has_one_row_per_live_entity_now(bank: Project) -> None:
    live = {row["id"] for row in bank.belief("client").collect()}
    assert live == {"C7", "C8", "begun", "late", "same", "set"}  # hidden and gone were deleted by the core system
    assert {row["id"] for row in bank.table("silver.client").collect()} == live
    assert {row["id"] for row in bank.table("client").collect()} == live
    counted = bank.sql("SELECT count(*) AS n FROM silver.client c JOIN silver.client_history h ON c.id = h.id").first()
    assert counted is not None
    assert counted["n"] >= len(live)


def test_a_resolve_with_nothing_new_commits_nothing_and_verify_finds_nothing_wrong(bank: Project) -> None:
    table = bank.lake.table("silver.client_history")
    version = table.version()
    assert bank.resolve("client").changed == 0
    assert table.version() == version
    assert bank.verify("client").problems == ()
