"""Rows are found by the columns of their key where these say the same as its hash, and by the hash where they do not."""

from __future__ import annotations

import pytest

from muniment.project import Project

from tests.spark.loads.telling import counts, lines
from tests.spark.timeline.conftest import Make

ITEM = "load: item\nstrategy: merge\nkey: {id: long}\ncolumns: {n: int}\n"
WIDER = "load: item\nstrategy: merge\nkey: {id: long, n: int}\n"
NAMED = "load: named\nstrategy: historic\nkey: {name: string}\ncolumns: {n: int}\n"


@pytest.fixture(scope="module")
def project(make: Make) -> Project:
    return make(ITEM, NAMED)


def facts(project: Project, load: str) -> dict[str, object]:
    said = project.lake.table(f"silver.{load}").last_metadata("load")
    return dict(said or {})


def test_another_key_of_the_same_values_is_another_row(project: Project, make: Make) -> None:
    counts(project, "item", [{"id": 1, "n": 1}, {"id": 2, "n": 1}], 1)
    assert counts(project, "item", [{"id": 1, "n": 2}], 2) == (0, 1, 0, 0, 0, 0)
    assert facts(project, "item")["key"] == ["id"]
    wider = make(WIDER, NAMED, again=project)
    assert counts(wider, "item", [{"id": 2, "n": 1}], 3) == (1, 0, 0, 0, 0, 0)
    assert "key" not in facts(wider, "item")
    assert counts(wider, "item", [{"id": 2, "n": 1}], 4) == (0, 0, 1, 0, 0, 0)
    assert lines(wider, "item", "id", "n", "last_seen_ts") == [(1, 2, 2), (2, 1, 1), (2, 1, 4)]


def test_texts_that_look_alike_are_keys_of_their_own(project: Project) -> None:
    names = ["a", "A", "a ", "it's", "ä", "a\u0308"]
    assert counts(project, "named", [{"name": name, "n": 1} for name in names], 1)[0] == len(names)
    assert counts(project, "named", [{"name": "A", "n": 2}, {"name": "a\u0308", "n": 1}, {"name": "it's", "n": 2}], 2) == (0, 2, 1, 0, 0, 0)
    assert lines(project, "named", "name", "n", "effective_from", "is_current") == sorted(
        [*((name, 1, 1, name not in ("A", "it's")) for name in names), ("A", 2, 2, True), ("it's", 2, 2, True)],
        key=lambda line: [(value is not None, str(value)) for value in line],
    )
