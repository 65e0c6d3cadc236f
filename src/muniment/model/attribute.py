"""What an entity is described by: its key parts and its attributes."""

from __future__ import annotations

from dataclasses import dataclass, field

from muniment.model.info import Info


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One column of the business key. Its type is a canonical type name (model/types.py)."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing a source may say about an entity."""

    name: str
    type: str
    scale: int | None = None  # compared after rounding to so many places, stored as it came
    trim: bool = False  # compared without white space at the ends, stored as it came
    track: bool = True  # False: kept as evidence, never makes a version (R2)
    sensitive: bool = False  # masked wherever people look
    info: Info = field(default_factory=Info)
