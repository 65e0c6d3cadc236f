"""One small wrong change to a module of the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import muniment

EVIDENCE = Path(muniment.__file__).parent / "evidence"


@dataclass(frozen=True, slots=True)
class Mutant:
    """Text that occurs once in a module, and what stands there instead; `equivalent` says why no test can tell the two apart."""

    name: str
    module: str
    old: str
    new: str
    breaks: str
    near: str = "fold"  # where it is most likely noticed: fold, absence, lanes, or a part of a test's name
    equivalent: str = ""

    @property
    def path(self) -> Path:
        return EVIDENCE / f"{self.module}.py"

    @property
    def full_module(self) -> str:
        return f"muniment.evidence.{self.module}"

    def source(self) -> str:
        """The module's text with the change in it."""
        text = self.path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: its text occurs {text.count(self.old)} times in {self.path.name}, not once")
        return text.replace(self.old, self.new)
