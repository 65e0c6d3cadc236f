"""How well sources keep time, measured per source and run and kept in the record of runs."""

from __future__ import annotations

import pytest

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

pytestmark = pytest.mark.heavy  # each story needs a lake or a process of its own: make heavy

ITEM = """
entity: item
key: {id: string}
attributes: {name: string}
sources:
  feed: {load: changes, event_time: at, sequence: [seq]}
"""


def row(key: str, at: str | None, seq: int, name: str) -> dict[str, object]:
    return {"id": key, "at": at, "seq": seq, "name": name}


def test_lateness_lag_ties_backward_sequences_repeats_and_bad_times_are_counted_per_run(make: Make) -> None:
    project = make(ITEM)
    project.land("item", "feed", [row("1", day(5), 9, "a"), row("2", day(5), 9, "b")], received_at="2026-03-06")
    second = [
        row("1", day(4), 10, "late"),
        row("1", day(7), 3, "its sequence went back"),
        row("2", day(5), 9, "b"),
        row("3", day(8), 1, "tied"),
        row("3", day(8), 1, "tied too"),
        row("4", None, 1, "no time"),
        row("4", "0001-01-01", 1, "no possible time"),
    ]
    landed = project.land("item", "feed", second, received_at="2026-03-09")
    project.derive("item")

    newest, oldest = project.monitor("item").collect()
    assert (newest["run_id"], newest["rows"], newest["late"], newest["late_ratio"]) == (landed.run_id, 5, 1, 0.2)
    assert (newest["backward"], newest["ties"], newest["repeats"]) == (1, 2, 1)
    assert (newest["null_times"], newest["impossible_times"]) == (1, 1)
    assert (newest["lag_p50"], newest["lag_max"]) == (2 * 86_400.0, 5 * 86_400.0)  # 1, 1, 2, 4 and 5 days
    assert (oldest["rows"], oldest["late"], oldest["lag_max"]) == (2, 0, 86_400.0)

    (kept,) = project.runs("item").where("step = 'monitor'").collect()
    assert (kept["counts"]["feed.late"], kept["counts"]["feed.rows"], kept["counts"]["feed.ties"]) == (1, 7, 2)


def test_a_source_that_is_silent_for_much_longer_than_usual_is_warned_of(make: Make) -> None:
    project = make(ITEM)
    for number in (1, 2, 3):
        project.land("item", "feed", [row("1", day(number), number, "x")], received_at=day(number))
    warnings = [row["warning"] for row in project.monitor("item").collect()]
    assert warnings[0].startswith("silent for ")  # the stories are from March, and heard daily
    assert warnings[0].endswith("usually heard every 24 hours")
    assert warnings[1:] == [None, None]
