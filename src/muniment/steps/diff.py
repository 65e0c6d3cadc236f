"""Diff: two sets given as frames or as captures; an incomplete capture is neither."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.arrival.captured import read_captures
from muniment.arrival.files import InputFile, inside
from muniment.captures.diff import Diff, DiffSpec, Scaled, diff
from muniment.captures.errors import CaptureDamaged, CaptureIncomplete
from muniment.captures.found import captures_below, is_intact
from muniment.gate.cast import cast
from muniment.gate.fields import Fields
from muniment.gate.rows import UNREADABLE
from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.model.source import Read, Source

Side = DataFrame | str | Path | None


def spec_of(entity: Entity, source: Source | None = None) -> DiffSpec:
    """The comparison that an entity declares: its key, its tracked attributes, each with its own rounding."""
    tracked = {a.name: a for a in entity.tracked}
    scaled = {name: Scaled(a.scale) for name, a in tracked.items() if a.scale is not None}
    return DiffSpec(tuple(part.name for part in entity.key), tuple(tracked), scaled, source.scope if source else ())


def diff_sets(  # noqa: PLR0913 - all that a caller of the library may give
    lake: Lake, root: Path, given: tuple[Side, Side], *, fields: Fields | None, spec: DiffSpec, delisted: DataFrame | None = None
) -> Diff:
    """Compare two sets; a path is a capture of the source that `fields` name."""
    previous, current = (_frame(lake, root, each, fields) for each in given)
    if current is None:
        raise CaptureDamaged(path="current", problem="there is nothing to compare with")
    return diff(previous, current, spec, delisted=delisted)


def _frame(lake: Lake, root: Path, given: Side, fields: Fields | None) -> DataFrame | None:
    if given is None or isinstance(given, DataFrame):
        return given
    if fields is None:
        raise CaptureDamaged(path=str(given), problem="a capture is read by its source's names; give entity and source too")
    return captured_frame(lake, root, Path(given), fields)


def captured_frame(lake: Lake, root: Path, path: Path, fields: Fields) -> DataFrame:
    """The records of one capture, in the types that the entity declares."""
    found = captures_below(inside(path, root)).captures
    if len(found) != 1 or found[0].problem is not None or not is_intact(found[0]):
        raise CaptureDamaged(path=str(path), problem=f"there are {len(found)} captures" if len(found) != 1 else "its records are not whole")
    (one,) = found
    if not one.manifest.complete:
        raise CaptureIncomplete(path=str(path), reason=one.manifest.reason)
    file = InputFile(one.records, str(path), 0, str(path), one.manifest.effective, wrapped=one.is_v1)
    read = fields.source.read
    if not isinstance(read, Read):
        raise CaptureDamaged(path=str(path), problem="its source has no place")
    (rows,) = read_captures(lake.spark, [file], read, fields=fields)
    columns = {**{p.name: p.type for p in fields.entity.key}, **{a.name: a.type for a in fields.entity.attributes}}
    typed = [cast(*rows.value(fields.names(name)), kind).value.alias(name) for name, kind in columns.items()]
    return rows.frame.where(F.col(UNREADABLE).isNull()).select(*typed)
