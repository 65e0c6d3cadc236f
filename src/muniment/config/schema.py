"""The JSON Schema of the configuration, for editors."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from muniment.config.families import FAMILIES
from muniment.config.shape import ProjectShape, Shape


def json_schema() -> dict[str, Any]:
    """The schema of muniment.yml and of the files beside it."""
    shapes: list[type[Shape]] = [ProjectShape, *(family.shape for family in FAMILIES)]
    references, schema = models_json_schema([(shape, "validation") for shape in shapes], title="Muniment")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Muniment",
        "description": "muniment.yml, or a file beside it",
        "anyOf": [references[(shape, "validation")] for shape in shapes],
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
