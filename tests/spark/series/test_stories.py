"""Series as stories: what is landed, what is built, what is found to be bad, and what people read then."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from muniment.model.series import Role
from muniment.series.errors import BuildStopped, ColumnsDiffer, NoGoodBase, NoSuchPartition, NothingBuilt, NotMarked, RowsRefused
from muniment.series.records import Quality, Ref
from muniment.verbs.series import SeriesVerbs

from tests.spark.series.conftest import Bank, balances, changes, day, rows, seen


def at(number: int) -> datetime:
    return datetime(2026, 3, number, tzinfo=UTC)


def qualities(series: SeriesVerbs) -> dict[str, str]:
    """What the targets that have their place are worth, by day."""
    found = series.standing()
    return {f"{target.start:%d}": found.quality[target.partition_id].value for target in found.of(Role.TARGET)}


def test_a_target_is_the_newest_base_and_all_deltas_after_it_deletes_included(bank: Bank) -> None:
    ledger = bank.series("plain")
    with pytest.raises(NothingBuilt):
        ledger.read()
    with pytest.raises(NoGoodBase, match="A dump is needed"):
        ledger.build(day(1))
    ledger.dump(rows(a=1, b=2, c=3), day(1))
    ledger.delta([*changes(a=9, seq=10), *changes(a=10, seq=9), *changes(b=None)], day(2))
    ledger.delta(changes(d=4, e=None), day(3))

    two = ledger.build(day(2))
    assert (two.base, two.deltas, two.rows, two.written) == (Ref(Role.DUMP, at(1)), (Ref(Role.DELTA, at(2)),), 2, True)
    assert seen(ledger) == {"a": 9, "c": 3}
    three = ledger.build(day(3))
    assert (three.base, three.rows) == (Ref(Role.TARGET, at(2)), 3)
    assert seen(ledger) == {"a": 9, "c": 3, "d": 4}
    assert (seen(ledger, day(2)), seen(ledger, "2026-03-02T23:59")) == ({"a": 9, "c": 3}, {"a": 9, "c": 3})

    before = bank.project.lake.table("silver.plain_state").version()
    again = ledger.build(day(3))
    assert (again.checksum, again.written, again.partition_id) == (three.checksum, False, three.partition_id)
    assert bank.project.lake.table("silver.plain_state").version() == before
    assert ledger.compare(bank.project.spark.createDataFrame([("a", 9), ("c", 3), ("d", 4)], "account string, balance long")).equal

    names = bank.project.table("silver.plain"), bank.project.sql("SELECT * FROM silver.plain WHERE balance > 3")
    assert [balances(frame.collect()) for frame in names] == [{"a": 9, "c": 3, "d": 4}, {"a": 9, "d": 4}]

    ledger.delta(changes(d=None, a=None, b=5), day(4))  # a key that went comes back
    assert (ledger.build(day(4)).rows, seen(ledger)) == (2, {"c": 3, "b": 5})
    told = {(row["role"], row["quality"]) for row in ledger.partitions().collect()}
    assert told == {("dump", "good"), ("delta", "good"), ("target", "good")}


def test_a_bad_target_is_gone_round_and_what_came_of_it_is_tainted_over_three_generations(bank: Bank) -> None:
    ledger = bank.series("around")
    ledger.dump(rows(a=1, b=2), day(1))
    for number in range(2, 8):
        ledger.delta(changes(a=number, b=None if number == 4 else number * 10), day(number))
    before = {number: ledger.build(day(number)).checksum for number in range(2, 7)}

    data = {name: bank.project.lake.table(name).version() for name in ("silver.around_state", "silver.around_delta")}
    said = ledger.mark("target", day(3), "twice the usual rows", by="jane")
    assert said.partitions == (Ref(Role.TARGET, at(3)),)
    assert said.tainted == tuple(Ref(Role.TARGET, at(number)) for number in (4, 5, 6))
    assert qualities(ledger) == {"02": "good", "03": "bad", "04": "tainted", "05": "tainted", "06": "tainted"}
    assert seen(ledger) == {"a": 2, "b": 20}  # readers are back on what is good
    with pytest.raises(NotMarked, match="tainted"):
        ledger.unmark("target", day(5), "looks good to me", by="jane")

    ledger.unmark("target", day(3), "it was a holiday", by="jane")
    found = ledger.standing()
    assert {target.start.day: target.checksum for target in found.of(Role.TARGET) if found.is_good(target)} == before
    assert (seen(ledger), seen(ledger, day(3))) == ({"a": 6, "b": 60}, {"a": 3, "b": 30})
    assert data == {name: bank.project.lake.table(name).version() for name in data}  # no data work at all

    ledger.mark("target", day(3), "it was not", by="jane")
    seven = ledger.build(day(7))
    assert (seven.base, len(seven.deltas), seen(ledger)) == (Ref(Role.TARGET, at(2)), 5, {"a": 7, "b": 70})
    never = bank.project.spark.createDataFrame([("b", 70), ("a", 7)], "account string, balance long")
    assert ledger.compare(never).checksums == (seven.checksum, seven.checksum)
    assert [(row["verb"], row["open"]) for row in ledger.marks().collect()] == [("mark", False), ("unmark", False), ("mark", True)]


def test_a_bad_delta_stops_the_build_with_one_alert_and_after_backfill_it_goes_on(bank: Bank) -> None:
    ledger = bank.series("stopped")
    ledger.dump(rows(a=1), day(1))
    ledger.delta(changes(a=2), day(2))
    ledger.delta(changes(a=33), day(3))
    for number in (2, 3):
        ledger.build(day(number))
    ledger.delta(changes(b=4), day(4))
    ledger.mark("delta", day(3), "amounts in cents", by="jane")
    assert (seen(ledger), qualities(ledger)) == ({"a": 2}, {"02": "good", "03": "tainted"})

    before, told = ledger.partitions().count(), len(bank.alerts())
    with pytest.raises(BuildStopped, match="delta 2026-03-03 is marked bad: amounts in cents") as stopped:
        ledger.build(day(4))
    assert stopped.value.exit_code == 1
    (alert,) = bank.alerts()[told:]
    assert (alert["kind"], alert["subject"]) == ("build_stopped", "series stopped")
    assert (ledger.partitions().count(), seen(ledger)) == (before, {"a": 2})

    plan = ledger.backfill(dry_run=True)
    assert ([step.was for step in plan.rebuilt], plan.waiting, plan.stopped) == (
        ["tainted"], (Ref(Role.DELTA, at(3)),), "delta 2026-03-03 is bad",
    )  # fmt: skip
    same = ledger.delta(changes(a=33), day(3))
    assert (same.skipped, same.messages) == (True, ("it is the same as what is bad already",))
    ledger.delta(changes(a=3), day(3))  # the corrected one takes its place
    assert qualities(ledger) == {"02": "good", "03": "tainted"}
    done = ledger.backfill(by="jane", reason="landed again")
    assert [(step.at, step.equal, step.rows) for step in done.rebuilt] == [(at(3), False, 1)]
    assert (done.cleared, done.waiting, done.stopped) == ((Ref(Role.DELTA, at(3)),), (), None)
    assert (ledger.build(day(4)).rows, seen(ledger), seen(ledger, day(3))) == (2, {"a": 3, "b": 4}, {"a": 3})
    assert [(row["verb"], row["open"]) for row in ledger.marks().collect()] == [("mark", False), ("clear", False)]
    again = ledger.backfill(by="jane", reason="again")
    assert (again.rebuilt, again.cleared) == ((), ())


@pytest.mark.heavy
def test_a_backfill_rebuilds_a_bad_target_and_all_that_came_of_it_in_order(bank: Bank) -> None:
    ledger = bank.series("again")
    ledger.dump(rows(a=1), day(1))
    for number in range(2, 5):
        ledger.delta(changes(a=number), day(number))
        ledger.build(day(number))
    ledger.mark("target", day(2), "made with a broken jar", by="jane", until=day(3))
    assert qualities(ledger) == {"02": "bad", "03": "bad", "04": "tainted"}
    done = ledger.backfill(by="jane", reason="jar mended")
    assert [(step.at, step.was, step.equal) for step in done.rebuilt] == [
        (at(2), "bad", True), (at(3), "bad", True), (at(4), "tainted", True),
    ]  # fmt: skip
    assert [step.base for step in done.rebuilt] == [Ref(Role.DUMP, at(1)), *(Ref(Role.TARGET, at(n)) for n in (2, 3))]
    assert set(qualities(ledger).values()) == {"good"}
    audit = ledger.marks().where("verb = 'clear'").collect()
    assert [(row["place"], row["made_by"], row["reason"]) for row in audit] == [
        (f"target {day(number)}", "jane", "jar mended (the same 1 rows again)") for number in (2, 3)
    ]


@pytest.mark.heavy
def test_a_delta_that_comes_late_makes_stale_what_was_built_without_it(bank: Bank) -> None:
    ledger = bank.series("late")
    ledger.dump(rows(a=1), day(1))
    ledger.delta(changes(b=3), day(3))
    assert ledger.build(day(3)).missing == (at(2),)
    ledger.delta(changes(a=2, b=2), day(2))
    assert (qualities(ledger), seen(ledger)) == ({"03": "stale"}, {"a": 1, "b": 3})
    assert (ledger.build(day(3)).missing, seen(ledger)) == ((), {"a": 2, "b": 3})
    replaced = [row["quality"] for row in ledger.partitions().collect() if row["role"] == "target"]
    assert replaced == [Quality.REPLACED, Quality.GOOD]
    ledger.dump(rows(z=26), day(3))  # of one time the dump goes before the target
    ledger.delta(changes(y=25), day(4))
    assert (ledger.build(day(4)).base, seen(ledger)) == (Ref(Role.DUMP, at(3)), {"z": 26, "y": 25})


@pytest.mark.heavy
def test_a_partition_is_taken_as_a_whole_or_not_at_all(bank: Bank) -> None:
    ledger = bank.series("shape")
    with pytest.raises(RowsRefused, match="1 of its rows cannot be taken: key_missing"):
        ledger.dump([{"account": None, "balance": 1}, {"account": "a", "balance": 2}], day(1))
    ledger.dump(rows(a=1), day(1))
    with pytest.raises(ColumnsDiffer, match="it lacks balance; it has amount too"):
        ledger.dump([{"account": "a", "amount": 1}], day(2))
    with pytest.raises(RowsRefused, match="value_cast balance"):
        ledger.delta([{"account": "a", "balance": "many", "changed_at": "09:00", "seq": 1}], day(2))
    with pytest.raises(RowsRefused, match="op_unknown"):
        ledger.delta([{"account": "a", "balance": 1, "op": "explode"}], day(2))
    with pytest.raises(NoSuchPartition, match="has no delta in 2026-03-02"):
        ledger.mark("delta", day(2), "x", by="jane")
    assert [(row["role"], row["rows"]) for row in ledger.partitions().collect()] == [("dump", 1)]
    twice = ledger.dump([*rows(a=1), *rows(a=2)], day(2))
    assert twice.marked == ("unique account: 1 values are there more than once",)
    assert bank.alerts()[-1]["kind"] == "marked"
    assert ledger.build(day(2)).base == Ref(Role.DUMP, at(1))


@pytest.mark.heavy
def test_hours_are_partitions_too_and_the_first_data_may_be_a_delta(bank: Bank) -> None:
    ledger = bank.series("hourly")
    ledger.delta(changes(a=5), "2026-03-01T10:20+00:00")
    ledger.dump(rows(a=1, b=2), "2026-03-01T09:59:59")
    assert ledger.build("2026-03-01T12:30+02:00").deltas == (Ref(Role.DELTA, datetime(2026, 3, 1, 10, tzinfo=UTC)),)
    assert seen(ledger, "2026-03-01T10") == {"a": 5, "b": 2}
