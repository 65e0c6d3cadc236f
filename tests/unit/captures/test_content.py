"""The content of a capture is what its records say, not how they are written."""

from __future__ import annotations

import json
from decimal import Decimal
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.captures.content import Content, canonical, content_of, parse

T = TypeVar("T")
KEY = [("id",)]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.decimals(allow_nan=False, allow_infinity=False, places=6).map(float),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.lists(st.dictionaries(st.text(min_size=1, max_size=4), VALUES, max_size=5), max_size=6)


@given(RECORDS, st.randoms(use_true_random=False))
def test_the_order_of_records_and_fields_and_nulls_for_absent_fields_do_not_matter(
    records: list[dict[str, object]], random: Random
) -> None:
    def shuffled(items: list[T]) -> list[T]:
        return random.sample(items, len(items))

    other: list[dict[str, object]] = []
    for record in shuffled(records):
        stated = [each for each in record.items() if each[1] is not None]
        other.append(dict([*shuffled(stated), ("a name longer than any", None)]))
    assert content_of(map(json.dumps, records), key=KEY) == content_of(map(json.dumps, other), key=KEY)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ('{"id": 1, "x": 1.50}', '{"x": 1.5, "id": 1}', True),
        ('{"id": 1, "x": 1e2}', '{"id": 1, "x": 100}', True),
        ('{"id": 1, "x": -0.0}', '{"id": 1, "x": 0}', True),
        ('{"id": 1, "x": {"a": null}}', '{"id": 1, "x": {}}', True),
        ('{"id": 1, "x": null}', '{"id": 1}', True),
        ('{"id": 1, "x": 0.1000000000000000055511151231257827}', '{"id": 1, "x": 0.1}', False),
        ('{"id": 1, "x": 1000000000000000000000000000001}', '{"id": 1, "x": 1000000000000000000000000000002}', False),
        ('{"id": 1, "x": "1"}', '{"id": 1, "x": 1}', False),
        ('{"id": 1, "x": true}', '{"id": 1, "x": "true"}', False),
        ('{"id": 1, "x": ""}', '{"id": 1}', False),
        ('{"id": 1, "x": [null]}', '{"id": 1, "x": []}', False),
        ('{"id": 1, "a": "b"}', '{"id": 1, "ab": ""}', False),
        ('{"id": 1, "x": 1e999999999}', '{"id": 1, "x": 1e999999998}', False),
    ],
)
def test_what_is_equal_and_what_is_not(one: str, other: str, equal: bool) -> None:
    assert (content_of([one], key=KEY) == content_of([other], key=KEY)) is equal


def test_a_record_more_or_the_same_record_twice_is_other_content() -> None:
    line = '{"id": 1}'
    assert len({content_of([line] * count, key=KEY) for count in range(3)}) == 3


def test_a_number_has_the_text_that_the_specification_gives_it() -> None:
    written = {
        "1.10": "1.1",
        "100": "100",
        "1e3": "1000",
        "-0.050": "-0.05",
        "12345678901234567890.5": "12345678901234567890.5",
        "0.00": "0",
    }
    assert {text: canonical(Decimal(text)).split(":")[1] for text in written} == written


def test_keys_that_are_there_twice_are_named_under_any_of_their_names() -> None:
    content = Content([("sym", "symbol")])
    for line in ('{"sym": "A"}', '{"symbol": "A", "x": 1}', '{"symbol": "B"}'):
        content.add(parse(line))
    assert content.repeated() == {canonical(["A"]): 2}
