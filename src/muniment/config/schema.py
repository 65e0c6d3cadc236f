"""The JSON Schema of the configuration, for editors."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from muniment.config.entity_shape import EntityShape
from muniment.config.shape import ProjectShape


def json_schema() -> dict[str, Any]:
    """The schema of muniment.yml and of the files of entities."""
    references, schema = models_json_schema([(ProjectShape, "validation"), (EntityShape, "validation")], title="Muniment")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Muniment",
        "description": "muniment.yml, or a file that describes an entity",
        "anyOf": [references[(ProjectShape, "validation")], references[(EntityShape, "validation")]],
        "$defs": {name: _closed(shape) for name, shape in schema["$defs"].items()},
    }


def _closed(schema: Any) -> Any:
    """Names that do not fit the pattern are refused; pydantic only says what holds for those that do."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(item) for name, item in schema.items()}
    return {**closed, "additionalProperties": False} if "patternProperties" in closed else closed
