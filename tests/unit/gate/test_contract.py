"""What the gate says of a source before anything of it is read (R18)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from muniment.gate.contract import Status, assess
from muniment.model.attribute import KeyPart
from muniment.model.entity import Entity, Kind
from muniment.model.source import Absence, ColumnTime, Format, GivenTime, Kafka, LoadType, Ops, Read, Source

CUSTOMER = Entity("customer", key=(KeyPart("id", "string"),), attributes=())
SOUND = Source("core", load=LoadType.CHANGES, event_time=ColumnTime("at"), op=Ops("op", update=("u",), delete=("d",)))
WEAK = {
    "key": (replace(SOUND, lacks_key=True), Status.REJECT, "no stable business key"),
    "time": (replace(SOUND, event_time=None), Status.LIMITED, "no source time"),
    "load": (replace(SOUND, load=None), Status.LIMITED, "no declared load type"),
    "deletes": (replace(SOUND, op=None), Status.LIMITED, "no delete semantics"),
}


def test_a_source_that_declares_everything_is_defensible() -> None:
    found = assess(CUSTOMER, SOUND)
    assert (found.entity, found.source, found.status) == ("customer", "core", Status.DEFENSIBLE)
    assert len(found.reasons) == 1


@pytest.mark.parametrize(("source", "status", "reason"), WEAK.values(), ids=WEAK)
def test_each_weakness_has_its_price_and_its_reason(source: Source, status: Status, reason: str) -> None:
    found = assess(CUSTOMER, source)
    assert found.status is status
    assert [text.split(":")[0] for text in found.reasons] == [reason]


@pytest.mark.parametrize("weak", list(product((True, False), repeat=4)))
def test_weaknesses_add_up_and_the_worst_decides(weak: tuple[bool, bool, bool, bool]) -> None:
    key, time, load, deletes = weak
    source = Source(
        "core",
        lacks_key=key,
        event_time=None if time else GivenTime(),
        load=None if load else LoadType.PARTIAL,
        op=None if deletes else SOUND.op,
    )
    found = assess(CUSTOMER, source)

    assert found.status is (Status.REJECT if key else Status.LIMITED if any(weak) else Status.DEFENSIBLE)
    wanted = [reason for (_, _, reason), there in zip(WEAK.values(), weak, strict=True) if there]
    assert [text.split(":")[0] for text in found.reasons if any(weak)] == wanted


def test_an_entity_without_a_key_is_rejected_for_every_source() -> None:
    assert assess(replace(CUSTOMER, key=()), SOUND).status is Status.REJECT


def test_absence_and_debezium_are_delete_semantics_and_debezium_brings_time_and_load_type() -> None:
    absent = Source("crm", load=LoadType.FULL, event_time=GivenTime(), absence=Absence.DELETES)
    debezium = Source("core", read=Read(Format.DEBEZIUM, kafka=Kafka("k", "t")))
    assert [assess(CUSTOMER, source).status for source in (absent, debezium)] == [Status.DEFENSIBLE] * 2


def test_an_op_column_that_never_says_delete_is_no_delete_semantics() -> None:
    source = replace(SOUND, op=Ops("op", insert=("c",), update=("u",)))
    assert assess(CUSTOMER, source).status is Status.LIMITED


def test_an_immutable_fact_needs_neither_load_type_nor_deletes() -> None:
    assert assess(replace(CUSTOMER, kind=Kind.EVENT), Source("till", event_time=ColumnTime("at"))).status is Status.DEFENSIBLE
