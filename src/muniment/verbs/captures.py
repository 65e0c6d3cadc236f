"""Captures as people use them: fetch what an API says now, look at it, compare it, take it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame

from muniment.captures.diff import Diff, DiffSpec
from muniment.captures.pages import Fetch, Mode, mode_of
from muniment.errors import BadArgument
from muniment.gate.fields import Fields
from muniment.steps import readers
from muniment.steps.capture import Captured, Shot, capture, declared_fetch
from muniment.steps.diff import Side, diff_sets, spec_of
from muniment.steps.replay import Replayed, replay
from muniment.verbs.opened import Moment, Opened, moment


class CaptureVerbs(Opened):
    """What a project does with captures."""

    def capture(
        self,
        entity: str,
        source: str,
        fetch: Fetch | None = None,
        *,
        mode: str = Mode.FULL_SNAPSHOT,
        captured_at: Moment | None = None,
        scope: Mapping[str, object] | None = None,
    ) -> Captured:
        """Fetch all pages of an API, by default as the configuration says, and keep them as they came; `land` takes them from there."""
        found = self.entity(entity)
        shot = Shot(
            fetch or declared_fetch(self.model, found, found.source(source)), mode_of(mode), moment(captured_at, "captured_at"), scope
        )
        return self.capture_many(entity, source, [shot])[0]

    def capture_many(self, entity: str, source: str, shots: Sequence[Shot]) -> list[Captured]:
        """Several captures, noted in one commit."""
        found = self.entity(entity)
        return capture(self.lake, Fields(found, found.source(source)), self.model.root, shots)

    def diff(
        self,
        previous: Side,
        current: Side,
        spec: DiffSpec | None = None,
        *,
        entity: str | None = None,
        source: str | None = None,
        delisted: DataFrame | None = None,
    ) -> Diff:
        """Compare two sets, frames or captures by path: new, modified with old and new, delisted, unchanged; nothing is written."""
        fields = Fields(self.entity(entity), self.entity(entity).source(source)) if entity and source else None
        declared = spec or (spec_of(self.entity(entity), fields.source if fields else None) if entity else None)
        if declared is None:
            raise BadArgument(argument="spec", problem="nothing says what to compare by", advice="Give a DiffSpec, or an entity.")
        return diff_sets(self.lake, self.model.root, (previous, current), fields=fields, spec=declared, delisted=delisted)

    def replay(self, entity: str, *, into: str | Path | None = None) -> Replayed:
        """All captures again in their true order into a new history beside the lake, and what differs."""
        return replay(self.lake, self.entity(entity), self.model.root, into=None if into is None else Path(into))

    def captures(self, entity: str | None = None) -> DataFrame:
        """Every capture and what became of it, by the instant it speaks for."""
        return readers.captures(self.lake, entity=self.entity(entity).name if entity else None)

    def change_log(self, entity: str) -> DataFrame:
        """What each capture showed to be listed, modified or delisted, with the captures it follows from."""
        return readers.change_log(self.lake, entity=self.entity(entity).name)
