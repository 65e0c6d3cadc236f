"""The table of a load, made or grown before a slice goes in."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from muniment.columns import Col
from muniment.lake.tables import Table
from muniment.loads.recipe import INTERNAL
from muniment.model.load import SYSTEM, Load

_KEPT = {"delta.enableExpiredLogCleanup": "false"}  # the commits say what was loaded last
_MOST = 4  # columns that Delta can cluster by
_CLUSTERED = (T.IntegralType, T.DecimalType, T.DateType, T.TimestampType, T.StringType)


def make_table(table: Table, rows: DataFrame, *, load: Load, held: T.StructType | None) -> dict[str, T.DataType]:
    """The table with all columns of some prepared rows; returned are the columns that are not Muniment's own, in its order."""
    if held is None or set(rows.columns) - set(held.names) - INTERNAL:
        _grow(table, rows, load)
        held = table.read().schema
    return {field.name: field.dataType for field in held if field.name not in load.system_columns}


def _grow(table: Table, rows: DataFrame, load: Load) -> None:
    own = {getattr(load.names, name): SYSTEM[name] for name in load.system}
    comments = {column.name: column.value.sql for column in load.columns if column.value}
    columns = [
        Col(field.name, own[field.name].type, own[field.name].comment)
        if field.name in own
        else Col(field.name, field.dataType.simpleString(), comments.get(field.name, ""))
        for field in rows.schema
        if field.name not in INTERNAL
    ]
    parts = [*([load.names.is_current] if load.is_historic else []), *load.partition]
    cluster = [] if parts else [name for name in load.key_names if isinstance(rows.schema[name].dataType, _CLUSTERED)][:_MOST]
    table.create(
        columns, comment=load.info.description or f"Loaded: {load.strategy.value}", partition=parts, cluster=cluster, properties=_KEPT
    )
