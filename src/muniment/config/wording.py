"""What pydantic found, in the words of this project: what is expected, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml
from pydantic_core import ErrorDetails

from muniment.config.check_shape import CHECKS
from muniment.config.mistakes import LONGEST_NAME
from muniment.config.series_shape import SERIES_CHECKS
from muniment.config.shape import Shape
from muniment.model.names import hint, nearest

ShapeAt = type[Shape] | None

EXPECTED = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "a mapping (name: value)",
    "model_type": "a mapping (name: value)",
    "model_attributes_type": "a mapping (name: value)",
}
ASIDE = ("description", "owner", "tags", "meta")
RIVALS = (CHECKS, SERIES_CHECKS, ("column", "file_name", "given"), ("env", "file"))  # names that exclude each other
ADVICE = {
    "nullable": "a key part is never null, so there is nothing to say; leave it out (R1)",
    "primary_key": "what identifies an entity stands under 'key'",
    "password": "systems to talk to stand under 'connections' in muniment.yml",
}


def word(error: ErrorDetails, *, shape: ShapeAt, name: str) -> str:
    """The message for one error at the name of a mapping that was taken for that shape."""
    kind = error["type"]
    if kind in EXPECTED:
        return f"{EXPECTED[kind]} is expected, not {_found(error['input'])}{_example(shape, name)}"
    return _WORDS.get(kind, _plain)(error, shape, name)


def _unknown(_: ErrorDetails, shape: ShapeAt, name: str) -> str:
    known = [info.alias or field for field, info in shape.model_fields.items() if field not in ASIDE] if shape else []
    rivals = next((group for group in RIVALS if name in group and set(group).intersection(known)), None)
    if rivals:
        return f"only one of {', '.join(rivals)} may stand here; keep one"
    if nearest(name, known) is None and name in ADVICE:
        return f"unknown name; {ADVICE[name]}"
    return f"unknown name{hint(name, known) or '; known here: ' + ', '.join(known)}"


def _missing(_: ErrorDetails, shape: ShapeAt, name: str) -> str:
    return f"'{name}' is missing{_example(shape, name)}"


def _choice(error: ErrorDetails, _: ShapeAt, name: str) -> str:
    choices = re.findall(r"'([^']*)'", str(error.get("ctx", {}).get("expected", "")))
    found = error["input"]
    guess = hint(found, choices) if isinstance(found, str) else ""
    return f"{_found(found)} is not a choice for '{name}'; write {_either(choices)}{guess}"


def _value(error: ErrorDetails, _: ShapeAt, __: str) -> str:
    return str(error.get("ctx", {}).get("error", error["msg"]))


def _bound(error: ErrorDetails, shape: ShapeAt, name: str) -> str:
    return f"{error['input']} is out of bounds; '{name}' must be {_bounds(shape, name)}"


def _short(_: ErrorDetails, shape: ShapeAt, name: str) -> str:
    return f"nothing stands here; name at least one, or leave it out{_example(shape, name)}"


def _no_check(_: ErrorDetails, __: ShapeAt, ___: str) -> str:
    return f"this is no check; write one of {', '.join(CHECKS)}, such as {{not_null: name}}"


def _plain(error: ErrorDetails, shape: ShapeAt, name: str) -> str:
    return f"{error['msg'][0].lower()}{error['msg'][1:]}{_example(shape, name)}"


_WORDS: Mapping[str, Callable[[ErrorDetails, ShapeAt, str], str]] = {
    "extra_forbidden": _unknown,
    "missing": _missing,
    "enum": _choice,
    "literal_error": _choice,
    "value_error": _value,
    "greater_than_equal": _bound,
    "less_than_equal": _bound,
    "finite_number": _bound,
    "too_short": _short,
    "string_too_short": _short,
    "union_tag_not_found": _no_check,
    "union_tag_invalid": _no_check,
}


def _found(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"{str(value).lower()} (YAML reads yes, no, on and off so; put text in quotes)"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    shown = str(value)
    kind = "" if isinstance(value, str) else " (put text in quotes)"
    return f"'{shown if len(shown) <= LONGEST_NAME else shown[:LONGEST_NAME] + '…'}'{kind}"


def _either(choices: list[str]) -> str:
    return " or ".join(part for part in (", ".join(choices[:-1]), choices[-1]) if part) if choices else "one that exists"


def _example(shape: ShapeAt, name: str) -> str:
    field = shape.model_fields.get(name) if shape else None
    if field is None or not field.examples:
        return ""
    flow = yaml.safe_dump({name: field.examples[0]}, default_flow_style=True, sort_keys=False, width=1_000).strip()
    return f"; write, for example, {flow[1:-1]}"


def _bounds(shape: ShapeAt, name: str) -> str:
    field = shape.model_fields.get(name) if shape else None
    limits = field.metadata if field else []
    low = next((limit.ge for limit in limits if hasattr(limit, "ge")), None)
    high = next((limit.le for limit in limits if hasattr(limit, "le")), None)
    return f"from {low} to {high}" if high is not None else f"{low} or more"
