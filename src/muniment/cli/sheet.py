"""Tables for a terminal: they fit its width, numbers are readable, times are ISO in UTC, and no value can move the cursor."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from muniment.config.mistakes import printable

LONGEST = 200  # what a cell shows, unless all is asked for
UNBOUNDED = 100_000


class Kind(Enum):
    """How the values of a column are shown."""

    TEXT = "text"
    COUNT = "count"  # with thousands separators
    NUMBER = "number"  # as it is: it may be a key
    TIME = "time"
    NAME = "name"  # never broken over lines


@dataclass(frozen=True, slots=True)
class Sheet:
    """Columns, and rows of plain values under them."""

    columns: Mapping[str, Kind]
    rows: Sequence[Mapping[str, Any]]


def show(sheet: Sheet, *, whole: bool = False) -> None:
    """Print a sheet: as a table, or each row on its own where a table would not fit."""
    console = stdout()
    table = _table(sheet, whole=whole)
    unbounded = console.options.update(max_width=UNBOUNDED)
    if len(sheet.columns) > 1 and console.measure(table, options=unbounded).minimum > console.width:
        for number, row in enumerate(sheet.rows, start=1):
            console.print(Text(f"row {number}", style="bold"))
            console.print(_record(sheet, row, whole=whole))
        return
    console.print(table)


def stdout() -> Console:
    """The terminal as wide as it is; in a pipe lines are not cut, unless COLUMNS says so."""
    console = _console(None)
    whole = not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit()
    return _console(UNBOUNDED) if whole else console


def _console(width: int | None) -> Console:
    """With NO_COLOR not even bold, so that nothing but text is printed."""
    plain = bool(os.environ.get("NO_COLOR"))
    return Console(color_system=None if plain else "auto", highlight=False, markup=False, emoji=False, width=width)


def cell(value: Any, kind: Kind = Kind.TEXT, *, whole: bool = True) -> str:
    """One value as people read it.

    >>> cell(1204, Kind.COUNT), cell("2026-03-01T09:00:00.500000Z", Kind.TIME), cell(None), cell(True), cell([1, 2]), cell(Decimal("2.50"))
    ('1,204', '2026-03-01T09:00:00.5Z', '', 'true', '[1, 2]', '2.50')
    """
    if value is None:
        return ""
    if kind is Kind.COUNT and isinstance(value, int):
        return f"{value:,}"
    if kind is Kind.TIME:
        return re.sub(r"\.?0*Z$", "Z", str(value)) if "." in str(value) else str(value)
    text = _text(value)
    return printable(text if whole or len(text) <= LONGEST else f"{text[:LONGEST]}…")


def _text(value: Any) -> str:
    if isinstance(value, str | Decimal):
        return str(value)
    if value and isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def _table(sheet: Sheet, *, whole: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for name, kind in sheet.columns.items():
        right = kind in (Kind.COUNT, Kind.NUMBER)
        table.add_column(Text(printable(name)), justify="right" if right else "left", no_wrap=kind is not Kind.TEXT, overflow="fold")
    for row in sheet.rows:
        table.add_row(*(Text(cell(row.get(name), kind, whole=whole)) for name, kind in sheet.columns.items()))
    return table


def _record(sheet: Sheet, row: Mapping[str, Any], *, whole: bool) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, kind in sheet.columns.items():
        grid.add_row(Text(f"  {printable(name)}"), Text(cell(row.get(name), kind, whole=whole)))
    return grid
