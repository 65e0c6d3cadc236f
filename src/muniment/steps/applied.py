"""What an apply did, in numbers."""

from __future__ import annotations

from muniment.model.dimension import Dimension
from muniment.steps.replacing import Counted
from muniment.steps.results import Applied


def applied(dimension: Dimension, counted: Counted, *, members: int, refused: int = 0) -> Applied:
    """The outcome for as many members as something new was said of."""
    updated = counted.members - counted.inserted - counted.deleted
    return Applied(
        dimension.name,
        changed=counted.changed,
        opened=counted.opened,
        closed=counted.closed,
        inserted=counted.inserted,
        updated=updated,
        deleted=counted.deleted,
        unchanged=members - counted.members,
        refused=refused,
    )
