"""Some keys of an entity: named one by one while they are few, so that Delta can skip files and nothing has to be shuffled."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

FEW = 4_000  # so many are read by name and folded in one place
_SHORT = 1_000  # so many names may stand in a commit


@dataclass(frozen=True, slots=True)
class Keys:
    """A set of keys; `names` is None when they are too many to be named, and then `number` may have been found on the way."""

    rows: DataFrame
    names: tuple[str, ...] | None
    number: int | None = None

    @property
    def are_few(self) -> bool:
        return self.names is not None

    @property
    def are_none(self) -> bool:
        return self.names == ()

    @property
    def are_short(self) -> bool:
        """Few enough for a commit to name them all: its condition stays in the table's log."""
        return self.names is not None and len(self.names) <= _SHORT

    def count(self) -> int:
        known = self.number if self.names is None else len(self.names)
        return self.rows.count() if known is None else known

    def of(self, rows: DataFrame) -> DataFrame:
        """The rows of these keys."""
        return rows.join(self.rows, "sk", "left_semi") if self.names is None else rows.where(self.sql("sk"))

    def apart(self, rows: DataFrame) -> DataFrame:
        """The rows of all other keys."""
        if self.are_none:
            return rows
        return rows.join(self.rows, "sk", "left_anti") if self.names is None else rows.where(f"NOT {self.sql('sk')}")

    def sql(self, column: str) -> str:
        """A condition on a column that must be one of them."""
        return f"({column} IN ({', '.join(_literal(name) for name in self.names)}))" if self.names else "false"


def keys_of(rows: DataFrame) -> Keys:
    """The keys of some rows; they are looked at once here, and again whenever the keys are many."""
    found = rows.select("sk").coalesce(1).limit(FEW + 1).collect()  # in one place: a limit goes from place to place, a job each
    return all_of(rows, tuple(sorted({row["sk"] for row in found})) if len(found) <= FEW else None)


def all_of(rows: DataFrame, names: tuple[str, ...] | None, *, number: int | None = None) -> Keys:
    """The keys of some rows, whose names are known, or how many they are."""
    return Keys(rows.select("sk").distinct(), names, number)


def either(some: Keys, more: Keys) -> Keys:
    """The keys of both, whose names are known."""
    return Keys(some.rows, tuple(sorted({*(some.names or ()), *(more.names or ())})))


def no_keys(rows: DataFrame) -> Keys:
    """None of the keys of these rows."""
    return all_of(rows, ())


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
