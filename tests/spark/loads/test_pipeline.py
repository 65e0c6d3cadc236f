"""The twelve steps: what each adds, and that keys and hashes say what the slice says and nothing else. No lake, a job for each look."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from muniment.config.load_build import build_load
from muniment.config.load_shape import LoadShape
from muniment.errors import MunimentError
from muniment.loads.look import look_at
from muniment.loads.pipeline import STEPS, prepare
from muniment.loads.recipe import Recipe, volatile
from muniment.model.load import Load

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATER = datetime(2026, 3, 2, 9, tzinfo=UTC)
DOCUMENT = ("transformations", "calculated", "hash", "validity", "filename", "key", "cast", "rename", "deleted", "seen", "names", "keep")


def a_load(**given: object) -> Load:
    return build_load(LoadShape.model_validate({"load": "t", "strategy": "merge", "key": {"a": "string", "b": "string"}, **given}))


def prepared(rows: DataFrame, load: Load, *, at: datetime = AT) -> DataFrame:
    marked = rows.withColumns({"__file": F.lit("s.parquet"), "__unreadable": F.lit(None).cast("string")})
    return prepare(marked, recipe=Recipe(load, at, "run"))


def frame(spark: SparkSession, kinds: str, *rows: Sequence[object]) -> DataFrame:
    return spark.createDataFrame(list(rows), kinds)


def test_there_are_twelve_steps_in_the_documents_order_and_each_says_what_it_adds() -> None:
    assert [word in step.name for word, step in zip(DOCUMENT, STEPS, strict=True)] == [True] * 12
    load = a_load(
        strategy="historic",
        prefix="m_",
        columns={"total": {"type": "double", "expression": "q * p"}, "city": {"type": "string", "from": "City Name"}},
        transform={"q": "q + 1"},
    )
    assert [step.adds(load) for step in STEPS] == [
        ("q",),
        ("total",),
        ("m_source_hash",),
        ("m_effective_from", "m_effective_to", "m_is_current"),
        ("m_source_file", "m_ingest_run_id"),
        ("m_sk",),
        (),
        ("city",),
        ("m_is_deleted",),
        ("m_last_seen_ts",),
        (),
        (),
    ]


def test_keys_do_not_collide_and_a_null_between_values_changes_the_hash(spark: SparkSession) -> None:
    rows = frame(
        spark,
        "a string, b string, x string, y string, z string",
        ("a_b", "c", "1", None, "2"),
        ("a", "b_c", "1", "2", None),
        ("a|b", "c", None, "1", "2"),
        ("a", "b|c", "1", "", "2"),
        ("A", "b|c", "1", "2", "2"),
    )
    found = prepared(rows, a_load()).select("sk", "source_hash").collect()
    assert len({row["sk"] for row in found}) == len({row["source_hash"] for row in found}) == 5


def test_only_another_content_is_another_hash(spark: SparkSession) -> None:
    declared = {
        "n": "long",
        "d": "decimal(8,2)",
        "seen": {"type": "timestamp", "expression": "now()"},
        "same": {"type": "timestamp", "expression": "seen"},
    }
    load = a_load(columns=declared, drift="ignore")
    text = frame(spark, "a string, b string, n string, d string, noise string", ("a", "b", "1", "1.5", "x"))
    typed = frame(spark, "b string, a string, d decimal(10,4), n int", ("b", "a", Decimal("1.5000"), 1))
    grown = text.withColumn("noise", F.lit("y"))
    found = [prepared(rows, load, at=at).select("sk", "source_hash").first() for rows, at in ((text, AT), (typed, AT), (grown, LATER))]
    assert found[0] == found[1] == found[2]  # types of the slice, columns that are not kept, and the time of processing do not count
    null = prepared(text.withColumn("n", F.lit(None).cast("string")), load).select("source_hash").first()
    assert null != Row(source_hash=found[0]["source_hash"] if found[0] else "")


def test_columns_that_follow_the_time_of_processing_are_known_by_all_their_names() -> None:
    load = a_load(
        columns={"seen": {"type": "timestamp", "from": "Load Time"}, "age": {"type": "int", "expression": "datediff(`Load Time`, born)"}},
        transform={"Load Time": "now()"},
    )
    assert volatile(load) == {"load time", "load_time", "seen", "age"}  # a slice that lacks some other column must not make all rows new


def test_what_comes_out_is_the_tables_row(spark: SparkSession) -> None:
    load = a_load(
        columns={
            "total": {"type": "decimal(8,2)", "expression": "qty * price"},
            "city": {"type": "string", "from": "City Name"},
            "qty": "int",
        },
        transform={"City Name": "upper(`City Name`)"},
        deleted="op = 'D'",
    )
    rows = frame(spark, "a string, b string, qty string, price double, `City Name` string, op string, `Unit (€)` string",
                 ("a", "b", "2", 1.25, "Hull", "D", "kg"), ("a", "c", "2", 1.25, None, None, None))  # fmt: skip
    found = prepared(rows, load)
    assert found.columns == [
        "sk", "a", "b", "total", "city", "qty", "price", "op", "Unit", "source_hash", "source_file", "ingest_run_id", "is_deleted",
        "last_seen_ts", "__unfit", "__unreadable",
    ]  # fmt: skip
    first, second = (row.asDict() for row in found.orderBy("b").collect())
    assert (str(first["total"]), first["city"], first["qty"], first["Unit"], first["is_deleted"]) == ("2.50", "HULL", 2, "kg", True)
    assert (second["city"], second["is_deleted"], second["source_file"]) == (None, False, "s.parquet")


def test_a_hostile_name_of_a_column_is_only_a_name(spark: SparkSession) -> None:
    hostile = "x`; DROP TABLE y --"
    rows = spark.createDataFrame([("a", "b", "1")], ["a", "b", hostile])
    found = prepared(rows, a_load())
    assert found.columns[3] == "x_DROP_TABLE_y"
    assert found.select("x_DROP_TABLE_y").collect() == [Row(x_DROP_TABLE_y="1")]


ROWS = "a string, b string, n string"


@pytest.mark.parametrize(
    ("kinds", "rows", "given", "says"),
    [
        (ROWS, [("a", "b", "1"), ("a", "b", "2"), ("c", "d", "3")], {}, r'MU-LOAD-001 t: 1 keys .* \{"a":"a","b":"b"\}'),
        (ROWS, [("a", None, "1")], {}, r"MU-LOAD-002 t: 1 rows of the slice have a null in their key \(a, b\)"),
        (ROWS, [("a", "b", "1.5")], {"columns": {"n": "int"}}, r"MU-LOAD-003 t: 1 rows .* n = 1.5;"),
        (ROWS, [("a", "b", "1.005")], {"columns": {"n": "decimal(8,2)"}}, r"MU-LOAD-003 .* n = 1.005;"),
        (ROWS, [("a", "b", "1")], {"key": {"a": "string", "k": "string"}}, r"MU-LOAD-007 t: the key needs the column 'k'"),
        (ROWS, [("a", "b", "1")], {"columns": {"m": {"type": "int", "expression": "nn + 1"}}}, r"MU-LOAD-007 t: 'm' needs the column 'nn'.*'n'\?"),
        ("a string, b string", [("a", "b")], {"columns": {"n": "int"}, "partition": ["n"]}, r"MU-LOAD-007 t: the partition needs the column 'n'"),
        (ROWS, [("a", "b", "1")], {"deleted": "op = 'D'"}, r"MU-LOAD-007 t: 'deleted' needs the column 'op'"),
        ("a string, b string, `x y` string, x_y string", [("a", "b", "1", "2")], {}, r"MU-LOAD-008 t: .*'x_y', and so would 'x y'"),
        ("a string, b string, is_deleted boolean", [("a", "b", True)], {}, r"MU-LOAD-008 t: .*'is_deleted', which Muniment keeps itself"),
    ],
)  # fmt: skip
def test_a_slice_goes_in_whole_or_not_at_all(
    spark: SparkSession, kinds: str, rows: list[tuple[object, ...]], given: dict[str, object], says: str
) -> None:
    load = a_load(**given)
    with pytest.raises(MunimentError, match=says):
        look_at(prepared(frame(spark, kinds, *rows), load), load=load)


def test_one_look_finds_how_far_a_slice_goes(spark: SparkSession) -> None:
    load = a_load(key={"n": "long"}, watermark=[{"column": "at"}, {"column": "s"}, {"column": "elsewhere"}], deleted="s = 'gone'")
    rows = frame(spark, "n string, at timestamp, s string", ("3", AT, "a"), ("17", LATER, "gone"), ("5", None, None))
    look = look_at(prepared(rows, load), load=load)
    assert (look.received, look.flagged, dict(look.ranges)) == (3, 1, {"n": ("3", "17")})
    assert look.highs == {"at": LATER, "s": "gone"}
