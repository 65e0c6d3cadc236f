"""Whatever stands in a file, the answer is a model or a list of mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from muniment.config import ConfigurationError, Mistake, load_project, parse_entity
from muniment.model.entity import Entity

CUSTOMER = yaml.safe_load((Path(__file__).parent / "bank/entities/customer.yml").read_text(encoding="utf-8").replace("18:00", "'18:00'"))
JUNK: tuple[object, ...] = (
    None, True, 0, -1, 1.5, float("nan"), "", "x", "\x00", "{}", "%", "..", [], [None], ["x", "x"], [[]], {}, {"x": None}, {"": ""},
    {"type": "string"}, {"type": []}, date(2024, 1, 1), "name", "crm", b"bytes", "customer_id", {"env": "X"}, [{"sql": "("}], 10**400,
)  # fmt: skip


def places(data: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in the data but the data itself."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, item in items:
        yield (*place, step)
        yield from places(item, (*place, step))


def replaced(place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """The good example with something else in one place."""
    data: Any = deepcopy(CUSTOMER)
    around = data
    for step in place[:-1]:
        around = around[step]
    around[place[-1]] = value
    return dict(data)


def answer(mapping: dict[str, Any]) -> Entity | ConfigurationError:
    """The entity, or the error that lists its mistakes."""
    try:
        return parse_entity(mapping)
    except ConfigurationError as error:
        return error


def told(folder: str) -> tuple[Mistake, ...]:
    """The mistakes of a project; none if it has entities."""
    try:
        assert load_project(folder).entities
    except ConfigurationError as error:
        return error.mistakes
    return ()


def test_one_wrong_thing_anywhere_is_told_where_it_stands() -> None:
    wrong = object()
    for place in places(CUSTOMER):
        if place[0] == "meta":
            continue
        found = answer(replaced(place, wrong))
        assert isinstance(found, ConfigurationError), place
        assert any(str(place[0]) in mistake.where for mistake in found.mistakes), place


@given(st.sampled_from(list(places(CUSTOMER))), st.sampled_from(JUNK))
def test_junk_anywhere_gives_an_entity_or_mistakes(place: tuple[str | int, ...], value: object) -> None:
    found = answer(replaced(place, value))
    if isinstance(found, ConfigurationError):
        assert found.mistakes
        assert all(str(mistake).isprintable() for mistake in found.mistakes)


@given(st.text(alphabet="abk:-[]{}&*!|>'\"%@#,? \t\n0\\<", max_size=60))
def test_any_text_in_a_file_gives_a_model_or_mistakes(text: str) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "muniment.yml").write_text("name: a\nlake: {path: lake}\ninclude: [b.yml]\n", encoding="utf-8")
        (Path(folder) / "b.yml").write_text(text, encoding="utf-8")
        mistakes = told(folder)
        assert all(mistake.file == "b.yml" and mistake.line >= 1 for mistake in mistakes)
