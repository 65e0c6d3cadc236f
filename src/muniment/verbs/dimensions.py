"""Dimensions as people use them: apply, look, stamp, join, check."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from muniment.errors import choice
from muniment.model.source import Absence
from muniment.steps import dimensions, stamp
from muniment.steps.apply import Given, apply, rebuild_dimension
from muniment.steps.auditing import Author
from muniment.steps.mend import Repaired, Verified, repair_dimension, verify_dimension
from muniment.steps.results import Applied
from muniment.steps.stamp import FactKey, Stamping
from muniment.verbs.opened import Moment, Opened, moment


class DimensionVerbs(Opened):
    """What a project does with dimensions."""

    def apply(
        self,
        dimension: str,
        data: object = None,
        *,
        at: Moment | None = None,
        absence: str | None = None,
        by: str | None = None,
        reason: str | None = None,
    ) -> Applied:
        """Bring a dimension up to these rows, or to what is believed; `absence="deletes"`: who is not among them is gone."""
        given = Given(self.model.root, data, moment(at, "at"), choice(Absence, absence, "absence"), Author(by, reason))
        return apply(self.lake, self.dimension_of(dimension), given)

    def dimension(self, name: str, as_of: Moment | None = None, *, unknown: bool = False) -> DataFrame:
        """All versions of a dimension, or those that hold at a time; `unknown`: and the member -1, so that a plain join keeps every fact."""
        return dimensions.dimension(self.lake, self.dimension_of(name), as_of=moment(as_of, "as_of"), unknown=unknown)

    def rebuild_dimension(self, name: str, *, by: str | None = None, reason: str | None = None) -> Applied:
        """The same dimension again, from all that was said of its members."""
        return rebuild_dimension(self.lake, self.dimension_of(name), Author(by, reason))

    def stamp(self, dimension: str, facts: DataFrame, key: FactKey | None = None, at: str = "", *, repair: bool = False) -> DataFrame:
        """The facts with the surrogate key that was valid then, -1 where none was; `repair`: stamped ones again, with the key they had."""
        return stamp.stamp(self.lake, self.dimension_of(dimension), Stamping(self.model.root, facts, key, at, repair))

    def uncovered(self, dimension: str, facts: DataFrame, key: FactKey | None = None, at: str = "") -> DataFrame:
        """The facts that no version covers, and why not."""
        return stamp.uncovered(self.lake, self.dimension_of(dimension), Stamping(self.model.root, facts, key, at))

    def as_of_join(self, facts: DataFrame, dimensions: Mapping[str, str]) -> DataFrame:
        """The facts with the columns of dimensions as they were at the time in a column: {dimension: column}; none is dropped."""
        return stamp.as_of_join(self.lake, [(self.dimension_of(name), at) for name, at in dimensions.items()], facts)

    def verify_dimension(self, name: str, facts: DataFrame | None = None) -> Verified:
        """Check that a dimension is what all that was said makes of it; with stamped facts also their keys."""
        return verify_dimension(self.lake, self.dimension_of(name), facts=facts)

    def repair_dimension(self, name: str, *, by: str | None = None, reason: str | None = None, plan: bool = False) -> Repaired:
        """Mend what `verify_dimension` finds and keep what is taken out; `plan`: only say what would happen."""
        return repair_dimension(self.lake, self.dimension_of(name), author=Author(by, reason), plan=plan)

    def dimension_statistics(self, name: str) -> DataFrame:
        """How often each column of a dimension changes, and whether it should age otherwise."""
        return dimensions.statistics(self.lake, self.dimension_of(name))
