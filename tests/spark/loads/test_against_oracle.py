"""A thousand random sequences of slices at once: merge and historic give what the plain-Python description gives, and count it right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment.loads.pipeline import prepare
from muniment.loads.recipe import Recipe
from muniment.loads.strategies import Spec, compare, first, gone, outcome
from muniment.model.attribute import KeyPart
from muniment.model.expression import Value
from muniment.model.load import Drift, Load, LoadColumn, Strategy

from tests.properties.loads_oracle import COLUMNS, LACKS, Said, Table, Version, Window, slices

SEQUENCES, STEPS = 1_000, 8
TYPES = {"seq": "bigint", "key": "string", "region": "string", "a": "string", "b": "string", "modified": "bigint"}
WINDOWS = {1: Window(2, 8), 2: Window(4, 9, closed=True), 4: Window(0, 6), 6: Window(3, 3, closed=True), 7: Window(5, 9)}
AT = (1, 2, 3, 3, 4, 5, 5, 6)  # two slices at one time of processing, twice
START = datetime(2026, 3, 1, tzinfo=UTC)
Line = tuple[object, ...]


def load_of(strategy: Strategy) -> Load:
    return Load(
        name="t",
        strategy=strategy,
        key=(KeyPart("seq", "bigint"), KeyPart("key", "string")),
        columns=tuple(LoadColumn(name, kind) for name, kind in TYPES.items()),
        partition=("seq", "region"),
        deleted=Value("`gone`", frozenset({"gone"})),
        drift=Drift.IGNORE,
        prefix="m_",
    )


def moment(day: int) -> datetime:
    return START + timedelta(days=day)


def raw(spark: SparkSession, rows: Sequence[Said], *, step: int) -> DataFrame:
    names = [name for name in COLUMNS if name not in LACKS.get(step, ())]
    kinds = ", ".join(f"{name} {TYPES[name]}" for name in ("seq", "key", *names))
    data = [(*row.key, *(row.values[name] for name in names), row.gone) for row in rows]
    frame = spark.createDataFrame(data, f"{kinds}, gone boolean")
    return frame.withColumns({"__file": F.lit(None).cast("string"), "__unreadable": F.lit(None).cast("string")})


def applied(table: DataFrame | None, rows: DataFrame, *, spec: Spec, window: Window | None) -> tuple[DataFrame, Counter[str]]:
    """The table after a slice, and the verdicts; which rows go is what the commit would say: the current ones of the keys that come."""
    if table is None:
        return first(rows, spec=spec), Counter()
    held = table.where("m_is_current") if spec.load.is_historic else table
    compared = compare(held, rows, spec=spec, few=bool(spec.match))
    if window is not None:
        low = F.col("modified") >= window.low if window.closed else F.col("modified") > window.low
        compared = compared.unionByName(gone(held, rows, window=low & (F.col("modified") <= window.high), spec=spec))
    compared = compared.localCheckpoint()
    counts = Counter({row["verdict"]: row["count"] for row in compared.groupBy("verdict").count().collect()})
    coming = outcome(compared, spec=spec)
    going = table.join(coming.select("m_sk").distinct(), "m_sk", "left_semi")
    going = going.where("m_is_current") if spec.load.is_historic else going
    return table.exceptAll(going).unionByName(coming).localCheckpoint(), counts


def lines(table: DataFrame, *, historic: bool) -> set[Line]:
    names = ("m_last_seen_ts", *HISTORY[:2]) if historic else ("m_last_seen_ts",)
    days = [((F.unix_micros(name) - F.unix_micros(F.lit(START))) / 86_400_000_000).cast("int") for name in names]
    chosen = [*days, F.col(HISTORY[2])] if historic else days
    return {tuple(row) for row in table.select("seq", "key", *COLUMNS, "m_is_deleted", *chosen).collect()}


HISTORY = ("m_effective_from", "m_effective_to", "m_is_current")


def expected(table: Table) -> set[Line]:
    def line(key: tuple[int, str], version: Version, *, last: bool) -> Line:
        plain = (*key, *(version.values[name] for name in COLUMNS), version.deleted, version.seen)
        return (*plain, version.start, version.end, last) if table.historic else plain

    return {line(key, version, last=version is held[-1]) for key, held in table.keys.items() for version in held}


@pytest.mark.parametrize("strategy", [Strategy.MERGE, Strategy.HISTORIC])
def test_a_thousand_sequences_of_slices_give_the_tables_and_the_counts_of_the_description(spark: SparkSession, strategy: Strategy) -> None:
    load = load_of(strategy)
    oracle = Table(load.is_historic, COLUMNS, ("region",), "modified", {})
    table: DataFrame | None = None
    heard: Counter[str] = Counter()
    for step, said in enumerate(slices(seed=7, sequences=SEQUENCES, steps=STEPS)):
        window = WINDOWS.get(step)
        recipe = Recipe(load, moment(AT[step]), f"run {step}", None if table is None else table.schema)
        kinds = {field.name: field.kind for field in recipe.fields(raw(spark, [], step=0).schema)}
        match = load.key_names if step % 2 else ()  # by the key's columns and by its hash, in turns
        spec = Spec(load, recipe.at, kinds, frozenset(LACKS.get(step, ())), match=match)
        rows = prepare(raw(spark, said, step=step), recipe=recipe).localCheckpoint()
        table, counts = applied(table, rows, spec=spec, window=window)
        verdicts = oracle.load(said, at=AT[step], window=window)
        heard += verdicts
        if step:
            assert counts == verdicts, f"step {step}"
            assert sum(number for name, number in counts.items() if name != "inferred") == len(said)
        found, right = lines(table, historic=load.is_historic), expected(oracle)
        assert found == right, f"step {step}: {sorted(map(str, found - right))[:3]} instead of {sorted(map(str, right - found))[:3]}"
    assert min(heard[name] for name in ("inserted", "updated", "unchanged", "deleted", "ignored", "inferred")) > 100
