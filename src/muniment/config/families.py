"""The kinds of things a file may describe; a new one is one addition here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from muniment.config.build import build_entity
from muniment.config.capture_rules import CAPTURE_RULES
from muniment.config.dimension_build import build_dimension
from muniment.config.dimension_rules import DIMENSION_RULES
from muniment.config.dimension_shape import DimensionShape
from muniment.config.entity_rules import ENTITY_RULES
from muniment.config.entity_shape import EntityShape
from muniment.config.load_build import build_load
from muniment.config.load_rules import LOAD_RULES
from muniment.config.load_shape import LoadShape
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


ENTITY = Family("entity", EntityShape, (*ENTITY_RULES, *SOURCE_RULES, *CAPTURE_RULES), build_entity)
DIMENSION = Family("dimension", DimensionShape, DIMENSION_RULES, build_dimension)
LOAD = Family("load", LoadShape, LOAD_RULES, build_load)
SERIES = Family("series", SeriesShape, SERIES_RULES, build_series)
FAMILIES: tuple[Family, ...] = (ENTITY, DIMENSION, LOAD, SERIES)
