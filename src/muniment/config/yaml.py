"""YAML files → documents with a line for everything; hostile or broken YAML becomes mistakes, never a stack trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from muniment.config.documents import MAX_DEPTH, Document
from muniment.config.mistakes import Mistake, Place, dotted

MAX_BYTES = 1_000_000
MAX_VALUES = 50_000  # what aliases stand for counts each time, so that a few lines cannot become a million values

_TAG = "tag:yaml.org,2002:"
_SCALARS = frozenset(_TAG + name for name in ("str", "int", "float", "bool", "null", "timestamp", "value"))


class _Refused(Exception):
    """Ends the reading of a file with one mistake."""

    def __init__(self, line: int, message: str, place: Place = ()) -> None:
        super().__init__(message)
        self.line, self.message, self.place = line, message, place


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader; stops at a nesting that only an attack or a slip would have."""

    depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _Refused(self.line + 1, f"nested more than {MAX_DEPTH} deep; flatten it")
        node: Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def read_documents(path: Path, *, shown: str) -> tuple[list[Document], list[Mistake]]:
    """The documents of a file, empty ones left out, and what is wrong with it as YAML; `shown` is its name in messages."""
    mistakes: list[Mistake] = []
    documents: list[Document] = []
    try:
        for node, loader in _compose(_text(path)):
            reader = _Reader(shown, loader, mistakes)
            documents.append(Document(shown, reader.value(node, ()), reader.lines))
    except _Refused as refused:
        mistakes.append(Mistake(shown, refused.line, dotted(refused.place), refused.message))
    if not documents and not mistakes:
        mistakes.append(Mistake(shown, 1, "", "the file is empty; describe something in it or delete it"))
    return documents, mistakes


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        raise _Refused(1, f"the file cannot be read ({error.strerror}); check that it exists and that you may read it") from None
    if raw is None:
        raise _Refused(1, f"the file is larger than {MAX_BYTES:,} bytes; split it")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _Refused(raw.count(b"\n", 0, error.start) + 1, "the file is not UTF-8; save it as UTF-8") from None


def _compose(text: str) -> Iterator[tuple[Node, _Loader]]:
    try:
        loader = _Loader(text)
        while loader.check_node():
            node = loader.get_node()
            if node is not None and node.tag != _TAG + "null":
                yield node, loader
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _Refused(line, "a control character; YAML is printable text, so delete it") from None
    except yaml.MarkedYAMLError as error:
        raise _Refused(_line_of(error), _syntax(error)) from None


def _line_of(error: yaml.MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1


def _syntax(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "it cannot be read"
    if "'\\t'" in problem:
        return "a tab; YAML is indented with spaces, so replace it"
    if "mapping values are not allowed" in problem:
        return "this is not YAML: a second ':' in one line; put the text in quotes or indent the line as its neighbours"
    context = f" {error.context}" if error.context else ""
    return f"this is not YAML:{context} {problem}; check indentation, quotes and brackets here and in the line above"


@dataclass(slots=True)
class _Reader:
    """Turns the nodes of one document into plain data, noting lines; what aliases stand for is copied to each place."""

    file: str
    loader: _Loader
    mistakes: list[Mistake]
    lines: dict[Place, int] = field(default_factory=dict)

    def value(self, node: Node, place: Place) -> object:
        self._guard(node, place)
        self.lines.setdefault(place, _line(node))
        if isinstance(node, MappingNode) and node.tag == _TAG + "map":
            return self._mapping(node, place)
        if isinstance(node, SequenceNode) and node.tag == _TAG + "seq":
            return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, place)

    def _guard(self, node: Node, place: Place) -> None:
        if len(place) > MAX_DEPTH:
            raise _Refused(_line(node), f"nested more than {MAX_DEPTH} deep, or an alias that holds itself; flatten it", place[:3])
        if len(self.lines) > MAX_VALUES:
            raise _Refused(_line(node), f"more than {MAX_VALUES:,} values once aliases are written out; write less or split the file")

    def _mapping(self, node: MappingNode, place: Place) -> dict[str, object]:
        found: dict[str, object] = {}
        merged = [pair for key, value in node.value if _is_merge(key) for pair in self._merged(value, place)]
        for key, value in merged:
            self._entry(key, value, place, found)
        own: dict[str, int] = {}
        for key, value in node.value:
            name = None if _is_merge(key) else self._name(key, place)
            if name is None:
                continue
            if name in own:
                self._twice(name, place, first=own[name], second=_line(key))
                continue
            own[name] = _line(key)
            self._entry(key, value, place, found)
        return found

    def _entry(self, key: Node, value: Node, place: Place, found: dict[str, object]) -> None:
        name = self._name(key, place)
        if name is not None:
            self.lines[(*place, name)] = _line(key)
            found[name] = self.value(value, (*place, name))

    def _merged(self, value: Node, place: Place) -> list[tuple[Node, Node]]:
        nodes = list(reversed(value.value)) if isinstance(value, SequenceNode) else [value]
        if all(isinstance(node, MappingNode) for node in nodes):
            return [pair for node in nodes for pair in node.value if not _is_merge(pair[0])]
        self._add(_line(value), (*place, "<<"), "'<<' takes a mapping or a list of mappings, such as <<: *defaults")
        return []

    def _name(self, key: Node, place: Place) -> str | None:
        if isinstance(key, ScalarNode) and key.tag == _TAG + "str":
            return str(key.value)
        if isinstance(key, ScalarNode) and key.tag in _SCALARS:
            kind = key.tag.removeprefix(_TAG)
            read = {"bool": "as true or false", "null": "as nothing", "timestamp": "as a date"}.get(kind, "as a number")
            self._add(_line(key), (*place, key.value), f"YAML reads this name {read}; write it in quotes: '{key.value}'")
        else:
            self._add(_line(key), place, "a name is expected before ':', not a list or a mapping")
        return None

    def _twice(self, name: str, place: Place, *, first: int, second: int) -> None:
        self._add(second, (*place, name), f"'{name}' is written twice, in lines {first} and {second}; keep one of them")

    def _scalar(self, node: Node, place: Place) -> object:
        if not isinstance(node, ScalarNode) or node.tag not in _SCALARS:
            tag = node.tag.replace(_TAG, "!!")
            self._add(_line(node), place, f"the tag {tag} is refused; leave it out and write plain YAML")
            return None
        if ":" in node.value and node.tag in (_TAG + "int", _TAG + "float"):
            return node.value  # YAML 1.1 takes 18:00 for 1080
        try:
            value: object = self.loader.construct_object(node)
        except (ConstructorError, ValueError, OverflowError):
            kind = node.tag.removeprefix(_TAG)
            self._add(_line(node), place, f"'{node.value}' looks like a {kind} and is none; write it in quotes if it is text")
            return None
        return value

    def _add(self, line: int, place: Place, message: str) -> None:
        self.mistakes.append(Mistake(self.file, line, dotted(place), message))


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1


def _is_merge(key: Node) -> bool:
    return isinstance(key, ScalarNode) and key.tag == _TAG + "merge"
