"""Type names: one spelling for each, and a good answer for every other text."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.model.types import MAX_DEPTH, SIMPLE, canonical, is_number, key_type

TYPES = st.recursive(
    st.sampled_from(sorted(SIMPLE)) | st.builds("decimal({},{})".format, st.integers(9, 38), st.integers(0, 9)),
    lambda inner: (
        st.builds("array<{}>".format, inner)
        | st.builds("map<string, {}>".format, inner)
        | st.builds("struct<a: {}, `b c`: {}>".format, inner, inner)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("integer", "int"),
        (" LONG ", "bigint"),
        ("byte", "tinyint"),
        ("Short", "smallint"),
        ("real", "float"),
        ("timestamp_ltz", "timestamp"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("decimal", "decimal(10,0)"),
        ("numeric( 5 )", "decimal(5,0)"),
        ("DECIMAL(38, 18)", "decimal(38,18)"),
        ("array<integer>", "array<int>"),
        ("map<string, array<long>>", "map<string,array<bigint>>"),
        ("struct<a: integer, b string>", "struct<a:int,b:string>"),
        ("struct<`a b`: int, `c``d`: int>", "struct<`a b`:int,`c``d`:int>"),
    ],
)
def test_a_type_has_one_spelling(written: str, meant: str) -> None:
    assert canonical(written) == meant


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("strnig", "there is no type 'strnig'; did you mean 'string'?"),
        ("varchar(10)", "there is no type 'varchar'; write string"),
        ("datetime", "there is no type 'datetime'; write timestamp"),
        ("", "'' is not a type: it ends where a type name is expected"),
        ("string string", "'string string' is not a type: 'string' is too much after string"),
        ("string; drop", "'string; drop' is not a type: ';' does not belong there"),
        ("array", "'array' is not a type: it ends where '<' is expected"),
        ("array<int", "'array<int' is not a type: it ends where '>' is expected"),
        ("map<string>", "'map<string>' is not a type: ',' is expected before '>'"),
        ("map<map<int,int>,int>", "'map<map<int,int>,int>' is not a type: a map cannot be the key of a map"),
        ("struct<>", "'struct<>' is not a type: the name of a field is expected before '>'"),
        ("struct<a: int, A: int>", "'struct<a: int, A: int>' is not a type: the field 'A' is there twice"),
        ("decimal(39,0)", "'decimal(39,0)' is not a type: decimal(p,s) needs p from 1 to 38 and s from 0 to p"),
        ("decimal(5,6)", "'decimal(5,6)' is not a type: decimal(p,s) needs p from 1 to 38 and s from 0 to p"),
        ("decimal(x)", "'decimal(x)' is not a type: a small whole number is expected, not 'x'"),
        ("decimal(-1)", "'decimal(-1)' is not a type: '-' does not belong there"),
    ],
)
def test_what_is_no_type_gets_an_answer(written: str, says: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        canonical(written)
    assert str(caught.value) == says


def test_a_name_like_no_other_gets_all_names() -> None:
    with pytest.raises(ValueError, match=r"there is no type 'qqq'; known: string, boolean, .*, struct$"):
        canonical("qqq")


def test_nesting_has_a_limit() -> None:
    deepest = "array<" * (MAX_DEPTH - 1) + "int" + ">" * (MAX_DEPTH - 1)
    assert canonical(deepest) == deepest
    with pytest.raises(ValueError, match="nested 16 deep at most"):
        canonical(f"array<{deepest}>")
    with pytest.raises(ValueError, match="nested 16 deep at most"):
        canonical("array<" * 100_000)


@given(TYPES)
def test_the_canonical_spelling_is_its_own(written: str) -> None:
    once = canonical(written)
    assert canonical(once) == once
    assert canonical(written.upper()).upper() == once.upper()


@given(st.text(alphabet="abcdefilmnoprstuy<>(),:` 0159\n", max_size=40))
def test_any_text_is_a_type_or_a_value_error(text: str) -> None:
    with suppress(ValueError):
        parsed = canonical(text)
        assert canonical(parsed) == parsed


@pytest.mark.parametrize("written", ["string", "long", "decimal(18,2)", "date", "timestamp", "boolean", "binary"])
def test_a_plain_exact_value_can_be_a_key(written: str) -> None:
    assert key_type(written) == canonical(written)


@pytest.mark.parametrize("written", ["float", "real", "double", "array<int>", "map<string,int>", "struct<a: int>"])
def test_what_is_not_plain_or_not_exact_cannot_be_a_key(written: str) -> None:
    with pytest.raises(ValueError, match="a key part cannot be"):
        key_type(written)


def test_only_numbers_are_numbers() -> None:
    numbers = {name for name in {*SIMPLE.values(), "decimal(10,0)", "array<int>"} if is_number(name)}
    assert numbers == {"tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,0)"}
