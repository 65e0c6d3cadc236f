"""Spark's type names as people write them → one canonical spelling, without Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from muniment.model.names import hint

MAX_DEPTH = 16
MAX_PRECISION = 38

SIMPLE = {
    "string": "string",
    "boolean": "boolean",
    "byte": "tinyint",
    "tinyint": "tinyint",
    "short": "smallint",
    "smallint": "smallint",
    "int": "int",
    "integer": "int",
    "long": "bigint",
    "bigint": "bigint",
    "float": "float",
    "real": "float",
    "double": "double",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ltz": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "binary": "binary",
}
DECIMAL = ("decimal", "dec", "numeric")
NESTED = ("array", "map", "struct")
NAMES = (*SIMPLE, *DECIMAL, *NESTED)
FOREIGN = {
    "varchar": "string",
    "char": "string",
    "text": "string",
    "str": "string",
    "number": "decimal(p,s)",
    "datetime": "timestamp",
    "bool": "boolean",
    "list": "array<…>",
    "object": "struct<…>",
    "json": "string",
}
INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
APPROXIMATE = frozenset({"float", "double"})

_TOKEN = re.compile(r"\s*(?:(?P<word>\w+)|`(?P<quoted>(?:[^`]|``)+)`|(?P<mark>[<>(),:]))")


def canonical(text: str) -> str:
    """The one spelling of a type; a ValueError says what is wrong with any other text.

    >>> canonical("Long")
    'bigint'
    >>> canonical("decimal")
    'decimal(10,0)'
    >>> canonical("struct<a: integer, b: array<string>>")
    'struct<a:int,b:array<string>>'
    """
    reader = _Reader(text, tuple(_tokens(text)))
    parsed = reader.type(depth=1)
    if reader.at < len(reader.tokens):
        reader.fail(f"'{reader.tokens[reader.at].text}' is too much after {parsed}")
    return parsed


def key_type(text: str) -> str:
    """The canonical type of a key part: a scalar that has one exact form (R1)."""
    parsed = canonical(text)
    if parsed in APPROXIMATE:
        raise ValueError(
            f"a key part cannot be {parsed}: equal numbers may differ in the last bit, so one entity could get two keys; "
            "write string, long or decimal(p,s)"
        )
    if parsed.partition("<")[0] in NESTED:
        raise ValueError(f"a key part cannot be {parsed}: it needs one plain value; name the fields inside as parts of their own")
    return parsed


def is_number(canonical_type: str) -> bool:
    """Whether values of this type can be rounded."""
    return canonical_type in INTEGERS | APPROXIMATE or canonical_type.startswith("decimal(")


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    quoted: bool = False


def _tokens(text: str) -> list[_Token]:
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"'{text}' is not a type: '{text[at:].strip()[0]}' does not belong there")
        quoted = match["quoted"]
        found.append(_Token(quoted.replace("``", "`"), quoted=True) if quoted else _Token(match["word"] or match["mark"]))
        at = match.end()
    return found


@dataclass(slots=True)
class _Reader:
    """A recursive descent over the tokens of one type."""

    text: str
    tokens: tuple[_Token, ...]
    at: int = 0

    def fail(self, problem: str) -> NoReturn:
        raise ValueError(f"'{self.text}' is not a type: {problem}")

    def next(self, expected: str) -> _Token:
        if self.at == len(self.tokens):
            self.fail(f"it ends where {expected} is expected")
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self, mark: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at] == _Token(mark)

    def mark(self, mark: str) -> None:
        token = self.next(f"'{mark}'")
        if token != _Token(mark):
            self.fail(f"'{mark}' is expected before '{token.text}'")

    def type(self, depth: int) -> str:
        if depth > MAX_DEPTH:
            raise ValueError(f"a type may be nested {MAX_DEPTH} deep at most; keep what lies deeper as a string")
        name = self.next("a type name").text.lower()
        if name in SIMPLE:
            return SIMPLE[name]
        if name in DECIMAL:
            return self.decimal()
        if name in NESTED:
            return self.nested(name, depth)
        return self.unknown(name)

    def unknown(self, name: str) -> NoReturn:
        guess = f"; write {FOREIGN[name]}" if name in FOREIGN else hint(name, NAMES)
        raise ValueError(f"there is no type '{name}'{guess or '; known: ' + ', '.join(NAMES)}")

    def decimal(self) -> str:
        precision, scale = 10, 0
        if self.peek("("):
            self.mark("(")
            precision = self.number()
            if self.peek(","):
                self.mark(",")
                scale = self.number()
            self.mark(")")
        if not 1 <= precision <= MAX_PRECISION or scale > precision:
            self.fail(f"decimal(p,s) needs p from 1 to {MAX_PRECISION} and s from 0 to p")
        return f"decimal({precision},{scale})"

    def number(self) -> int:
        token = self.next("a number")
        if not (token.text.isascii() and token.text.isdigit() and len(token.text) < 4):
            self.fail(f"a small whole number is expected, not '{token.text}'")
        return int(token.text)

    def nested(self, name: str, depth: int) -> str:
        self.mark("<")
        inside = {"array": self.array, "map": self.map, "struct": self.struct}[name](depth + 1)
        self.mark(">")
        return f"{name}<{inside}>"

    def array(self, depth: int) -> str:
        return self.type(depth)

    def map(self, depth: int) -> str:
        key = self.type(depth)
        if key.startswith("map<"):
            self.fail("a map cannot be the key of a map")
        self.mark(",")
        return f"{key},{self.type(depth)}"

    def struct(self, depth: int) -> str:
        fields: dict[str, str] = {}
        while True:
            name, field = self.field(depth)
            if name.casefold() in fields:
                self.fail(f"the field '{name}' is there twice")
            fields[name.casefold()] = field
            if not self.peek(","):
                return ",".join(fields.values())
            self.mark(",")

    def field(self, depth: int) -> tuple[str, str]:
        token = self.next("the name of a field")
        if not token.quoted and not re.fullmatch(r"\w+", token.text):
            self.fail(f"the name of a field is expected before '{token.text}'")
        if self.peek(":"):
            self.mark(":")
        shown = token.text if re.fullmatch(r"[A-Za-z_]\w*", token.text) else "`" + token.text.replace("`", "``") + "`"
        return token.text, f"{shown}:{self.type(depth)}"
