"""When a source's growth or silence is odd enough to say so."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from muniment.quality.monitors import Grown, Landing, jumps, silences

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def grown(*versions: int) -> list[Grown]:
    return [Grown("crm", date(2026, 3, 1) + timedelta(days=number), count) for number, count in enumerate(versions)]


@pytest.mark.parametrize(
    ("versions", "warned"), [((10, 12, 11, 60), True), ((10, 12, 11, 40), False), ((1, 1, 1, 15), False), ((500,), False)]
)
def test_a_jump_is_five_times_the_usual_and_not_a_handful(versions: tuple[int, ...], warned: bool) -> None:
    assert bool(jumps(grown(*versions))) is warned


@pytest.mark.parametrize(
    ("hours", "warned"), [((96, 72, 48, 24), False), ((168, 144, 120, 96), True), ((400,), False), ((400, 300), False)]
)
def test_silence_is_three_times_the_usual_pause(hours: tuple[int, ...], warned: bool) -> None:
    heard = [Landing("crm", str(hour), NOON - timedelta(hours=hour)) for hour in hours]
    assert bool(silences(heard, now=NOON)) is warned


def test_a_warning_says_how_much_and_what_is_usual() -> None:
    assert jumps(grown(10, 12, 11, 60)) == {"crm": "jump: 60 new versions on 2026-03-04, usually about 11"}
    heard = [Landing("crm", str(hour), NOON - timedelta(hours=hour)) for hour in (168, 144, 120, 96)]
    assert silences(heard, now=NOON) == {"crm": "silent for 4 days, usually heard every 24 hours"}
