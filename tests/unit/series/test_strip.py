"""The strip: one sign per role and time, whatever happened to the partition."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

from muniment.cli.strips import drawn
from muniment.decisions.marks import Mark, Verb
from muniment.model.series import Every, Role
from muniment.series.lineage import Standing, standing
from muniment.series.records import Partition
from muniment.series.strip import strip, svg

ZERO = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def partition(name: str, role: Role, day: int, base: str | None = None, *deltas: str) -> Partition:
    start = ZERO + (day - 1) * DAY
    return Partition(name, role, start, start + DAY, base=base, deltas=deltas)


def a_bad_target_gone_round() -> Standing:
    """Target 3 is bad, 4 was made of it, 5 goes back to 2, and delta 6 has come after target 7 was made."""
    parts = [
        partition("p0", Role.DUMP, 1),
        *(partition(f"p{day - 1}", Role.DELTA, day) for day in (2, 3, 4, 5, 7)),
        partition("q2", Role.TARGET, 2, "p0", "p1"),
        partition("q3", Role.TARGET, 3, "q2", "p2"),
        partition("q4", Role.TARGET, 4, "q3", "p3"),
        partition("q5", Role.TARGET, 5, "q2", "p2", "p3", "p4"),
        partition("q7", Role.TARGET, 7, "q5", "p6"),
        partition("r6", Role.DELTA, 6),
    ]
    return standing(parts, [Mark("m", Verb.MARK, "q3", "jane", "twice the rows", ZERO)])


def test_each_day_has_its_sign_and_the_legend_names_those_that_are_there() -> None:
    picture = strip("ledger", a_bad_target_gone_round(), every=Every.DAY)
    assert list(drawn(picture)) == [
        "ledger: 2026-03-01 to 2026-03-07",
        "        01 02 03 04 05 06 07",
        "dump    █  ·  ·  ·  ·  ·  ·",
        "delta   ·  █  █  █  █  █  █",
        "target  ·  █  ✗  ░  ◆  ·  ▒",
        "        █ good  ◆ substituted  ▒ stale  ░ tainted  ✗ bad",
    ]
    assert list(drawn(strip("ledger", a_bad_target_gone_round(), every=Every.DAY, last=3), ascii_only=True))[4] == "target  @  .  ~"


def test_a_picture_has_a_cell_with_a_title_for_each_role_and_day() -> None:
    drawing = ElementTree.fromstring(svg(strip("a & b", a_bad_target_gone_round(), every=Every.DAY)))
    titles = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}title")]
    assert (len(titles), titles[0], titles[-3]) == (21, "dump 2026-03-01: good", "target 2026-03-05: substituted")


def test_a_series_without_partitions_has_nothing_to_draw() -> None:
    assert list(drawn(strip("ledger", standing([], []), every=Every.DAY))) == ["ledger has no partitions"]
