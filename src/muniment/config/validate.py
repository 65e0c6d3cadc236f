"""Data → shape. What does not fit is told and then set aside, so that the rest can still be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from muniment.config.documents import Document
from muniment.config.mistakes import Mistake, Place
from muniment.config.shape import Shape
from muniment.config.wording import word

S = TypeVar("S", bound=Shape)
Shapes = dict[int, type[Shape]]


@dataclass(frozen=True, slots=True)
class Reading(Generic[S]):
    """A document as far as it fits a shape."""

    shape: S | None
    mistakes: Mapping[Place, Mistake]
    kept: Mapping[Place, list[int]] = field(default_factory=dict)  # of each list: the numbers its remaining items had

    def original(self, place: Place) -> Place:
        """A place in the shape → the same in the document, where nothing was set aside."""
        steps = (self._number(place[:index], step) for index, step in enumerate(place))
        return tuple(steps)

    def _number(self, around: Place, step: str | int) -> str | int:
        numbers = self.kept.get(around, [])
        return numbers[step] if isinstance(step, int) and step < len(numbers) else step


def read_shape(model: type[S], document: Document) -> Reading[S]:
    """The document as that shape, without the parts that do not fit; and those, each with its mistake."""
    data = deepcopy(document.data)
    if not isinstance(data, dict):
        return Reading(None, {(): document.mistake((), "a mapping (name: value) is expected, not a list or a single value")})
    mistakes: dict[Place, Mistake] = {}
    numbers = {id(found): list(range(len(found))) for _, found in _lists(data)}
    for _ in range(1 + _size(data)):
        shapes: Shapes = {}
        try:
            shape = model.model_validate(data, context=shapes)
            return Reading(shape, mistakes, {place: numbers[id(found)] for place, found in _lists(data) if id(found) in numbers})
        except ValidationError as failure:
            errors = failure.errors(include_url=False)
            mistakes = mistakes or _told(errors, data, shapes, document)  # what follows from setting parts aside is no mistake
            for place in sorted((_place(error, data) for error in errors), key=_backwards, reverse=True):
                _set_aside(data, place, shapes, numbers)
    return Reading(None, mistakes)


def _told(errors: list[ErrorDetails], data: object, shapes: Shapes, document: Document) -> dict[Place, Mistake]:
    told: dict[Place, Mistake] = {}
    for error in errors:
        place = _place(error, data)
        name = next((step for step in reversed(place) if isinstance(step, str)), "")
        shape = shapes.get(id(_at(data, place[: -1 - place[::-1].index(name)]))) if name else None
        told.setdefault(place, document.mistake(place, word(error, shape=shape, name=name)))
    return told


def _place(error: ErrorDetails, data: object) -> Place:
    """Where in the data an error is: pydantic also names the branch of a union on the way, which is no place."""
    place: list[str | int] = []
    last = len(error["loc"]) - 1
    for index, step in enumerate(error["loc"]):
        missing = error["type"] == "missing" and index == last
        if missing or _has(data, step):
            place.append(step)
            data = None if missing else _at(data, (step,))
    return tuple(place)


def _has(data: object, step: str | int) -> bool:
    if isinstance(data, Mapping):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and step < len(data)


def _at(data: Any, place: Place) -> Any:
    for step in place:
        data = data[step]
    return data


def _backwards(place: Place) -> tuple[tuple[int, str], ...]:
    """An order in which items of a list go from its end, so that the numbers of the others stay true."""
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in place)


def _set_aside(data: Any, place: Place, shapes: Shapes, numbers: dict[int, list[int]]) -> None:
    if not place:
        data.clear()
        return
    try:
        around = _at(data, place[:-1])
    except (KeyError, IndexError, TypeError):
        return  # went with something around it
    shape, last = shapes.get(id(around)), place[-1]
    if shape and last in shape.stand_ins:
        around[last] = deepcopy(shape.stand_ins[str(last)])
    elif shape and _is_required(shape, last):
        _set_aside(data, place[:-1], shapes, numbers)
    elif isinstance(around, list) and isinstance(last, int) and last < len(around):
        del around[last], numbers[id(around)][last]
    elif isinstance(around, dict):
        around.pop(last, None)


def _is_required(shape: type[Shape], name: str | int) -> bool:
    return name in shape.model_fields and shape.model_fields[str(name)].is_required()


def _lists(data: object, place: Place = ()) -> Iterator[tuple[Place, list[object]]]:
    if isinstance(data, list):
        yield place, data
    items = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, list) else ()
    for step, item in items:
        yield from _lists(item, (*place, step))


def _size(data: object) -> int:
    if isinstance(data, Mapping):
        return 1 + sum(map(_size, data.values()))
    return 1 + sum(map(_size, data)) if isinstance(data, list) else 1
