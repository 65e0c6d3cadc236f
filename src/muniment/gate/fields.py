"""Which names in a source's rows mean which attribute."""

from __future__ import annotations

from dataclasses import dataclass

from muniment.model.entity import Entity
from muniment.model.source import ColumnTime, Source


@dataclass(frozen=True, slots=True)
class Fields:
    """An entity and one of its sources, as names."""

    entity: Entity
    source: Source

    def names(self, name: str) -> tuple[str, ...]:
        """What a file may call it: the declared other names, then its own."""
        return (*(raw for raw, meant in self.source.columns.items() if meant == name), *(() if name in self.source.columns else (name,)))

    @property
    def declared(self) -> frozenset[str]:
        """Every name in a file that somebody declared."""
        source = self.source
        own = [*(p.name for p in self.entity.key), *(a.name for a in self.entity.attributes), *source.sequence, *source.scope]
        if source.until:
            own.append(source.until)
        if source.op:
            own.append(source.op.column)
        if isinstance(source.event_time, ColumnTime):
            own.append(source.event_time.column)
        return frozenset(raw for name in own for raw in self.names(name)) | source.columns.keys()
