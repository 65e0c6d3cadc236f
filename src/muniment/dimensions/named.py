"""Members of a dimension's table by what names them: it does not hold `sk`, 64 digits that follow from the key and that nothing makes shorter."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.canon.encode import identifier
from muniment.canon.hashes import Kinds, key_sql, kinds_of
from muniment.model.dimension import Dimension
from muniment.model.dimension_tables import named_by

SMALL = 200_000  # so many members are sent to every core rather than sorted with the table


def with_sk(versions: DataFrame, *, dimension: Dimension) -> DataFrame:
    """Rows of the table with the `sk` of their members."""
    return versions.withColumn("sk", F.expr(sk_of(dimension, kinds_of(versions.schema))))


def sk_of(dimension: Dimension, kinds: Kinds) -> str:
    """`sk` as an expression over the columns of the table; what comes from an entity keeps the entity's."""
    return "sk" if dimension.believes is not None else key_sql([part.name for part in dimension.key], kinds)


def versions_held(versions: DataFrame, members: DataFrame, *, dimension: Dimension, few: bool = False) -> DataFrame:
    """The rows of some members, with their `sk`; found by the key, so that it is hashed for them alone."""
    names = list(named_by(dimension))
    keys = members.selectExpr(*map(identifier, names))
    found = versions.join(F.broadcast(keys) if few else keys, names, "left_semi")
    return with_sk(found, dimension=dimension)
