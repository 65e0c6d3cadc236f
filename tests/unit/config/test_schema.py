"""The JSON Schema says what the configuration may be, and editors can use it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from muniment.config import json_schema

BANK = Path(__file__).parent / "bank"
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
UNDERSTOOD = {
    "$ref", "$defs", "$schema", "title", "description", "examples", "default", "type", "enum", "const", "pattern", "properties",
    "required", "additionalProperties", "patternProperties", "propertyNames", "items", "anyOf", "oneOf", "minimum", "maximum", "minItems", "minLength", "minProperties",
}  # fmt: skip


def accepts(schema: Any, value: object, root: dict[str, Any]) -> bool:
    """Whether a value fits a schema, by the keywords that ours is made of."""
    if isinstance(schema, bool):
        return schema
    if "$ref" in schema:
        return accepts(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], value, root)
    branches = [accepts(one, value, root) for one in schema.get("anyOf") or schema.get("oneOf") or [True]]
    fits_branches = sum(branches) == 1 if "oneOf" in schema else any(branches)
    return fits_branches and _fits_type(schema, value) and _fits_limits(schema, value) and _fits_inside(schema, value, root)


def _fits_type(schema: dict[str, Any], value: object) -> bool:
    wanted = schema.get("type")
    is_odd_bool = isinstance(value, bool) and wanted in ("integer", "number")
    return (wanted is None or isinstance(value, TYPES[wanted])) and not is_odd_bool


def _fits_limits(schema: dict[str, Any], value: Any) -> bool:
    return (
        ("enum" not in schema or value in schema["enum"])
        and ("const" not in schema or value == schema["const"])
        and ("pattern" not in schema or re.search(schema["pattern"], value) is not None)
        and ("minimum" not in schema or value >= schema["minimum"])
        and ("maximum" not in schema or value <= schema["maximum"])
        and len(value if isinstance(value, (list, dict, str)) else "x")
        >= max(schema.get(k, 0) for k in ("minItems", "minLength", "minProperties"))
    )


def _fits_inside(schema: dict[str, Any], value: object, root: dict[str, Any]) -> bool:
    if isinstance(value, list):
        return all(accepts(schema.get("items", True), item, root) for item in value)
    if not isinstance(value, dict):
        return True
    rest = schema.get("additionalProperties", True)
    known = schema.get("properties", {}) | {
        name: inner for pattern, inner in schema.get("patternProperties", {}).items() for name in value if re.search(pattern, name)
    }
    return (
        set(schema.get("required", ())) <= set(value)
        and all(accepts(known.get(name, rest), item, root) for name, item in value.items())
        and all(accepts(schema.get("propertyNames", True), name, root) for name in value)
    )


def nodes(schema: Any) -> list[dict[str, Any]]:
    """Every schema inside a schema."""
    if not isinstance(schema, dict):
        return []
    inner = [item for name in ("properties", "$defs", "patternProperties") for item in schema.get(name, {}).values()]
    inner += [schema.get(name) for name in ("items", "additionalProperties", "propertyNames")]
    inner += [item for name in ("anyOf", "oneOf") for item in schema.get(name, [])]
    return [schema, *(node for item in inner for node in nodes(item))]


def documents() -> list[Any]:
    """Every document of the good example."""
    return [
        one
        for path in sorted(BANK.rglob("*.yml"))
        for one in yaml.safe_load_all(path.read_text(encoding="utf-8").replace(" 18:00", " '18:00'"))
    ]


def test_the_schema_is_json_of_keywords_that_are_understood_and_every_reference_leads_somewhere() -> None:
    schema = json.loads(json.dumps(json_schema()))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    found = nodes(schema)
    assert {name for node in found for name in node} - UNDERSTOOD == set()
    assert {node["$ref"].removeprefix("#/$defs/") for node in found if "$ref" in node} <= set(schema["$defs"])


def test_the_schema_accepts_every_document_of_the_good_example() -> None:
    schema = json_schema()
    assert len(documents()) == 4
    assert [accepts(schema, document, schema) for document in documents()] == [True] * 4


@pytest.mark.parametrize(
    "document",
    [
        {"entity": "a", "key": {"id": "string"}, "kinds": "state"},
        {"entity": "a", "key": {"id": "string"}, "kind": "stat"},
        {"entity": "a"},
        {"entity": "a-b", "key": {"id": "string"}},
        {"entity": "a", "key": {"id": "string"}, "sources": {"crm": {"complete": {"min_fraction": 2}}}},
        {"entity": "a", "key": {"id": "string"}, "sources": {"crm": {"event_time": {"given": "now"}}}},
        {"entity": "a", "key": {"id": "string"}, "sources": {"c r m": {}}},
        {"name": "bank", "lake": {"paths": "x"}},
    ],
)
def test_the_schema_refuses_what_it_can_see_to_be_wrong(document: object) -> None:
    schema = json_schema()
    assert not accepts(schema, document, schema)


def test_every_name_is_described_and_every_choice_listed() -> None:
    schema = json_schema()
    undescribed = [
        f"{owner}.{name}"
        for owner, shape in schema["$defs"].items()
        for name, field in shape.get("properties", {}).items()
        if "description" not in field
    ]
    assert undescribed == []
    assert schema["$defs"]["LoadType"]["enum"] == ["full", "changes", "partial"]
