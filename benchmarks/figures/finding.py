"""A figure, what must be reached, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from benchmarks.bench import Bench


@dataclass(frozen=True, slots=True)
class Finding:
    """One value per run, and what it was made of."""

    values: tuple[float, ...]
    parts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    note: str = ""
    passed: bool | None = None  # where the value alone does not say it
    when: str = ""  # the day and the load of its run

    @property
    def value(self) -> float:
        """The middle run."""
        return median(self.values)


NO_MARK = "no mark"
NO_TIME = "no time left"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    name: str
    says: str
    must: float
    goal: float
    unit: str  # "× faster", "× fewer", "×", "s", "jobs", "GB", "files"
    find: Callable[[Bench], Finding]
    weight: int = 0  # the light ones are measured first
    must_be: str = ""  # where the must is no number; the finding then says whether it passed

    @property
    def more_is_better(self) -> bool:
        """Faster and fewer count upwards."""
        return self.unit in {"× faster", "× fewer"}

    def reaches(self, value: float, mark: float) -> bool:
        """Is the mark reached?"""
        return value >= mark if self.more_is_better else value <= mark


def ratios(above: Iterable[float], below: Iterable[float]) -> tuple[float, ...]:
    """Run by run, never across runs."""
    return tuple(a / b for a, b in zip(above, below, strict=True))
