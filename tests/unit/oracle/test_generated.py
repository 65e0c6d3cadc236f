"""The oracle and the generator check each other: what must hold of every history, and that the histories are worth folding."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from tests.properties.failing import explained, shrink, story
from tests.properties.generate import (
    ABSENCE_SETTINGS,
    HEARD,
    PLAIN,
    SCOPED,
    SETTINGS,
    Batch,
    Case,
    cases,
    colliding_keys,
    histories,
    rearranged,
    world,
)
from tests.properties.oracle import Settings, Version

ALL = [
    *(pytest.param(histories(7, 300, settings), id=name) for name, settings in SETTINGS.items()),
    *(pytest.param(world(11, 60, settings), id=f"absence-{name}") for name, settings in ABSENCE_SETTINGS.items()),
]
SOURCE_TIME = [settings for settings in ABSENCE_SETTINGS.values() if settings.completion == "source_time"]


def said(case: Case, *, without: Collection[str] = ()) -> list[Version]:
    """The timeline without the times of receipt."""
    return [replace(v, first_seen=0, last_seen=0) for v in case.timeline() if v.key not in without]


def chains(versions: list[Version]) -> list[list[Version]]:
    return [list(chain) for _, chain in groupby(versions, key=lambda v: v.key)]


@pytest.mark.parametrize("settings", [SETTINGS["plain"], SETTINGS["close"]], ids=["plain", "close"])
def test_five_hundred_histories_do_not_depend_on_the_order_of_arrival(settings: Settings) -> None:
    case = histories(1, 500, settings, with_collisions=False)
    assert not colliding_keys(case)
    expected = said(case)
    for seed in range(3):
        assert said(rearranged(case, seed)) == expected


def test_histories_with_collisions_depend_on_arrival_in_the_colliding_keys_only() -> None:
    case = histories(2, 500, PLAIN)
    other = rearranged(case, 5)
    assert colliding_keys(case)
    assert said(case, without=colliding_keys(case)) == said(other, without=colliding_keys(case))


@pytest.mark.parametrize("settings", SOURCE_TIME)
@pytest.mark.parametrize("seed", range(6))
def test_worlds_with_loads_do_not_depend_on_the_order_of_arrival(settings: Settings, seed: int) -> None:
    case = world(seed, 30, settings, with_collisions=False)
    assert not colliding_keys(case)
    assert said(rearranged(case, seed)) == said(case)


@pytest.mark.parametrize("case", ALL)
def test_chains_have_no_gap_and_at_most_one_current_version(case: Case) -> None:
    for chain in chains(case.timeline()):
        assert all(a.effective_to == b.effective_from >= a.effective_from for a, b in pairwise(chain))
        assert [v.effective_to for v in chain][-1] is None
        current = [v.is_current for v in chain]
        assert not any(current[:-1])
        assert current[-1] is (case.settings.deletes == "version" or not chain[-1].deleted)


@pytest.mark.parametrize("case", ALL)
def test_each_source_has_a_chain_without_gaps_and_one_head(case: Case) -> None:
    own = sorted(case.timeline(), key=lambda v: (v.key, v.source))  # stable: each chain stays in order
    for _, group in groupby(own, key=lambda v: (v.key, v.source)):
        chain = list(group)
        assert all(a.source_effective_to == b.effective_from > a.effective_from for a, b in pairwise(chain))
        assert [v.is_head for v in chain] == [False] * (len(chain) - 1) + [True]


@pytest.mark.parametrize("case", ALL)
def test_every_row_received_is_counted_once(case: Case) -> None:
    assert sum(v.seen_count for v in case.timeline()) == len(case.statements)


@pytest.mark.parametrize("case", ALL)
def test_every_origin_is_a_statement_that_was_made_by_then(case: Case) -> None:
    made = {(s.key, s.id): s for s in case.statements}
    for v in case.timeline():
        for name, origin in v.origin.items():
            if origin is None:
                assert v.values[name] is None
            else:
                assert made[v.key, origin[2]].says[name] == v.values[name]
                assert origin[1] <= v.effective_from or name == "note"


@pytest.mark.parametrize("case", ALL)
def test_what_is_known_at_a_receipt_is_what_had_arrived_by_then(case: Case) -> None:
    for n, batch in enumerate(case.batches, 1):
        decided = {load_id: moment for load_id, moment in case.accepted.items() if moment <= batch.received}
        by_then = Case(case.settings, case.batches[:n], decided)
        assert case.timeline(known_at=batch.received) == by_then.timeline()


@pytest.mark.parametrize("case", ALL)
def test_the_order_in_which_rows_are_listed_says_nothing(case: Case) -> None:
    backwards = tuple(replace(batch, statements=batch.statements[::-1], loads=batch.loads[::-1]) for batch in case.batches[::-1])
    assert replace(case, batches=backwards).timeline() == case.timeline()


def test_hearing_everything_again_moves_counts_and_receipts_only() -> None:
    case = histories(3, 200, PLAIN)
    repeats = tuple(replace(s, received=HEARD + 500, run="again") for s in case.statements)
    again = Case(case.settings, (*case.batches, Batch(HEARD + 500, "again", repeats)))
    assert said(again) == [replace(v, seen_count=2 * v.seen_count) for v in said(case)]


def test_the_histories_hold_what_the_rules_are_about() -> None:
    case = histories(4, 1000, PLAIN)
    versions = case.timeline()
    assert len(colliding_keys(case)) > 100
    assert len(versions) < len(case.statements) - 500  # repeats and collapsed runs
    assert sum(v.effective_from == v.effective_to for v in versions) > 100  # outranked at one instant
    assert sum(a.deleted and not b.deleted for chain in chains(versions) for a, b in pairwise(chain)) > 100  # revivals
    assert sum(o is not None and o[0] != v.source for v in versions for o in v.origin.values()) > 100  # taken from others
    late = rearranged(case, 1)
    assert sum(v.first_seen > w.first_seen for chain in chains(late.timeline()) for v, w in pairwise(chain)) > 100


def test_the_worlds_hold_what_absence_is_about() -> None:
    worlds = [world(seed, 40, SCOPED) for seed in range(20)]
    gone = [v for case in worlds for v in case.timeline() if v.seen_count == 0]
    assert len(gone) > 100
    assert any(v.effective_to is not None and v.source_effective_to is not None for v in gone)  # came back
    assert any(not load.complete for case in worlds for load in case.loads)
    held = [Case(case.settings, case.batches).timeline() != case.timeline() for case in worlds if case.accepted]
    assert any(held)
    assert any(len({load.at for load in case.loads}) < len(case.loads) for case in worlds)  # two loads of one instant


def test_a_failing_world_shrinks_to_the_few_rows_and_loads_that_matter() -> None:
    def fails(case: Case) -> bool:
        return any(v.seen_count == 0 for v in case.timeline())

    small = shrink(next(case for case in (world(seed, 30, SCOPED) for seed in range(50)) if fails(case)), fails)

    assert fails(small)
    assert len(small.statements) <= 2  # the key that goes, and at most one that lets the load pass
    assert len(small.loads) <= 2
    assert all(word in story(small) for word in ("scope ('region',)", small.statements[0].key, small.loads[0].load_id, "0 rows seen"))


def test_a_difference_is_told_with_its_seed_and_as_few_rows_as_still_show_it() -> None:
    def wrong(case: Case) -> set[tuple[object, ...]]:
        return {(v.key, v.effective_from, v.deleted) for v in case.timeline() if not v.deleted}  # as if deletes made no version

    def right(case: Case) -> set[tuple[object, ...]]:
        return {(v.key, v.effective_from, v.deleted) for v in case.timeline()}

    case = histories(7, 200, PLAIN)
    told = explained(case, wrong(case), right(case), fails=lambda of: wrong(of) != right(of)).splitlines()
    assert told[0].startswith("seed 7, ")
    assert len([line for line in told if ": deleted {" in line]) == 1
    assert len([line for line in told if line.startswith("run")]) == 1
    assert not [line for line in told if ": there {" in line or ": partial {" in line]


@given(cases(PLAIN))
@hypothesis_settings(max_examples=100, deadline=None)
def test_a_fold_of_any_history_starts_where_its_first_row_speaks(case: Case) -> None:
    assert min(v.effective_from for v in case.timeline()) == min(s.at for s in case.statements)
