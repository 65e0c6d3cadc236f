"""A table's log where Python has no files to read: object stores and catalogs, through Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC
from urllib.parse import unquote

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from muniment.lake.commits import Commit, DataFile, commit
from muniment.lake.errors import TableMissing, TableUnreadable, VersionGone
from muniment.lake.trouble import condition, summary

_ACTIONS = "add struct<path: string, size: bigint>, remove struct<path: string>"
_ABSENT = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "PATH_NOT_FOUND")
_PAGE = 50


class RemoteLog:
    """The log of one table as Spark shows it."""

    def __init__(self, spark: SparkSession, *, name: str, identifier: str, path: str | None) -> None:
        self._spark = spark
        self._name = name
        self._identifier = identifier
        self._path = path

    def exists(self) -> bool:
        """Is there a table? Only Spark's plain answer that nothing is there counts as no (R26)."""
        try:
            self._frame().schema  # noqa: B018 - asking is the check
        except Exception as error:
            if condition(error) in _ABSENT:
                return False
            if self._path and condition(error) == "DELTA_TABLE_NOT_FOUND" and self._empty():
                return False
            raise self._trouble(error) from error
        return True

    def version(self) -> int:
        """The newest version."""
        return next(self.newest_first()).version

    def commits(self, since: int = -1) -> Iterator[Commit]:
        """Commits after a version, oldest first."""
        return map(_commit, self._looked(lambda: self._history().where(F.col("version") > since).orderBy("version")))

    def newest_first(self) -> Iterator[Commit]:
        """All commits, newest first, asked for in pages."""
        page = self._looked(lambda: self._history(_PAGE))
        yield from map(_commit, page)
        if len(page) == _PAGE:
            older = F.col("version") < page[-1]["version"]
            yield from map(_commit, self._looked(lambda: self._history().where(older).orderBy(F.desc("version"))))

    def forget_beginning(self) -> None:
        """Nothing to do: an object store has no empty folders, and a catalog cleans up by itself."""

    def added(self, version: int) -> list[DataFile]:
        """The data files that a commit added; a file that only got a deletion vector is none of them."""
        entry = f"{self.root()}/_delta_log/{version:020}.json"
        try:
            actions = self._spark.read.schema(_ACTIONS).json(unglobbed(entry)).collect()
        except Exception as error:
            if condition(error) == "PATH_NOT_FOUND":
                raise VersionGone(table=self._name, version=version, known="in its history") from None
            raise self._trouble(error) from error
        gone = {action["remove"]["path"] for action in actions if action["remove"]}
        adds = [action["add"] for action in actions if action["add"]]
        return [DataFile(unquote(add["path"]), add["size"]) for add in adds if add["path"] not in gone]

    def appended(self, since: int, until: int) -> None:
        """Elsewhere the log's entries are read by Spark: no cheaper than the table."""

    def sized(self, paths: Iterable[str]) -> list[DataFile]:
        """Files with the size they have where they are."""
        root = self.root()
        listing = self._spark.read.format("binaryFile").option("recursiveFileLookup", True)
        there = self._looked(lambda: listing.load(unglobbed(root)).select("path", "length"))
        sizes = {row["path"].removeprefix(f"{root}/"): row["length"] for row in there}
        return [DataFile(path, sizes.get(path)) for path in sorted(paths)]

    def digests(self, paths: Sequence[str]) -> dict[str, str]:
        """SHA-256 of files, by path."""
        if not paths:
            return {}
        root = self.root()
        places = [unglobbed(f"{root}/{path}") for path in paths]
        files = self._spark.read.format("binaryFile")
        rows = self._looked(lambda: files.load(places).select("path", F.sha2("content", 256).alias("digest")))
        found = {row["path"].removeprefix(f"{root}/"): row["digest"] for row in rows}
        return {path: found[path] for path in paths}

    def root(self) -> str:
        """The folder of the table."""
        detail = self._spark.sql(f"DESCRIBE DETAIL {self._identifier}").select("location").first()
        if detail is None:
            raise TableUnreadable(table=self._name, problem="it has no location", place=self._identifier)
        return str(detail["location"])

    def _frame(self) -> DataFrame:
        return self._spark.read.format("delta").load(self._path) if self._path else self._spark.read.table(self._identifier)

    def _looked(self, look: Callable[[], DataFrame]) -> list[Row]:
        try:
            return look().collect()
        except Exception as error:
            if not self.exists():
                raise TableMissing(table=self._name) from None
            raise self._trouble(error) from error

    def _history(self, limit: int | None = None) -> DataFrame:
        columns = ("version", "timestamp", "operation", "userMetadata")
        limited = f" LIMIT {limit}" if limit else ""
        return self._spark.sql(f"DESCRIBE HISTORY {self._identifier}{limited}").select(*columns)

    def _empty(self) -> bool:
        """Neither data nor a log where the table would be."""
        return not any(self._has_files(f"{self._path}{below}") for below in ("", "/_delta_log"))

    def _has_files(self, folder: str) -> bool:
        try:
            return bool(self._spark.read.format("binaryFile").load(unglobbed(folder)).select("path").take(1))
        except Exception as error:
            if condition(error) == "PATH_NOT_FOUND":
                return False
            raise self._trouble(error) from error

    def _trouble(self, error: Exception) -> TableUnreadable:
        return TableUnreadable(table=self._name, problem=summary(error), place=self._path or self._identifier)


def _commit(row: Row) -> Commit:
    at = row["timestamp"].astimezone(UTC)
    return commit(row["version"], at=at, operation=row["operation"], metadata=row["userMetadata"])


def unglobbed(path: str) -> str:
    """A path in which nothing is a pattern."""
    return "".join(f"\\{char}" if char in "*?[]{}\\" else char for char in path)
