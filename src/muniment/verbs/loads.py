"""Loads as people use them: a slice into its table, and how far its source was read."""

from __future__ import annotations

from pyspark.sql import DataFrame

from muniment.loads import marks
from muniment.loads.result import Loaded
from muniment.loads.watermarks import told
from muniment.steps.load import live, load
from muniment.steps.release import Verdict
from muniment.steps.slices import LoadRequest
from muniment.steps.watermarks import reset
from muniment.verbs.opened import Moment, Opened, moment


class LoadVerbs(Opened):
    """What a project does with loads."""

    def load(self, name: str, slice: object = None, *, at: Moment | None = None) -> Loaded:  # noqa: A002 - the name people type
        """Load a slice into its table by the load's strategy: a DataFrame, dicts, a path, or what is new at its place."""
        return load(self.lake, LoadRequest(self.load_of(name), self.model.root, slice, moment(at, "at")))

    def loaded(self, name: str) -> DataFrame:
        """What a load has made: live rows, and of a historic one those that are current; `table` has all there is."""
        return live(self.lake, self.load_of(name))

    def next_read(self, name: str) -> str:
        """How the source of a load is to be read next, in words."""
        return told(self.load_of(name), marks.current(self.lake, self.load_of(name)))

    def watermarks(self, name: str | None = None, *, every: bool = False) -> DataFrame:
        """How far loads have read their sources; `every`: all that became of it, with who and why."""
        return marks.history(self.lake, self.load_of(name).name if name else None, every=every)

    def reset_watermark(self, name: str, column: str, value: Moment | None = None, *, by: str, reason: str) -> str | None:
        """Set a watermark by hand: to a value of its type, or to none, so that everything is read again."""
        return reset(self.lake, self.load_of(name), column, value, verdict=Verdict(by, reason))
