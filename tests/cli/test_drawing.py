"""The picture of a key's timeline: what a reader sees of it at a glance, in any terminal, whatever the values are."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from muniment.cli.drawing import WIDEST, Bar, draw


@dataclass(frozen=True, slots=True)
class Said:
    """What a source said at an instant; of one instant, the last in a story has the highest rank."""

    source: str
    at: str
    values: Mapping[str, str | None] = field(default_factory=dict)
    deleted: bool = False
    late: bool = False


def story(*said: Said) -> list[Bar]:
    """The versions that sources make by what they said, in order of time."""
    starts = [datetime.fromisoformat(each.at).replace(tzinfo=UTC) for each in said]
    bars = []
    for at, each in enumerate(said):
        own = next((start for start, other in zip(starts[at + 1 :], said[at + 1 :], strict=True) if other.source == each.source), None)
        end = next(iter(starts[at + 1 :]), None)
        bars.append(Bar(each.source, starts[at], end, own, each.values, deleted=each.deleted, current=end is None, late=each.late))
    return bars


def drawn(bars: Sequence[Bar], *, width: int = 120, unicode: bool = True) -> list[str]:
    return [line.plain for line in draw(bars, width=width, unicode=unicode)]


def picture(text: str) -> list[str]:
    """Lines as a person draws them in a test, without the indentation of the code."""
    return [line[4:] for line in text.strip("\n").splitlines() if line.strip()]


def lane(lines: Sequence[str], name: str) -> str:
    return next(line for line in lines if line.startswith(f"{name} "))


CUSTOMER = story(
    Said("core", "2026-03-01T09:00", {"name": "Jane", "status": None}),
    Said("core", "2026-03-01T10:00", {"name": "Jane", "status": "Restricted"}, late=True),
    Said("core", "2026-03-01T11:00", {"name": "Jane", "status": "Restricted"}, deleted=True),
)
MANY = story(*(Said(("core", "crm")[at % 2], f"2026-01-{at + 1:02}", {"limit": str(at * 100)}) for at in range(30)))


def test_a_late_row_and_a_delete_are_seen_at_a_glance() -> None:
    assert drawn(CUSTOMER) == picture("""
           2026-03-01
    UTC    09:00        10:00                  11:00
           ┬────────────┬──────────────────────┬───────────
    core   ┣ name=Jane ━┣ ◆ status=Restricted ━┣░deleted░░►
    holds  ╞ core ══════╞ core ════════════════╞░● core░░░►
    ═ holds: whose version answers   ● current   ► open end   ░ deleted   ◆ late: received after something newer
    """)


def test_an_outranked_version_is_seen_in_its_own_lane_and_a_closed_one_ends() -> None:
    new_year = datetime(2026, 1, 2, tzinfo=UTC)
    bars = [
        Bar("core", datetime(2025, 12, 31, tzinfo=UTC), new_year, new_year, {"city": "Bern"}),
        Bar("crm", new_year, new_year, datetime(2026, 2, 1, tzinfo=UTC), {"city": "Thun"}),
        Bar("core", new_year, None, None, {"city": "Basel"}, current=True),
    ]
    assert drawn(bars) == picture("""
    UTC    2025-12-31   2026-01-02     02-01
           ┬────────────┬──────────────┬─────────
    core   ┣ city=Bern ━┣ city=Basel ━━━━━━━━━━━►
    crm                 ┣ ○ city=Thun ━
    holds  ╞ core ══════╞ ● core ═══════════════►
    ═ holds: whose version answers   ● current   ► open end   ○ never held: outranked at its instant
    """)


def test_without_unicode_the_same_picture_is_ascii() -> None:
    bars = [*CUSTOMER[:2], replace(CUSTOMER[2], values={"name": "Jürg", "status": "Restricted"})]
    assert drawn(bars, unicode=False) == picture("""
           2026-03-01
    UTC    09:00        10:00                  11:00
           +------------+----------------------+-------------------------
    core   | name=Jane -| * status=Restricted -|:deleted, name=J\\xfcrg::>
    holds  | core ======| core ================|:@ core:::::::::::::::::>
    = holds: whose version answers   @ current   > open end   : deleted   * late: received after something newer
    """)


def test_the_source_that_spoke_first_has_the_first_lane_and_the_chain_has_the_last() -> None:
    bars = story(Said("zeta", "2026-01-01"), Said("alpha", "2026-01-02"), Said("zeta", "2026-01-03"), Said("mid", "2026-01-04"))
    assert [line.split()[0] for line in drawn(bars)[2:6]] == ["zeta", "alpha", "mid", "holds"]


def test_of_sources_that_spoke_first_at_one_instant_the_one_that_held_is_on_top() -> None:
    bars = story(Said("lower", "2026-01-01", {"city": "Thun"}), Said("upper", "2026-01-01", {"city": "Bern"}))
    assert [line.split()[0] for line in drawn(bars)[2:5]] == ["upper", "lower", "holds"]


def test_the_order_in_which_versions_are_given_does_not_matter() -> None:
    assert drawn(CUSTOMER[::-1]) == drawn(CUSTOMER)


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        (Said("a", "2026-01-01", {"x": "1", "y": "2"}), Said("b", "2026-01-02", {"x": "1", "y": "3"}), "┣ y=3 ━"),
        (Said("a", "2026-01-01", {"x": "1"}), Said("b", "2026-01-02", {"x": None}), "┣ no x ━"),
        (Said("a", "2026-01-01", {"x": "1"}), Said("b", "2026-01-02", {}), "┣ no x ━"),
        (Said("a", "2026-01-01", {"x": "1"}), Said("b", "2026-01-02", {"x": ""}), "┣ x='' ━"),
        (Said("a", "2026-01-01", {"x": None}), Said("b", "2026-01-02", {"x": "1", "y": None}), "┣ x=1 ━"),
        (Said("a", "2026-01-01", {"x": "1"}), Said("b", "2026-01-02", {"x": "1"}), "┣ no change shown ━"),
        (Said("a", "2026-01-01", deleted=True), Said("b", "2026-01-02", {"x": "1"}), "┣ not deleted, x=1 ━"),
        (Said("a", "2026-01-01", deleted=True), Said("b", "2026-01-02", deleted=True), "┣░deleted░"),
    ],
)
def test_a_bar_says_what_its_version_changed_against_the_one_before_it_in_the_chain(before: Said, after: Said, label: str) -> None:
    assert label in lane(drawn(story(before, after)), "b")


def test_a_first_version_says_all_that_it_knows() -> None:
    assert "┣ x=1, z=3 ━" in lane(drawn(story(Said("a", "2026-01-01", {"x": "1", "y": None, "z": "3"}))), "a")
    assert "┣ nothing shown ━" in lane(drawn(story(Said("a", "2026-01-01"))), "a")


def test_only_open_ends_have_an_arrow() -> None:
    closed = [replace(CUSTOMER[0], end=CUSTOMER[1].start)]
    assert lane(drawn(CUSTOMER), "core").endswith("►")
    assert not any("►" in line for line in drawn(closed))
    assert drawn(closed)[1].split() == ["UTC", "09:00", "10:00"]
    assert len(drawn(closed)[1]) == len(drawn(closed)[2])
    assert "┣" in lane(drawn(closed, width=12), "core")


def test_the_legend_names_only_the_marks_that_occur() -> None:
    assert drawn(story(Said("a", "2026-01-01", {"x": "1"})))[-1] == "═ holds: whose version answers   ● current   ► open end"


def test_a_legend_of_several_lines_is_broken_between_its_marks() -> None:
    assert drawn(CUSTOMER, width=60)[-2:] == [
        "═ holds: whose version answers   ● current   ► open end",
        "░ deleted   ◆ late: received after something newer",
    ]


def test_a_version_of_no_length_in_both_chains_is_still_seen() -> None:
    instant = CUSTOMER[1].start
    bars = [*CUSTOMER, Bar("core", instant, instant, instant, {"name": "Jo"})]
    lines = drawn(bars)
    assert lane(lines, "core").count("┣") == lane(lines, "holds").count("╞") == len(CUSTOMER)
    assert lines[4].split("━")[0].strip() == "┣ ○ name=Jo"
    alone = drawn([Bar("core", instant, instant, instant, {"name": "Jo"})])
    assert "┣ ○ name=Jo ━" in lane(alone, "core")
    assert alone[-1] == "○ never held: outranked at its instant"


@pytest.mark.parametrize(
    ("instants", "dates", "times"),
    [
        (["2026-01-01", "2026-01-02", "2027-01-02"], ["2026-01-01", "01-02", "2027-01-02"], []),
        (["2026-01-01T00:00", "2026-01-01T09:30", "2026-01-02T00:00"], ["2026-01-01", "01-02"], ["00:00", "09:30", "00:00"]),
        (["2026-01-01T09:30", "2026-01-01T09:30:01"], ["2026-01-01"], ["09:30:00", "09:30:01"]),
        (["2026-01-01T09:30", "2026-01-01T09:30:00.250"], ["2026-01-01"], ["09:30:00.000", "09:30:00.250"]),
        (["2026-01-01T09:30", "2026-01-01T09:30:00.000001"], ["2026-01-01"], ["09:30:00.000000", "09:30:00.000001"]),
    ],
)
def test_ticks_say_no_more_than_what_tells_them_apart(instants: list[str], dates: list[str], times: list[str]) -> None:
    lines = drawn(story(*(Said("a", at) for at in instants)))
    assert lines[0].removeprefix("UTC").split() == dates
    assert lines[1].removeprefix("UTC").split() == times or not times


def test_times_are_shown_in_utc() -> None:
    zurich = timezone(timedelta(hours=2))
    bar = Bar("a", datetime(2026, 7, 1, 1, 30, tzinfo=zurich), None, None, {})
    assert [line.split() for line in drawn([bar])[:2]] == [["2026-06-30"], ["UTC", "23:30"]]


def test_each_label_stands_at_its_tick_and_each_bar_begins_at_one() -> None:
    dates, ruler, *lanes = drawn(MANY, width=80)[:-2]
    ticks = {at.start() for at in re.finditer("┬", ruler)}
    assert {at.start() for at in re.finditer(r"\d\S+", dates)} == ticks
    assert {at.start() for line in lanes for at in re.finditer("[┣╞◄]", line)} == ticks


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_of_more_versions_than_fit_the_newest_are_drawn_and_the_others_counted(width: int) -> None:
    lines = drawn(MANY, width=width)
    lanes = "".join(lane(lines, name) for name in ("core", "crm"))
    seen = len(re.findall("[┣◄]", lanes))
    assert "►" in lane(lines, "core")
    assert "01-30" in lines[0]
    assert 5 <= seen < len(MANY)
    assert lines[-1] == f"{len(MANY) - seen} older versions are left out; --output json shows all"
    assert "◄ began before" in " ".join(lines)


def test_one_version_left_out_is_one() -> None:
    bars = next(bars for bars in (MANY[-count:] for count in range(1, len(MANY))) if "left out" in drawn(bars, width=80)[-1])
    assert drawn(bars, width=80)[-1] == "1 older version is left out; --output json shows all"


def test_a_narrow_terminal_cuts_labels_and_still_shows_every_version() -> None:
    lines = drawn(CUSTOMER, width=44)
    assert lane(lines, "core").count("┣") == len(CUSTOMER)
    assert "┣ ◆ st" in lane(lines, "core")
    assert "…" in lane(lines, "core")
    assert max(map(cell_len, lines)) <= 44


def test_a_wide_terminal_is_not_filled_for_its_own_sake() -> None:
    assert drawn(CUSTOMER, width=100_000) == drawn(CUSTOMER, width=120)
    assert max(map(cell_len, drawn(story(Said("a", "2026-01-01", {str(at): "x" * 90 for at in range(90)})), width=100_000))) <= WIDEST


def test_a_long_value_leaves_room_for_the_next_one() -> None:
    line = lane(drawn(story(Said("a", "2026-01-01", {"note": "word" * 1000, "status": "Active"}))), "a")
    assert "…, status=Active ━" in line


def test_a_cut_label_says_so_whatever_its_letters_are_made_of() -> None:
    for name in ("e\u0301" * 90, "東" * 90):
        line = lane(drawn(story(Said("a", "2026-01-01", {name: "1"}), Said("a", "2026-01-02", {"x": "1"})), width=60), "a")
        assert re.search("… ━?┣", line)  # half of a wide letter is no letter


def test_without_unicode_a_value_can_make_no_bar_either() -> None:
    assert "| x=1\\x7c2 -" in lane(drawn(story(Said("a", "2026-01-01", {"x": "1|2"})), unicode=False), "a")


def test_a_long_source_name_is_cut() -> None:
    lines = drawn(story(Said("a_warehouse_with_a_very_long_name", "2026-01-01", {"x": "1"})), width=60)
    assert lines[2].startswith("a_warehouse…  ┣ x=1")


HOSTILE = {
    "a line break": ("a\nb\r\nc", r"a\nb\r\nc"),
    "a tab": ("a\tb", r"a\tb"),
    "a terminal command": ("\x1b[2J\x07", r"\x1b[2J\x07"),
    "text turned around": ("a\u202eb\u200d", r"a\u202eb\u200d"),
    "half a character": ("\ud800", r"\ud800"),
    "markup": ("[bold]x[/]", "[bold]x[/]"),
    "an emoji name": (":smile:", ":smile:"),
    "a bar of its own": ("x ┣ ◆ y", r"x \u2523 \u25c6 y"),
    "wide characters": ("東京都", "東京都"),
    "a variation selector": ("❤\ufe0f", "❤"),
}


@pytest.mark.parametrize(("value", "shown"), HOSTILE.values(), ids=HOSTILE.keys())
def test_no_value_attribute_or_source_can_break_the_picture(value: str, shown: str) -> None:
    bars = story(Said("a", "2026-01-01", {"x": value}), Said(value, "2026-01-02", {value: "1"}), Said("a", "2026-01-03", {"x": "2"}))
    lines = drawn(bars)
    assert f"┣ x={shown} ━" in lines[2]
    assert f"{shown}=1, no x ━" in lines[3]
    assert lines[3].startswith(shown[:19])
    assert len({cell_len(line) for line in lines[1:5]}) == 1
    assert "".join(lines).isprintable()
    assert printed(bars, width=120) == lines


def printed(bars: Sequence[Bar], *, width: int) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width)
    for line in draw(bars, width=width):
        console.print(line)
    return out.getvalue().splitlines()


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw([], width=80) == []


TEXT = st.text(st.characters() | st.sampled_from("東\ufe0f\u0301\n[]┣|"), max_size=30)
SAID = st.builds(
    Said,
    source=st.sampled_from(["core", "crm", "東京 warehouse"]) | TEXT,
    at=st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 9)).map(datetime.isoformat)  # noqa: DTZ001 - the story adds the zone
    | st.sampled_from(["2026-01-01T00:00", "2026-01-02T00:00"]),
    values=st.dictionaries(st.sampled_from(["name", "status"]) | TEXT, st.none() | TEXT, max_size=4),
    deleted=st.booleans(),
    late=st.booleans(),
)


@given(said=st.lists(SAID, min_size=1, max_size=25), width=st.integers(1, 220), unicode=st.booleans())
def test_no_line_is_wider_than_the_terminal(said: list[Said], width: int, unicode: bool) -> None:
    lines = drawn(story(*sorted(said, key=lambda each: datetime.fromisoformat(each.at))), width=width, unicode=unicode)
    assert max(map(cell_len, lines)) <= width
    assert "".join(lines).isprintable()
    assert unicode or "".join(lines).isascii()


@given(said=st.lists(SAID, min_size=1, max_size=25), width=st.integers(60, 200))
def test_every_tick_has_its_own_label_and_every_lane_ends_where_the_axis_ends(said: list[Said], width: int) -> None:
    lines = drawn(story(*sorted(said, key=lambda each: datetime.fromisoformat(each.at))), width=width)
    at = next(number for number, line in enumerate(lines) if line.strip().startswith("┬"))
    ticks = [found.start() for found in re.finditer("┬", lines[at])]
    assert [found.start() for found in re.finditer(r"(?<=\s)\S+", lines[at - 1])] == ticks
    open_lanes = [line for line in lines[at + 1 :] if line.endswith("►")]
    assert {cell_len(line) for line in open_lanes} == {cell_len(lines[at])}
