"""What arrived, before the gate has looked at it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.hashes import quoted

PATH = "__path"
FILE = "__file"
UNIT = "__unit"  # the load that the row belongs to
INSTANT = "__instant"  # the time given with the load or read from the file's name
TEXT = "__text"  # objects: the line as it came
FIELDS = "__fields"  # objects: its fields as text
UNREADABLE = "__unreadable"  # why the row could not be read, or null
RECEIPT = "__receipt"  # when it first reached us, if it waited in quarantine
SPECIAL = "__special"  # what a row is that says nothing about one key: `truncate`, or the name of something to be ignored

PLACE = (PATH, FILE, UNIT, INSTANT, UNREADABLE, RECEIPT, SPECIAL)
TRUNCATE = "truncate"
UTC_JSON = {"timeZone": "UTC", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", "ignoreNullFields": "false"}


@dataclass(frozen=True, slots=True)
class Rows:
    """A frame of raw rows and how to look into it: columns of its own (a table), or objects with keys of their own."""

    frame: DataFrame
    source_type: str
    columns: tuple[str, ...] | None = None  # None: objects
    from_table: bool = False  # objects that were rows of a table before they waited in quarantine
    line: str | None = None  # a table's column with the text of a row that does not fit its columns
    body: str = TEXT  # objects: the column with what is kept where a field is undeclared
    heard: str | None = None  # a column with the moment each row was received, where that is not the moment of landing

    @property
    def is_table(self) -> bool:
        return self.columns is not None or self.from_table

    @property
    def some_column(self) -> Column:
        """Any column of what came, where it has one."""
        names = (TEXT,) if self.columns is None else self.columns
        return quoted(names[0]) if names else F.lit(None)

    def with_frame(self, frame: DataFrame, *, heard: str | None = None) -> Rows:
        """The same view of another frame."""
        return replace(self, frame=frame, heard=heard or self.heard)

    def has(self, names: Iterable[str]) -> Column:
        """Whether the row came with one of these fields."""
        if self.columns is not None:
            return F.lit(any(name in self.columns for name in names))
        found = [F.map_contains_key(FIELDS, name) for name in names]
        return F.coalesce(_any(found), F.lit(False))

    def may_have(self, names: Iterable[str]) -> bool:
        """Whether any row could have one of these fields."""
        return self.columns is None or any(name in self.columns for name in names)

    def value(self, names: Iterable[str]) -> tuple[Column, T.DataType]:
        """The value under the first of these names that the row has, and its type."""
        if self.columns is None:
            return F.coalesce(*(quoted(FIELDS).getItem(name) for name in names)), T.StringType()
        found = [name for name in names if name in self.columns]
        if not found:
            return F.lit(None).cast("string"), T.StringType()
        return quoted(found[0]), self.frame.schema[found[0]].dataType

    def raw(self) -> Column:
        """The whole row as it came, for quarantine."""
        if self.columns is None:
            return quoted(TEXT)
        whole = F.to_json(F.struct(*(quoted(name) for name in self.columns)), UTC_JSON)
        return F.coalesce(quoted(self.line), whole) if self.line else whole

    def undeclared(self, declared: frozenset[str]) -> Column:
        """The names of the row's fields that nobody declared."""
        if self.columns is not None:
            return F.array(*(F.lit(name) for name in self.columns if name not in declared)).cast("array<string>")
        known = F.array(*(F.lit(name) for name in sorted(declared)))
        found = sum((F.map_contains_key(FIELDS, name).cast("int") for name in sorted(declared)), F.lit(0))
        others = F.when(found < F.size(FIELDS), F.array_except(F.map_keys(FIELDS), known))  # which makes a set of each row
        return F.coalesce(others, F.array().cast("array<string>"))

    def payload(self, declared: frozenset[str]) -> Column:
        """What nobody declared: an object's whole line, a table's other columns."""
        if self.columns is None:
            return quoted(self.body)
        extra = [quoted(name) for name in self.columns if name not in declared]
        return F.to_json(F.struct(*extra), UTC_JSON) if extra else F.lit(None).cast("string")


def _any(conditions: list[Column]) -> Column:
    result = F.lit(False)
    for condition in conditions:
        result = result | condition
    return result
