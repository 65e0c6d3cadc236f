"""A whole project: its entities, where its lake is, and whom it may talk to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from muniment.model.dimension import Dimension
from muniment.model.entity import Entity
from muniment.model.info import Info
from muniment.model.load import Load
from muniment.model.series import Series


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that is never written down here: an environment variable or a file holds it."""

    kind: str  # env | file
    name: str


Setting = str | int | float | bool | Reference


@dataclass(frozen=True, slots=True)
class LakeLocation:
    """Tables below a path, or in a catalog with its own schema names; `files` is where a catalog's lake keeps what is no table."""

    path: str | None = None
    catalog: str | None = None
    schemas: Mapping[str, str] = field(default_factory=dict)
    files: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    name: str
    lake: LakeLocation


@dataclass(frozen=True, slots=True)
class Connection:
    name: str
    settings: Mapping[str, Setting]


@dataclass(frozen=True, slots=True)
class Alert:
    kind: str  # log | file | webhook | command
    settings: Mapping[str, Setting]


@dataclass(frozen=True, slots=True)
class ProjectModel:
    name: str
    root: Path  # the folder that relative paths start from and that no path may leave
    lake: LakeLocation
    entities: tuple[Entity, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    loads: tuple[Load, ...] = ()
    series: tuple[Series, ...] = ()
    targets: tuple[Target, ...] = ()
    connections: tuple[Connection, ...] = ()
    alerts: tuple[Alert, ...] = ()
    spark: Mapping[str, str] = field(default_factory=dict)
    info: Info = field(default_factory=Info)
