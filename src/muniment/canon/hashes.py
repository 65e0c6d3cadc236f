"""Keys and hashes as Spark expressions: SHA-256 over the canonical encoding (R1, R2, R6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.compare import declared_form
from muniment.canon.encode import VERSION, encode, encode_fields, encode_present, identifier, literal
from muniment.model.entity import Entity

HASH_VERSION = VERSION
Kinds = Mapping[str, T.DataType]


def quoted(name: str) -> Column:
    """A column by its exact name, whatever characters it has."""
    return F.col(identifier(name))


def listed(found: Iterable[tuple[Column, Column | str]], kind: str = "string") -> Column:
    """An array of the items whose condition holds; `array_compact` would do, but is a filter, which Spark interprets row by row."""
    items = ((where, F.lit(item) if isinstance(item, str) else item) for where, item in found)
    nothing = F.expr(f"CAST(array() AS ARRAY<{kind}>)")
    parts = [F.when(where, F.array(item)).otherwise(nothing) for where, item in items]
    return F.concat(*parts) if parts else nothing


def listed_sql(found: Iterable[tuple[str, str]]) -> str:
    """The same of texts, each with its condition, as SQL."""
    parts = [f"CASE WHEN {where} THEN array({literal(item)}) ELSE CAST(array() AS ARRAY<STRING>) END" for where, item in found]
    return f"concat({', '.join(parts)})" if parts else "CAST(array() AS ARRAY<STRING>)"


def sha256(text: Column) -> Column:
    return F.sha2(text, 256)


def hashed(encoded: str) -> Column:
    """The hash of an encoded text, which is SQL."""
    return F.expr(f"sha2({encoded}, 256)")


def short(encoded: str) -> Column:
    """The first half of such a hash: 128 bits tell assertions apart, and an id stands in a row once per attribute."""
    return F.expr(f"left(sha2({encoded}, 256), 32)")


def kinds_of(schema: T.StructType) -> dict[str, T.DataType]:
    return {field.name: field.dataType for field in schema.fields}


def key_hash(entity: Entity, kinds: Kinds) -> Column:
    """`sk` of an entity's rows. Null parts are the gate's business."""
    return F.expr(key_sql([part.name for part in entity.key], kinds))


def key_sql(key: Sequence[str], kinds: Kinds) -> str:
    """`sk` as SQL: the columns of a business key, names included, so that no two keys can meet (R1)."""
    return f"sha2({encode_fields([(name, encode(identifier(name), kinds[name])) for name in key])}, 256)"


def attr_hash(entity: Entity, kinds: Kinds) -> Column:
    """Tracked attributes as declared, nulls left out: a new attribute changes no old hash (R2, R4)."""
    tracked = [(a.name, encode_present(declared_form(identifier(a.name), a), kinds[a.name])) for a in entity.tracked]
    return hashed(encode_fields(tracked))


def record_hash(entity: Entity, kinds: Kinds) -> Column:
    """All that the row states and nothing of where it came from: stated nulls count, unstated attributes do not (R6)."""
    stated = [(a.name, _where_stated(a.name, encode(identifier(a.name), kinds[a.name]))) for a in entity.attributes]
    return hashed(encode_fields([*stated, ("is_deleted", encode("is_deleted", T.BooleanType()))]))


def _where_stated(name: str, encoded: str) -> str:
    return f"CASE WHEN array_contains(asserted, {literal(name)}) THEN {encoded} END"
