"""Tables fit the terminal, and no value can play with it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from muniment.cli.sheet import Kind, Sheet, cell, show

RUNS = Sheet(
    {"run": Kind.NAME, "what": Kind.TEXT, "started": Kind.TIME, "landed": Kind.COUNT},
    [{"run": "01M7H26HTHNSA3C36W5FNWJ730", "what": "land customer from a source with a long name", "started": "2026-03-01T09:00:00.000000Z", "landed": 1204}],
)  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_is_never_wider_than_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show(RUNS)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= width


def test_what_fits_is_shown_whole_with_readable_numbers_and_times(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    show(RUNS)
    out = capsys.readouterr().out
    assert "01M7H26HTHNSA3C36W5FNWJ730" in out
    assert "2026-03-01T09:00:00Z" in out
    assert "1,204" in out


def test_rows_with_more_columns_than_fit_stand_one_below_the_other(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = [f"column_{number}" for number in range(30)]
    show(Sheet(dict.fromkeys(names, Kind.TEXT), [{name: f"value_of_{name}" for name in names}]))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:3]] == [["row", "1"], ["column_0", "value_of_column_0"], ["column_1", "value_of_column_1"]]
    assert max(map(len, lines)) <= 80


def test_a_pipe_gets_each_row_on_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    show(Sheet({"text": Kind.TEXT, "more": Kind.TEXT}, [{"text": "word " * 60, "more": "x"}]), whole=True)
    assert ("word " * 60).strip() in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (1234567, Kind.COUNT, "1,234,567"),
        (1234567, Kind.NUMBER, "1234567"),
        (Decimal("2500.00"), Kind.NUMBER, "2500.00"),
        ("2026-03-01T09:00:00.000000Z", Kind.TIME, "2026-03-01T09:00:00Z"),
        ("2026-03-01T09:00:00.120000Z", Kind.TIME, "2026-03-01T09:00:00.12Z"),
        ("2026-03-01", Kind.TIME, "2026-03-01"),
        (["one", "two"], Kind.TEXT, "one; two"),
        ({"a": 1}, Kind.TEXT, '{"a": 1}'),
        (None, Kind.TEXT, ""),
        ("\x1b[31mred\x1b[0m\n[bold]x[/bold]", Kind.TEXT, "\\x1b[31mred\\x1b[0m\\n[bold]x[/bold]"),
    ],
)
def test_a_value_is_shown_as_people_read_it(value: object, kind: Kind, shown: str) -> None:
    assert cell(value, kind) == shown


def test_markup_in_a_value_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    show(Sheet({"x": Kind.TEXT}, [{"x": "[red]stop[/red] :smile:"}]))
    assert "[red]stop[/red] :smile:" in capsys.readouterr().out
