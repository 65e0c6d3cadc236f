"""SPEC.md names rules and tests that exist, and its examples are right."""

from __future__ import annotations

import re
from pathlib import Path

from pyspark.sql import types as T

from tests.spark.canon import spec

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "SPEC.md").read_text(encoding="utf-8")
PAIR = T.StructType([T.StructField("b", T.IntegerType()), T.StructField("a", T.StringType())])


def test_thirty_rules_each_once_and_in_order() -> None:
    assert re.findall(r"^\*\*(R\d+)\.", TEXT, re.MULTILINE) == [f"R{number}" for number in range(1, 31)]


def test_every_test_it_names_is_there() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", TEXT))
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_rule_that_landing_rests_on_names_its_tests() -> None:
    bodies = re.split(r"^\*\*R\d+\.", TEXT, flags=re.MULTILINE)[1:]
    without = [number for number, body in enumerate(bodies, start=1) if "Proof:" not in body.split("\n## ")[0]]
    assert not {*range(1, 20), 24, 26, 27, 30} & set(without)


def test_its_examples_are_what_the_form_gives() -> None:
    examples = {
        "i1:1": spec.encode(1, T.IntegerType()),
        "s1:1": spec.encode("1", T.StringType()),
        "s2:é": spec.encode("é", T.StringType()),
        "a7:s1:an0:": spec.encode(["a", None], T.ArrayType(T.StringType())),
        "r15:s1:as0:s1:bi1:1": spec.encode((1, ""), PAIR),
        "0x1.0p0": spec.hexadecimal(1.0),
        "0x1.999999999999ap-4": spec.hexadecimal(0.1),
        "0x0.0000000000001p-1022": spec.hexadecimal(5e-324),
    }
    for written, made in examples.items():
        assert written == made
        assert f"`{written}`" in TEXT
