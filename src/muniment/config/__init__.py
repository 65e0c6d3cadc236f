"""Configuration → model; every mistake at once, each with its place."""

from muniment.config.entities import parse_entity
from muniment.config.load import load_project
from muniment.config.mistakes import ConfigurationError, Mistake
from muniment.config.schema import json_schema

__all__ = ["ConfigurationError", "Mistake", "json_schema", "load_project", "parse_entity"]
