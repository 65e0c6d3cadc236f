"""The newest instant that a dimension has heard of: what is later than that needs nothing but the versions there are."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from muniment import clock
from muniment.dimensions.statements import GOING_ON
from muniment.lake.tables import Lake
from muniment.model.dimension import Dimension, Unmatched
from muniment.model.dimension_tables import dimension_name

KEY = "newest"


def newest(lake: Lake, dimension: Dimension) -> datetime | None:
    """The newest instant of all that the dimension was made of."""
    table = lake.table(dimension_name(dimension))
    said = table.last_metadata(KEY) if table.exists() else None
    return clock.from_micros(said)


def newest_said(lake: Lake, dimension: Dimension, last: datetime | None) -> dict[str, Any]:
    """As it stands in the dimension's commit."""
    known = [moment for moment in (newest(lake, dimension), last) if moment is not None]
    return {KEY: clock.micros(max(known))} if known else {}


def goes_on(lake: Lake, dimension: Dimension, since: datetime | None) -> bool:
    """All that is new is later than all that was said, and the versions hold what is needed to go on."""
    able = all(column.scd in GOING_ON for column in dimension.columns) and dimension.unmatched is Unmatched.UNKNOWN
    known = newest(lake, dimension) if able and since is not None else None
    return known is not None and since is not None and since > known
