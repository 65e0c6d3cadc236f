"""A partition's checksum against that of a reference: a table, or the same partition of another series, which needs no row."""

from __future__ import annotations

from muniment.model.check import SameChecksum
from muniment.model.names import find
from muniment.series.checks import Finding
from muniment.series.checksum import sums_of
from muniment.series.records import Partition
from muniment.steps.readers import table as table_named
from muniment.steps.series_scene import Scene
from muniment.steps.series_store import standing_of


def of_reference(scene: Scene, made: Partition) -> list[Finding]:
    """What differs from its reference; one that is not there yet says nothing."""
    checks = [check for check in scene.series.checks if isinstance(check, SameChecksum)]
    return [found for check in checks if (found := _differs(scene, made, check))]


def _differs(scene: Scene, made: Partition, check: SameChecksum) -> Finding | None:
    name = check.series or check.table or ""
    wanted = _of_series(scene, made, name) if check.series else sums_of(table_named(scene.lake, name)).checksum
    if wanted is None or wanted == made.checksum:
        return None
    return Finding(f"checksum {name}", f"{made.checksum[:12]} instead of {wanted[:12]}", check.on_fail)


def _of_series(scene: Scene, made: Partition, name: str) -> str | None:
    other = standing_of(scene.lake, find("series", name, scene.others).name).at(made.role, made.start)
    return other.checksum if other else None
