"""What a place to read from must agree with, wherever one is declared."""

from __future__ import annotations

from typing import Any

from muniment.config.mistakes import Place
from muniment.config.paths import path_problem
from muniment.config.secrets import STRONG_WORDS, holds_login, is_secret
from muniment.config.source_shape import ReadShape
from muniment.config.subject import Findings, Subject


def one_place(subject: Subject[Any], read: ReadShape | None, at: Place) -> Findings:
    """Exactly one of path, table, kafka, capture."""
    if read is None or not subject.sound(*at):
        return
    places = read.places()
    if not places:
        yield at, "it does not say where the rows are; add one of path, table, kafka, capture"
    elif len(places) > 1:
        yield (*at, places[1]), f"rows have one place, and here are {len(places)} ({', '.join(places)}); keep one"


def inside(subject: Subject[Any], read: ReadShape | None, at: Place) -> Findings:
    """No path leaves the project."""
    for kind in ("path", "capture"):
        text = getattr(read, kind, None)
        problem = path_problem(text, root=subject.root, absolute=False) if text is not None else None
        if problem:
            yield (*at, kind), problem


def no_secret(read: ReadShape | None, at: Place) -> Findings:
    """No option holds a secret."""
    for option, value in read.options.items() if read else ():
        if is_secret(option, words=STRONG_WORDS) or holds_login(value):
            yield (*at, "options", option), "a secret does not belong here; put it into a connection as {env: NAME}"
