"""What people write for people: it may stand anywhere in the configuration and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Info:
    """Description, owner, tags and free notes of anything that has a name."""

    description: str | None = None
    owner: str | None = None
    tags: tuple[str, ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict)
