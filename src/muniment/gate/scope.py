"""The scope of a row as text: absence counts only inside the values a load carries (R17)."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F


def scope_text(values: Sequence[Column]) -> Column:
    """Scope values as a JSON array of texts; `[]` where a source has no scope."""
    return F.to_json(F.array(*(value.cast("string") for value in values))) if values else F.lit("[]")
