"""A mutant in place of its module, for as long as it is judged: nothing is written to disk."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from tests.mutation.mutant import EVIDENCE, Mutant

_TESTS = Path(__file__).resolve().parents[1]
_FOLLOW_THE_FOLD = (EVIDENCE.resolve(), _TESTS / "spark" / "evidence", _TESTS / "mutation" / "judge.py")


class _Loader(SourceFileLoader):
    """Compiles the mutant's text, past every cache."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.full_module, str(mutant.path))
        self._text = mutant.source()

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.was_asked = False

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != self.mutant.full_module:
            return None
        self.was_asked = True
        return spec_from_file_location(fullname, self.mutant.path, loader=_Loader(self.mutant))


@contextmanager
def in_place(mutant: Mutant) -> Iterator[None]:
    """What is imported in here is the mutant, and everything that follows from it; a mutant that nothing imported was not judged."""
    finder = _Finder(mutant)
    forget()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        forget()
    if not finder.was_asked:
        raise RuntimeError(f"{mutant.name}: no test imported {mutant.full_module}")


def forget() -> None:
    """Let the evidence and its tests be imported anew; they are known by their files, because pytest has names of its own for them."""
    for name in [name for name, module in sys.modules.items() if _follows(getattr(module, "__file__", None))]:
        del sys.modules[name]


def _follows(file: str | None) -> bool:
    return file is not None and any(Path(file).resolve().is_relative_to(place) for place in _FOLLOW_THE_FOLD)
