"""One series as people use it: verbs that only put the parts beside it together."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment.model.series import Role
from muniment.series.lineage import Standing
from muniment.steps import series_build, series_mark
from muniment.steps.readers import table
from muniment.steps.series_backfill import Backfilled, Order, backfill
from muniment.steps.series_compare import Compared, compare
from muniment.steps.series_land import take
from muniment.steps.series_mark import Said, span
from muniment.steps.series_scene import Built, Moment, Scene, Taken
from muniment.steps.series_store import partition_rows, standing_of


class SeriesVerbs:
    """A series of one project."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.name = scene.series.name

    def dump(self, data: object, at: Moment) -> Taken:
        """Land a full dump: the whole table as it was at the end of a day or hour."""
        return take(self.scene, Role.DUMP, data, at)

    def delta(self, data: object, at: Moment) -> Taken:
        """Land the changes of a day or hour; rows with `op` d or `is_deleted` take their key away."""
        return take(self.scene, Role.DELTA, data, at)

    def build(self, at: Moment) -> Built:
        """Make the target of a day or hour from the newest good base and the deltas after it."""
        return series_build.build(self.scene, at)

    def read(self, at: Moment | None = None) -> DataFrame:
        """The newest target at or before a time that nothing bad is in."""
        return series_build.read(self.scene, at)

    def mark(self, role: str, at: Moment, reason: str, *, by: str, until: Moment | None = None) -> Said:
        """Say that a partition, or all from one time to another, is bad; nothing is deleted."""
        return series_mark.mark(self.scene, span(self.scene, role, at, until), by=by, reason=reason)

    def unmark(self, role: str, at: Moment, reason: str, *, by: str, until: Moment | None = None) -> Said:
        """Say that it was good after all: everything is as it was."""
        return series_mark.unmark(self.scene, span(self.scene, role, at, until), by=by, reason=reason)

    def marks(self) -> DataFrame:
        """All that was ever said of its partitions, with whether it still holds."""
        return series_mark.marks(self.scene)

    def backfill(
        self, *, by: str = "", reason: str = "", since: Moment | None = None, until: Moment | None = None, dry_run: bool = False
    ) -> Backfilled:
        """Rebuild what is bad, tainted or stale from what is good, compare, and clear the marks."""
        first, last = (None if at is None else self.scene.start(at) for at in (since, until))
        return backfill(self.scene, Order(by, reason, first, last, dry_run))

    def compare(self, other: SeriesVerbs | DataFrame | str, at: Moment | None = None) -> Compared:
        """Hold its target against that of another series, a table by name, or a frame."""
        return compare(self.read(at), self._other(other, at), key=self.scene.series.key_names)

    def partitions(self) -> DataFrame:
        """Every partition ever recorded, with what it is worth now."""
        found = self.standing()
        worth = F.create_map(*(F.lit(text) for name, quality in found.quality.items() for text in (name, quality.value)))
        rows = partition_rows(self.scene.lake, self.name).drop("quality")
        judged = worth[F.col("partition_id")] if found.quality else F.lit(None).cast("string")
        return rows.withColumn("quality", judged).orderBy("start_ts", "role", "generation")

    def standing(self) -> Standing:
        """The same as plain values, for pictures and programs."""
        return standing_of(self.scene.lake, self.name)

    def _other(self, other: SeriesVerbs | DataFrame | str, at: Moment | None) -> DataFrame:
        if isinstance(other, SeriesVerbs):
            return other.read(at)
        if isinstance(other, DataFrame):
            return other
        if other in self.scene.others:
            scene = self.scene
            return series_build.read(Scene(scene.lake, scene.others[other], scene.root, scene.alerts, scene.others), at)
        return table(self.scene.lake, other)
