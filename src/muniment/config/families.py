"""The kinds of things a file may describe; a new one is one addition here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from muniment.config.build import build_entity
from muniment.config.entity_rules import ENTITY_RULES
from muniment.config.entity_shape import EntityShape
from muniment.config.series_build import build_series
from muniment.config.series_rules import SERIES_RULES
from muniment.config.series_shape import SeriesShape
from muniment.config.shape import Shape
from muniment.config.source_rules import SOURCE_RULES
from muniment.config.subject import Findings, Subject


@dataclass(frozen=True, slots=True)
class Family:
    """What a file that begins with `name` must look like, what it is judged by, and what is made of it."""

    name: str
    shape: type[Shape]
    rules: tuple[Callable[[Subject[Any]], Findings], ...]
    build: Callable[[Any], Any]


ENTITY = Family("entity", EntityShape, (*ENTITY_RULES, *SOURCE_RULES), build_entity)
SERIES = Family("series", SeriesShape, SERIES_RULES, build_series)
FAMILIES: tuple[Family, ...] = (ENTITY, SERIES)
PLANNED = ("dimension", "load")
