"""What readers get of a series by name: its newest good target, pinned to its version, by a query or by a view that a catalog keeps."""

from __future__ import annotations

from muniment.lake.location import quote
from muniment.lake.tables import Lake
from muniment.model.series import Series
from muniment.model.tables import state_name, target_name
from muniment.series.rows import DELETED
from muniment.steps.series_store import standing_of


def newest_target(lake: Lake, name: str) -> int | None:
    """The version of the newest target of a series that nothing bad is in."""
    target = standing_of(lake, name).readable()
    return None if target is None else target.version


def target_query(lake: Lake, state: str, version: int) -> str:
    """A version of a state as a query, in today's columns; what it did not know is null (R4)."""
    table = lake.table(state)
    known = set(table.read(version).columns)
    names = ", ".join(
        quote(field.name) if field.name in known else f"CAST(NULL AS {field.dataType.simpleString()}) AS {quote(field.name)}"
        for field in table.read().schema
        if field.name != DELETED
    )
    return f"SELECT {names} FROM {table.identifier} VERSION AS OF {version} WHERE NOT {DELETED}"  # noqa: S608 - names of our own


def show_target(lake: Lake, series: Series) -> None:
    """Let the catalog's view be the newest good target; where there is none, nobody shall read a bad one, and the view goes.

    Another process may publish meanwhile: what is shown is looked at again until it is the newest.
    """
    if not lake.has_catalog or not lake.table(state_name(series)).exists():
        return
    shown: int | None = -1
    wanted = newest_target(lake, series.name)
    while wanted != shown:
        lake.view_of(target_name(series), None if wanted is None else target_query(lake, state_name(series), wanted))
        shown, wanted = wanted, newest_target(lake, series.name)
