"""The tables that landing writes to, made or grown before anything is written."""

from __future__ import annotations

from muniment.columns import LOAD
from muniment.lake.schema import statistics
from muniment.lake.tables import Lake
from muniment.ledger import runs
from muniment.model.entity import Entity
from muniment.model.tables import load_name, log_columns, log_name, searched

_APPEND_ONLY = {"delta.enableExpiredLogCleanup": "false"}  # the commits hold the hash chain (R27)


def ensure_stores(lake: Lake, entity: Entity) -> None:
    """The log, the load headers and the bookkeeping of an entity."""
    runs.ensure(lake)
    log = lake.table(log_name(entity))
    columns = log_columns(entity)
    properties = {**_APPEND_ONLY, **statistics(searched(entity, columns))}
    log.create(columns, comment=f"Every assertion ever received about {entity.name}", cluster=["sk"], properties=properties)
    headers = lake.table(load_name(entity))
    headers.create(LOAD, comment=f"Complete loads of {entity.name} (R17)", properties=_APPEND_ONLY)
