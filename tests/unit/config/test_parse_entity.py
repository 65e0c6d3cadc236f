"""An entity may be given in Python as the mapping that its file would hold."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from muniment.config import ConfigurationError, parse_entity
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.entity import Entity
from muniment.model.source import LoadType, Source


def told(mapping: Mapping[str, object]) -> list[str]:
    """The mistakes of an entity given in Python."""
    with pytest.raises(ConfigurationError) as caught:
        parse_entity(mapping)
    return [str(mistake) for mistake in caught.value.mistakes]


def test_a_mapping_becomes_the_entity_it_describes() -> None:
    mapping = {"entity": "customer", "key": {"id": "long"}, "attributes": {"name": "string"}, "sources": {"crm": {"load": "full"}}}
    assert parse_entity(mapping) == Entity(
        "customer", (KeyPart("id", "bigint"),), (Attribute("name", "string"),), (Source("crm", load=LoadType.FULL),)
    )


def test_the_mapping_is_left_as_it_was_and_later_changes_do_not_reach_the_entity() -> None:
    columns = {"n": "name"}
    mapping = {"entity": "a", "key": {"id": "string"}, "attributes": {"name": "string"}, "sources": {"crm": {"columns": columns}}}
    entity = parse_entity(mapping)
    columns["x"] = "nobody"
    assert entity.source("crm").columns == {"n": "name"}


def test_all_mistakes_come_at_once_with_the_entity_in_place_of_a_file() -> None:
    mapping = {"entity": "customer", "key": {"id": "float"}, "sources": {"crm": {"lod": "full"}}, "precedence": ("crm", "web")}
    assert told(mapping) == [
        "entity customer: key.id: a key part cannot be float: equal numbers may differ in the last bit, "
        "so one entity could get two keys; write string, long or decimal(p,s)",
        "entity customer: precedence[1]: there is no source 'web'; declared: crm",
        "entity customer: sources.crm.lod: unknown name; did you mean 'load'?",
    ]


def test_a_name_that_is_no_text_is_a_mistake() -> None:
    mapping: dict[str, object] = {"entity": "a", "key": {"id": "string"}, "attributes": {1: "string"}}
    assert told(mapping) == ["entity a: attributes: the name 1 is no text; write it as a string"]


def test_a_mapping_that_holds_itself_is_a_mistake() -> None:
    mapping: dict[str, object] = {"entity": "a", "key": {"id": "string"}}
    mapping["meta"] = mapping
    assert told(mapping) == ["entity a: meta.meta.meta: nested more than 32 deep; flatten it"]


@pytest.mark.parametrize("path", ["../elsewhere", "a/../../b", "/etc/passwd", "a\nb"])
def test_a_path_that_would_leave_any_project_is_refused_without_one(path: str) -> None:
    [mistake] = told({"entity": "a", "key": {"id": "string"}, "sources": {"crm": {"read": {"format": "csv", "path": path}}}})
    assert mistake.startswith("entity a: sources.crm.read.path: the path ")


def test_connections_are_not_judged_without_a_project() -> None:
    read = {"format": "json", "kafka": {"use": "anything", "topic": "t"}}
    entity = parse_entity({"entity": "a", "key": {"id": "string"}, "sources": {"crm": {"read": read}}})
    assert entity.source("crm").read is not None
