"""Whatever happens inside a command ends in few words and the right exit code."""

from __future__ import annotations

import pytest
import typer

from muniment.cli.failures import reported
from muniment.errors import BadArgument, DataRefused, InfrastructureFailed


class Refused(DataRefused):
    code = "MU-TEST-003"
    what = "{rows} rows are refused"
    do = "Send others."


class Broken(InfrastructureFailed):
    code = "MU-TEST-004"
    what = "the disk is gone"


def ends(error: BaseException, *, debug: bool = False) -> int:
    """The exit code of a command in which this is raised."""
    with pytest.raises(typer.Exit) as ended, reported(debug=debug):
        raise error
    return ended.value.exit_code


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (BadArgument(argument="--x", problem="it is odd", advice="Make it even."), 2, "MU-ARG-001 --x: it is odd\n  Make it even.\n"),
        (Refused(rows=3), 3, "MU-TEST-003 3 rows are refused\n  Send others.\n"),
        (Broken(), 4, "MU-TEST-004 the disk is gone\n"),
    ],
)
def test_a_coded_error_says_what_happened_and_what_to_do(
    capsys: pytest.CaptureFixture[str], error: Exception, code: int, said: str
) -> None:
    assert ends(error) == code
    assert capsys.readouterr() == ("", said)


def test_an_unexpected_error_is_one_line_and_the_way_to_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends(ValueError("the first line\nand a long tale")) == 4
    assert capsys.readouterr().err.splitlines() == [
        "MU-BUG-001 unexpected ValueError: the first line",
        "  --debug shows where it comes from.",
    ]


def test_debug_shows_where_an_error_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends(ValueError("oh"), debug=True) == 4
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_interrupting_ends_with_130_and_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends(KeyboardInterrupt()) == 130
    assert "same command again" in capsys.readouterr().err


def test_a_message_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    ends(BadArgument(argument="path", problem="\x1b[2Jgone\r", advice="Look."))
    assert capsys.readouterr().err == "MU-ARG-001 path: \\x1b[2Jgone\\r\n  Look.\n"
