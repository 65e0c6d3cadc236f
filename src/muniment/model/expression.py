"""An expression that was found safe."""

from __future__ import annotations

from dataclasses import dataclass

AT = "__at"  # the time of processing, as a column: what now() means in a value


@dataclass(frozen=True, slots=True)
class Value:
    """Normal, safe SQL that gives a value, the columns it reads, and whether it reads the time of processing."""

    sql: str
    reads: frozenset[str]
    reads_time: bool = False
