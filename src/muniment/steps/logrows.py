"""Judged rows in the exact shape of the log, salted and digested (R27)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.canon.encode import identifier
from muniment.canon.hashes import quoted
from muniment.columns import Col
from muniment.gate.rows import FILE, PATH, RECEIPT
from muniment.gate.verdict import REASON
from muniment.ledger.digest import row_digest, salt
from muniment.model.entity import Entity
from muniment.model.tables import log_columns

_PLACES = {"source_path": PATH, "source_file": FILE, "first_receipt_ts": RECEIPT}
_SEALS = ("salt", "row_digest")


def sealed(judged: DataFrame, entity: Entity, *, nonce: str) -> DataFrame:
    """Judged rows with the log's columns and their seals beside what the judges said."""
    named = judged.withColumns({name: quoted(place) for name, place in _PLACES.items()}).withColumn("salt", salt(nonce))
    columns = [col for col in log_columns(entity) if col.name != "row_digest"]
    typed = [_typed(col) for col in columns]
    extras = [identifier(name) for name in named.columns if name not in {col.name for col in columns}]
    return named.selectExpr(*typed, *extras).withColumn("row_digest", row_digest(named.selectExpr(*typed).schema))


def log_rows(rows: DataFrame, entity: Entity) -> DataFrame:
    """The rows that go into the log, each file in the order of its keys: whoever asks for one key reads a few pages."""
    landed = rows.where(F.col(REASON).isNull()).selectExpr(*(identifier(col.name) for col in log_columns(entity)))
    return landed.sortWithinPartitions("sk")


def _typed(col: Col) -> str:
    return f"CAST({identifier(col.name)} AS {col.type}) AS {identifier(col.name)}"
