"""What arrived, before the gate has looked at it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import identifier, literal
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

    def may_have(self, names: Iterable[str]) -> bool:
        """Whether any row could have one of these fields."""
        return self.columns is None or any(name in self.columns for name in names)

    def value(self, names: Iterable[str]) -> tuple[Column, T.DataType]:
        """The value under the first of these names that the row has, and its type."""
        text, kind = self.sql(names)
        return F.expr(text), kind

    def sql(self, names: Iterable[str]) -> tuple[str, T.DataType]:
        """The same value as SQL."""
        if self.columns is None:
            return f"coalesce({', '.join(f'{FIELDS}[{literal(name)}]' for name in names)})", T.StringType()
        found = next((name for name in names if name in self.columns), None)
        return ("CAST(NULL AS STRING)", T.StringType()) if found is None else (identifier(found), self.frame.schema[found].dataType)

    def has(self, names: Iterable[str]) -> str:
        """Whether the row came with one of these fields, as SQL."""
        if self.columns is not None:
            return "true" if any(name in self.columns for name in names) else "false"
        return f"coalesce({' OR '.join(('false', *(f'map_contains_key({FIELDS}, {literal(name)})' for name in names)))}, false)"

    def raw(self) -> Column:
        """The whole row as it came, for quarantine."""
        if self.columns is None:
            return quoted(TEXT)
        whole = F.to_json(_together(self.columns), UTC_JSON)
        return F.coalesce(quoted(self.line), whole) if self.line else whole

    def undeclared(self, declared: frozenset[str]) -> str:
        """The names of the row's fields that nobody declared, as SQL."""
        if self.columns is not None:
            return _texts(name for name in self.columns if name not in declared)
        known = sorted(declared)
        found = " + ".join(("0", *(f"CAST(map_contains_key({FIELDS}, {literal(name)}) AS INT)" for name in known)))
        others = f"array_except(map_keys({FIELDS}), {_texts(known)})"  # which makes a set of each row
        return f"coalesce(CASE WHEN {found} < size({FIELDS}) THEN {others} END, {_texts(())})"

    def payload(self, declared: frozenset[str]) -> Column:
        """What nobody declared: an object's whole line, a table's other columns."""
        if self.columns is None:
            return quoted(self.body)
        extra = [name for name in self.columns if name not in declared]
        return F.to_json(_together(extra), UTC_JSON) if extra else F.lit(None).cast("string")


def _together(names: Iterable[str]) -> Column:
    return F.expr(f"struct({', '.join(map(identifier, names))})")


def _texts(names: Iterable[str]) -> str:
    return f"CAST(array({', '.join(map(literal, names))}) AS ARRAY<STRING>)"
