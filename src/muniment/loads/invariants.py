"""What must hold of a load's table, whatever was loaded: for each row, whether it breaks it."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.compare import same
from muniment.canon.encode import encode, encode_fields, encode_present, identifier
from muniment.canon.hashes import hashed
from muniment.loads.recipe import volatile
from muniment.model.load import Load

CHECKS: Mapping[str, str] = {
    "keys": "the key is there twice, or its hash is not that of its columns",
    "contents": "the values are not those that were loaded",
    "versions": "the versions of its key overlap, leave a gap, or the wrong one is current",
}


def broken(rows: DataFrame, *, load: Load) -> DataFrame:
    """The rows with their key in words, and a flag for each check that they fail."""
    kinds = {field.name: field.dataType for field in rows.schema}
    flags = {"keys": _wrong_key(load, kinds), "contents": _wrong_content(load, kinds), "versions": _wrong_version(load)}
    key = F.to_json(F.struct(*(F.col(identifier(name)) for name in load.key_names)))
    return rows.select(key.alias("key"), *(flag.alias(name) for name, flag in flags.items()))


def _wrong_key(load: Load, kinds: Mapping[str, T.DataType]) -> Column:
    """Not the hash of its own columns (R1), or one of several rows that answer for one key."""
    own = hashed(encode_fields([(name, encode(identifier(name), kinds[name])) for name in load.key_names]))
    whole = Window.partitionBy(load.names.sk, *([load.names.is_current] if load.is_historic else []))
    answers = F.col(load.names.is_current) if load.is_historic else F.lit(True)
    return ~same(F.col(load.names.sk), own) | (answers & (F.count(F.lit(1)).over(whole) > 1))


def _wrong_content(load: Load, kinds: Mapping[str, T.DataType]) -> Column:
    """Not the content that its hash was made of; columns that follow the time of processing are no part of that."""
    moving = volatile(load)
    told = [name for name in kinds if name not in load.system_columns and name.casefold() not in moving]
    return ~same(
        F.col(load.names.source_hash), hashed(encode_fields([(name, encode_present(identifier(name), kinds[name])) for name in told]))
    )


def _wrong_version(load: Load) -> Column:
    """Each version ends where the next begins, and only the last is open and current (R5)."""
    if not load.is_historic:
        return F.lit(False)
    names = load.names
    following = F.lead(names.effective_from).over(Window.partitionBy(names.sk).orderBy(names.effective_from, names.effective_to))
    is_last = following.isNull()
    flagged = ~same(F.col(names.is_current), is_last)
    return ~same(F.col(names.effective_to), following) | flagged | F.col(names.effective_from).isNull()
