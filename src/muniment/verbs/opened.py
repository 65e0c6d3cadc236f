"""An opened project: what all verbs stand on."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import SparkSession

from muniment import clock
from muniment.lake import session
from muniment.lake.location import Location
from muniment.lake.tables import Lake
from muniment.model.dimension import Dimension
from muniment.model.entity import Entity
from muniment.model.load import Load
from muniment.model.names import find
from muniment.model.project import ProjectModel
from muniment.steps import timeline

Moment = datetime | str
Key = timeline.Key


class Opened:
    """A project and the lake behind it."""

    def __init__(self, model: ProjectModel, spark: SparkSession | None = None) -> None:
        self.model = model
        self.spark = session.adopt(spark) if spark is not None else session.start(model.spark)
        self.lake = Lake(self.spark, Location.of(model.lake, model.root))

    def entity(self, name: str) -> Entity:
        """An entity by its name."""
        return find("entity", name, {entity.name: entity for entity in self.model.entities})

    def load_of(self, name: str) -> Load:
        """A load by its name."""
        return find("load", name, {each.name: each for each in self.model.loads})

    def dimension_of(self, name: str) -> Dimension:
        """A dimension by its name."""
        return find("dimension", name, {dimension.name: dimension for dimension in self.model.dimensions})

    def asked(self, entity: str, key: Key | None, as_of: Moment | None, known_at: Moment | None) -> timeline.Asked:
        """A question, as the readers take it."""
        return timeline.Asked(self.entity(entity), key, moment(as_of, "as_of"), moment(known_at, "known_at"))


def moment(given: Moment | None, argument: str) -> datetime | None:
    """A time that somebody typed; None where nobody did."""
    return None if given is None else clock.utc(given, argument)
