"""Judged rows in the exact shape of the log, salted and digested (R27)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.canon.encode import encode_among, encode_sequence, identifier
from muniment.columns import Col
from muniment.gate.examine import RAW, UNDECLARED
from muniment.gate.fields import Fields
from muniment.gate.rows import FILE, INSTANT, PATH, RECEIPT, UNIT
from muniment.gate.verdict import DETAIL, MARKS, REASON, STOPS, WARNINGS
from muniment.lake.schema import kind_of
from muniment.ledger.digest import row_digest, salt_sql
from muniment.model.entity import Entity
from muniment.model.tables import log_columns

_PLACES = {"source_path": PATH, "source_file": FILE, "first_receipt_ts": RECEIPT}
_TOLD = (UNIT, INSTANT, REASON, DETAIL, RAW, UNDECLARED, WARNINGS, STOPS, MARKS)  # what is looked at after the rows are kept


def sealed(judged: DataFrame, fields: Fields, *, nonce: str) -> DataFrame:
    """Judged rows of a source with the log's columns and their seals beside what the judges said."""
    entity, places = fields.entity, len(fields.source.sequence)
    columns = [col for col in log_columns(entity) if col.name != "row_digest"]
    typed = [_typed(col) for col in columns if col.name != "salt"]
    whole = judged.selectExpr(*typed, f"{salt_sql(nonce)} AS salt", *_TOLD)
    listed = {
        "asserted": encode_among("asserted", [a.name for a in entity.attributes]),
        "source_sequence": encode_sequence("source_sequence", places) if places else "CAST(NULL AS STRING)",
    }
    return whole.withColumn("row_digest", row_digest(kind_of(columns), listed))


def log_rows(rows: DataFrame, entity: Entity) -> DataFrame:
    """The rows that go into the log, each file in the order of its keys: whoever asks for one key reads a few pages."""
    landed = rows.where(F.col(REASON).isNull()).selectExpr(*(identifier(col.name) for col in log_columns(entity)))
    return landed.sortWithinPartitions("sk")


def _typed(col: Col) -> str:
    return f"CAST({identifier(_PLACES.get(col.name, col.name))} AS {col.type}) AS {identifier(col.name)}"
