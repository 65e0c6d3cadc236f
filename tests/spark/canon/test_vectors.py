"""Canonical text and hashes equal what plain Python makes of SPEC.md, whatever the session is set to (R1, R2, R4, R6)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.compare import same
from muniment.canon.encode import encode, encode_present, identifier
from muniment.canon.hashes import attr_hash, key_hash, kinds_of, record_hash
from muniment.gate.examine import assertion_id
from muniment.ledger.digest import lanes, row_digest, seal
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.entity import Entity

from tests.spark.canon import spec
from tests.spark.canon.vectors import ROWS, SCHEMA, VECTORS

SESSIONS = (
    {"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false"},
    {"spark.sql.session.timeZone": "Pacific/Chatham", "spark.sql.ansi.enabled": "false", "spark.sql.caseSensitive": "true"},
    {"spark.sql.session.timeZone": "America/St_Johns", "spark.sql.ansi.enabled": "false", "spark.sql.caseSensitive": "false"},
    {"spark.sql.session.timeZone": "Europe/London", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "true"},
)


@contextmanager
def session(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    before = {name: str(spark.conf.get(name)) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


@pytest.mark.parametrize("settings", SESSIONS, ids=lambda settings: settings["spark.sql.session.timeZone"])
def test_every_value_of_every_type_has_the_text_that_the_specification_gives_it(spark: SparkSession, settings: dict[str, str]) -> None:
    with session(spark, settings):
        frame = spark.createDataFrame(ROWS, SCHEMA)
        written = [F.expr(encode(identifier(name), kind)).alias(name) for name, (kind, _) in VECTORS.items()]
        present = [F.expr(encode_present(identifier(name), kind)).isNull().alias(f"no {name}") for name, (kind, _) in VECTORS.items()]
        found = frame.select(*written, *present).collect()

    for name, (kind, _) in VECTORS.items():
        for given, row in zip(ROWS, found, strict=True):
            value = given[SCHEMA.names.index(name)]
            assert row[name] == spec.encode(value, kind), (name, value)
            assert row[f"no {name}"] == (value is None), (name, value)


def test_no_two_values_of_a_type_share_a_text_unless_they_are_equal() -> None:
    """Over the vectors themselves: 1 and 1.0 as decimals, −0.0 and 0.0, and maps in another entry order are equal; nothing else is."""
    equal = {"money": 2, "real": 1, "half": 1, "map": 1, "days": 1}
    for name, (kind, values) in VECTORS.items():
        texts = [spec.encode(value, kind) for value in values]
        assert len(texts) - len(set(texts)) == equal.get(name, 0), name


TEXT, LONG, REAL, MONEY = T.StringType(), T.LongType(), T.DoubleType(), T.DecimalType(12, 4)
PAIR = Entity("pair", key=(KeyPart("a", "string"), KeyPart("b", "string")), attributes=())
NUMBERED = replace(PAIR, key=(KeyPart("a", "string"), KeyPart("b", "bigint")))


def keys(frame: DataFrame, entity: Entity) -> list[str]:
    return [row["sk"] for row in frame.select(key_hash(entity, kinds_of(frame.schema)).alias("sk")).collect()]


def test_keys_never_meet_and_the_order_of_their_columns_never_matters(spark: SparkSession) -> None:
    parts = [("a_b", "c"), ("a", "b_c"), ("", "x"), ("x", ""), ("null", "1"), ("s1:", "a")]
    frame = spark.createDataFrame(parts, "a string, b string")
    found = keys(frame, PAIR)

    assert found == [spec.key({"a": (a, TEXT), "b": (b, TEXT)}) for a, b in parts]
    assert len(set(found)) == len(parts)
    assert keys(frame.select("b", "a"), replace(PAIR, key=PAIR.key[::-1])) == found
    assert keys(frame.where("b = '1'").withColumn("b", F.lit(1).cast("bigint")), NUMBERED) == [
        spec.key({"a": ("null", TEXT), "b": (1, LONG)})
    ]
    assert spec.key({"a": ("null", TEXT), "b": (1, LONG)}) not in found


THING = Entity(
    "thing",
    key=(KeyPart("id", "bigint"),),
    attributes=(
        Attribute("name", "string", trim=True),
        Attribute("size", "double", scale=2),
        Attribute("price", "decimal(12,4)", scale=2),
        Attribute("seen", "string", track=False),
    ),
)
THINGS = "id bigint, name string, size double, price decimal(12,4), seen string, asserted array<string>, is_deleted boolean"
ALL = ["name", "size", "price", "seen"]
STATED: list[tuple[Any, ...]] = [
    (1, "Ann", 1.25, Decimal("9.9900"), "x", ALL, False),
    (2, " \tAnn\n", 1.2549, Decimal("9.9949"), "y", ALL, False),  # equal after trimming and rounding
    (3, "Ann ", 1.255, Decimal("9.9950"), None, ALL, None),  # rounds up
    (4, None, None, None, None, ALL, False),  # nulls that are stated
    (5, None, None, None, None, ["name"], False),
    (6, None, None, None, None, [], True),
    (7, "", -0.001, Decimal("-0.0010"), "null", ALL, False),
    (8, "null", float("nan"), None, None, ALL, False),
]  # fmt: skip


def hashed(frame: DataFrame, entity: Entity) -> list[Row]:
    kinds = kinds_of(frame.schema)
    record = record_hash(entity, kinds)
    return frame.select("id", attr_hash(entity, kinds).alias("attr"), record.alias("record")).orderBy("id").collect()


def attributes_by_hand(row: tuple[Any, ...]) -> str:
    _, name, size, price, *_ = row
    values = {
        "name": (None if name is None else name.strip(spec.WHITE), TEXT),
        "size": (size if size is None or size != size else spec.rounded(size, 2), REAL),
        "price": (None if price is None else Decimal(str(spec.rounded(float(price), 2))), MONEY),
    }
    return spec.attributes(values)


def record_by_hand(row: tuple[Any, ...]) -> str:
    values = dict(zip(ALL, zip(row[1:5], (TEXT, REAL, MONEY, TEXT), strict=True), strict=True))
    return spec.record({name: values[name] for name in row[5]}, row[6])


def test_attr_hash_is_trimmed_rounded_and_tracked_while_record_hash_is_all_that_was_said(spark: SparkSession) -> None:
    found = hashed(spark.createDataFrame(STATED, THINGS), THING)

    assert [row["attr"] for row in found] == [attributes_by_hand(row) for row in STATED]
    assert [row["record"] for row in found] == [record_by_hand(row) for row in STATED]
    assert found[0]["attr"] == found[1]["attr"] != found[2]["attr"]
    assert len({row["record"] for row in found}) == len(STATED)
    assert found[3]["attr"] == found[4]["attr"] == found[5]["attr"]  # a null and an unstated attribute are one for comparison


def test_a_new_attribute_and_another_order_of_columns_change_no_attr_hash(spark: SparkSession) -> None:
    frame = spark.createDataFrame(STATED, THINGS)
    wider = replace(THING, attributes=(Attribute("added", "map<string,int>"), *THING.attributes[::-1], Attribute("ratio", "double")))
    grown = frame.select(
        *reversed(frame.columns), F.lit(None).cast("map<string,int>").alias("added"), F.lit(None).cast("double").alias("ratio")
    )

    assert hashed(grown, wider) == hashed(frame, THING)


def test_comparison_knows_null(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a", "a"), ("a", None), (None, "a"), (None, None), ("a", "b")], "x string, y string")
    assert [row[0] for row in frame.select(same(F.col("x"), F.col("y"))).collect()] == [True, False, False, True, False]


def test_assertion_ids_and_digests_can_be_written_by_hand(spark: SparkSession) -> None:
    moments, numbers = T.TimestampType(), T.ArrayType(T.DecimalType(38, 0))
    at = VECTORS["at"][1][3]
    said = [
        ("k1", "crm", at, [Decimal(7), None], "r1", "salt1"),
        ("k2", "core", at, None, "r2", "salt2"),
        ("k2", "core", at, None, "r2", "salt2"),
    ]
    kinds = {"sk": TEXT, "source_system": TEXT, "source_event_ts": moments, "source_sequence": numbers, "record_hash": TEXT}
    schema = T.StructType([*(T.StructField(name, kind) for name, kind in kinds.items()), T.StructField("salt", TEXT)])
    frame = spark.createDataFrame(said, schema).withColumn("assertion_id", assertion_id())
    sealed = frame.withColumn("row_digest", row_digest(frame.schema))
    found = sealed.select("assertion_id", "row_digest").collect()
    total = sealed.agg(F.count(F.lit(1)).alias("rows"), *lanes("row_digest", "d")).collect()

    ids = [spec.key(dict(zip(kinds, zip(row[:5], kinds.values(), strict=True), strict=True)))[:32] for row in said]
    columns = [
        {**dict(zip(kinds, zip(row[:5], kinds.values(), strict=True), strict=True)), "assertion_id": (i, TEXT)}
        for row, i in zip(said, ids, strict=True)
    ]
    digests = [spec.row_digest(row[5], each) for row, each in zip(said, columns, strict=True)]
    assert [row["assertion_id"] for row in found] == ids
    assert [row["row_digest"] for row in found] == digests
    assert seal(total, "d", count="rows") == spec.run_digest(digests)
