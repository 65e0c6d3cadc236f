"""The façade people import: verbs that only put the parts below together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from muniment import clock
from muniment.config import load_project
from muniment.lake import session
from muniment.lake.location import Location
from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.model.names import find
from muniment.model.project import ProjectModel
from muniment.steps.land import land
from muniment.steps.request import Request
from muniment.steps.results import Landed

Moment = datetime | str


class Project:
    """A project and the lake behind it."""

    def __init__(self, model: ProjectModel, spark: SparkSession | None = None) -> None:
        self.model = model
        self.spark = session.adopt(spark) if spark is not None else session.start(model.spark)
        self.lake = Lake(self.spark, Location.of(model.lake, model.root))

    @classmethod
    def open(cls, path: str | Path = ".", target: str | None = None, spark: SparkSession | None = None) -> Project:
        """A project by its file or its folder; `spark` runs it on a session of yours."""
        return cls(load_project(path, target), spark)

    def entity(self, name: str) -> Entity:
        """An entity by its name."""
        return find("entity", name, {entity.name: entity for entity in self.model.entities})

    def land(
        self,
        entity: str,
        source: str,
        data: object = None,
        *,
        as_of: Moment | None = None,
        received_at: Moment | None = None,
        batch_id: str | None = None,
        scope: Mapping[str, object] | None = None,
        complete: bool | None = None,
        dry_run: bool = False,
    ) -> Landed:
        """Take rows into the log, through the gate: a DataFrame, dicts, a path, or what is new at the source's place."""
        found = self.entity(entity)
        request = Request(
            entity=found,
            source=found.source(source),
            root=self.model.root,
            received_at=clock.utc(received_at, "received_at") if received_at is not None else clock.now(),
            data=data,
            as_of=clock.utc(as_of, "as_of") if as_of is not None else None,
            batch_id=batch_id,
            scope=scope,
            complete=complete,
            dry_run=dry_run,
        )
        return land(self.lake, request)
