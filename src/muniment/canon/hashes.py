"""Keys and hashes as Spark expressions: SHA-256 over the canonical encoding (R1, R2, R6)."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.compare import declared_form
from muniment.canon.encode import VERSION, encode, encode_fields, encode_present
from muniment.model.entity import Entity

HASH_VERSION = VERSION
Kinds = Mapping[str, T.DataType]


def quoted(name: str) -> Column:
    """A column by its exact name, whatever characters it has."""
    return F.col("`" + name.replace("`", "``") + "`")


def sha256(text: Column) -> Column:
    return F.sha2(text, 256)


def kinds_of(schema: T.StructType) -> dict[str, T.DataType]:
    return {field.name: field.dataType for field in schema.fields}


def key_hash(entity: Entity, kinds: Kinds) -> Column:
    """`sk`: the business key, names included, so that no two keys can meet (R1). Null parts are the gate's business."""
    return sha256(encode_fields([(part.name, encode(quoted(part.name), kinds[part.name])) for part in entity.key]))


def attr_hash(entity: Entity, kinds: Kinds) -> Column:
    """Tracked attributes as declared, nulls left out: a new attribute changes no old hash (R2, R4)."""
    tracked = [(a.name, encode_present(declared_form(quoted(a.name), a), kinds[a.name])) for a in entity.tracked]
    return sha256(encode_fields(tracked))


def record_hash(entity: Entity, kinds: Kinds, *, asserted: Column, is_deleted: Column) -> Column:
    """All that the row states and nothing of where it came from: stated nulls count, unstated attributes do not (R6)."""
    stated = [(a.name, F.when(F.array_contains(asserted, a.name), encode(quoted(a.name), kinds[a.name]))) for a in entity.attributes]
    return sha256(encode_fields([*stated, ("is_deleted", encode(is_deleted, T.BooleanType()))]))
