"""The tables of a lake: look, make, read, append, replace; each change is one commit (R24)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace as with_values
from pathlib import Path
from threading import Lock
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from muniment import clock
from muniment.columns import Col
from muniment.lake import locks, schema
from muniment.lake.changes import SOURCE, Everything, On, Replacement
from muniment.lake.commits import Commit, DataFile, Mark, user_metadata
from muniment.lake.errors import CommitNotFound, Outrun, TableMissing, TableUnreadable, VersionGone
from muniment.lake.failed import FAILED
from muniment.lake.listing import table_names
from muniment.lake.local_log import LocalLog
from muniment.lake.location import Location, literal, local_path, quote, split
from muniment.lake.remote_log import RemoteLog, unglobbed
from muniment.lake.retry import with_retry
from muniment.lake.trouble import condition, summary

DEFAULTS = {"delta.enableDeletionVectors": "true"}
_ABSENT = ("TABLE_OR_VIEW_NOT_FOUND", "PATH_NOT_FOUND", "DELTA_TABLE_NOT_FOUND")
_grown: set[tuple[str, tuple[Col, ...]]] = set()  # tables that this process has seen with all these columns, which never go again
_making = Lock()  # two threads must not make one table at once
_NO_VERSION = ("DELTA_VERSION_NOT_FOUND", "DELTA_VERSIONS_NOT_CONTIGUOUS", "DELTA_TIMESTAMP_INVALID")


class Lake:
    """All tables at one place."""

    def __init__(self, spark: SparkSession, location: Location) -> None:
        self.spark = spark
        self.location = location

    def table(self, name: str) -> Table:
        """A table by the name people see, such as `bronze.customer_log`; it need not exist."""
        split(name)
        return Table(self, name)

    def lock(self, who: str, *, wait: float = 60.0) -> AbstractContextManager[None]:
        """Hold the lake against other processes, where it is on a local disk; elsewhere commits alone keep writers apart."""
        folder = self.location.local_folder
        return nullcontext() if folder is None else locks.hold(folder, who=who, wait=wait)

    def once(self, name: str) -> str | None:
        """The transaction that keeps a write from happening twice; none where the lock does, because Delta's look-up costs more than the write."""
        return name if self.location.local_folder is None else None

    @property
    def has_catalog(self) -> bool:
        """Whether a catalog keeps its tables, so that others find them, and views, by name."""
        return self.location.base is None

    def view(self, name: str, *, of: str, where: str) -> None:
        """Make a view of some rows of a table, where the lake has a catalog to keep it; elsewhere readers know it by its name."""
        self.view_of(name, f"SELECT * FROM {self.table(of).identifier} WHERE {where}")  # noqa: S608 - names and conditions of our own

    def view_of(self, name: str, query: str | None) -> None:
        """Let a view show a query, or with none be gone. One that is there is altered: to replace it, Spark would drop it first."""
        view = self.table(name).identifier
        if not self.has_catalog:
            return
        changes = ("DROP VIEW IF EXISTS {}",) if query is None else ("CREATE VIEW IF NOT EXISTS {} AS ", "ALTER VIEW {} AS ")
        for change in changes:
            self.spark.sql(change.format(view) + (query or ""))

    def names(self) -> list[str]:
        """The tables there are."""
        return table_names(self.spark, self.location)


class Table:
    """One Delta table, there or not."""

    def __init__(self, lake: Lake, name: str) -> None:
        self.name = name
        self.location = lake.location
        self.identifier = lake.location.identifier(name)
        self.spark = lake.spark
        self._path = lake.location.path(name)
        self._found: LocalLog | RemoteLog | None = None

    # looking

    def exists(self) -> bool:
        """Is there such a table? Any trouble while looking is an error, never a no (R26)."""
        return self._log.exists()

    def version(self) -> int:
        """The newest version."""
        return self._log.version()

    def commits(self, since: int = -1) -> list[Commit]:
        """Commits after a version, oldest first; a version whose log entry is gone is missing from the list."""
        return list(self._log.commits(since))

    def newest_first(self) -> Iterator[Commit]:
        """All commits, newest first, read as far as one looks."""
        return self._log.newest_first()

    def last_commit(self, key: str) -> Commit | None:
        """The newest commit that speaks of `key`."""
        return next((commit for commit in self.newest_first() if commit.metadata is not None and key in commit.metadata), None)

    def last_metadata(self, key: str) -> Any | None:
        """What the newest commit that speaks of `key` says of it: positions are kept this way."""
        commit = self.last_commit(key)
        return commit.metadata[key] if commit is not None and commit.metadata is not None else None

    def read(self, version: int | None = None) -> DataFrame:
        """The rows; Delta looks again each time they are evaluated, so give a version where two looks must agree."""
        reader = self.spark.read.format("delta")
        reader = reader if version is None else reader.option("versionAsOf", version)
        return self._understood(lambda: reader.load(self._path) if self._path else reader.table(self.identifier), version=version)

    def appended(self, columns: Sequence[Col], *, since: int, until: int) -> DataFrame | None:
        """The rows that commits after one version up to another added, from their own files: to look at the whole table costs more than they do.

        None where that cannot be told so simply; then `read` has to do.
        """
        files = self._log.appended(since, until)
        if not files:
            return None if files is None else self.spark.createDataFrame([], schema.kind_of(columns))
        return self.spark.read.schema(schema.kind_of(columns)).parquet(*(unglobbed(str(file)) for file in files))

    def files(self, version: int | None = None) -> list[DataFile]:
        """The data files that hold the rows, with the size they have; without one, a file is missing."""
        root = self.root() + "/"
        paths = (_plain(path) for path in self.read(version).inputFiles())
        return self._log.sized(path.removeprefix(root) for path in paths)

    def added_files(self, version: int) -> list[DataFile]:
        """The data files that one commit added, with the size its log entry states."""
        return self._log.added(version)

    def digests(self, paths: Sequence[str]) -> dict[str, str]:
        """SHA-256 of data files, by the paths that `files` and `added_files` give."""
        return self._log.digests(paths)

    def root(self) -> str:
        """The folder the table is in."""
        return _plain(self._path or self._remote.root())

    def has(self, column: str, value: str) -> bool:
        """Is there a row with this value?"""
        return not self.read().where(F.col(column) == value).isEmpty()

    # changing

    def create(
        self,
        columns: Sequence[Col],
        *,
        comment: str = "",
        partition: Sequence[str] = (),
        cluster: Sequence[str] = (),
        properties: Mapping[str, str] = DEFAULTS,
    ) -> None:
        """Make the table, or add the columns it lacks; a column of another type is refused."""
        shape = (self.identifier, tuple(columns))
        with _making:
            if not self.exists():
                statement = self._creation(
                    columns, comment, {**DEFAULTS, **schema.encodings(columns), **properties}, layout=_layout(partition, cluster)
                )
                with_retry(lambda: self._make(statement))
            elif shape in _grown:
                return
            with_retry(lambda: self._grow(columns))
            _grown.add(shape)

    def append(self, rows: DataFrame, *, txn: str | None = None, metadata: Mapping[str, object] | None = None) -> Commit:
        """Add rows in one commit; the same transaction again, if there is one, adds nothing and returns the commit it made before."""
        writer = {"mode": "append"}
        return with_retry(lambda: self._write(rows, writer, mark=Mark(txn, 1, clock.new_id()), metadata=metadata))

    def replace(
        self, rows: DataFrame, *, where: Replacement, txn: str, txn_version: int, metadata: Mapping[str, object] | None = None
    ) -> Commit:
        """Rows that go and rows that come, in one commit; a conflict is for the caller to recompute (`with_retry`).

        Of writers that computed the same `txn_version` one gets it; for the others the commit is `repeated` and nothing was written.
        """
        shaped = schema.aligned(rows, self.read().schema)
        named = shaped.alias(SOURCE) if isinstance(where, On) else shaped
        writer = {"mode": "overwrite", **where.options()}
        return self._write(named, writer, mark=Mark(txn, txn_version, clock.new_id()), metadata=metadata)

    def overwrite(self, rows: DataFrame, *, txn: str, txn_version: int, metadata: Mapping[str, object] | None = None) -> Commit:
        """All rows anew, in one commit."""
        return self.replace(rows, where=Everything(), txn=txn, txn_version=txn_version, metadata=metadata)

    # inside

    @property
    def _log(self) -> LocalLog | RemoteLog:
        """Read by Python where the table is on a local disk, which is many times cheaper, else by Spark."""
        if self._found is None:
            folder = self.location.folder(self.name) or self._catalog_folder()
            self._found = LocalLog(self.name, folder) if folder else None
        return self._found or self._remote

    @property
    def _remote(self) -> RemoteLog:
        return RemoteLog(self.spark, name=self.name, identifier=self.identifier, path=self._path)

    def _catalog_folder(self) -> Path | None:
        """A catalog's table on a local disk, once it exists."""
        if self._path is not None or not self._remote.exists():
            return None
        return local_path(self._remote.root())

    def _make(self, statement: str) -> None:
        if self._path is None:
            self.spark.sql(f"CREATE SCHEMA IF NOT EXISTS {self.location.namespace(split(self.name)[0])}")
        self._log.forget_beginning()
        self.spark.sql(statement)
        if not self.exists():  # Delta took what another writer has begun for a table
            raise Outrun(table=self.name, txn="its creation", txn_version=0)

    def _creation(self, columns: Sequence[Col], comment: str, properties: Mapping[str, str], *, layout: str) -> str:
        settings = ", ".join(f"{literal(name)} = {literal(value)}" for name, value in properties.items())
        return (
            f"CREATE TABLE IF NOT EXISTS {self.identifier} ({schema.declaration(columns)}) USING delta {layout}"
            f" COMMENT {literal(comment)} TBLPROPERTIES ({settings})"
        )

    def _grow(self, columns: Sequence[Col]) -> None:
        for addition in schema.growth(self.name, columns, have=self.read().schema):
            try:
                self.spark.sql(f"ALTER TABLE {self.identifier} ADD COLUMNS ({addition.sql()})")
            except FAILED:
                if addition in schema.growth(self.name, columns, have=self.read().schema):
                    raise  # otherwise another writer grew the table in between: as wanted

    def _write(self, rows: DataFrame, writer: Mapping[str, str], *, mark: Mark, metadata: Mapping[str, object] | None) -> Commit:
        before = self.version()
        options = {name: value for name, value in writer.items() if name != "mode"}
        output = rows.write.format("delta").mode(writer["mode"]).options(**options)
        if mark.txn is not None:
            output = output.option("txnAppId", mark.txn).option("txnVersion", str(mark.txn_version))
        output = output.option("userMetadata", user_metadata(mark, metadata))
        output.save(self._path) if self._path else output.saveAsTable(self.identifier)
        return self._made(mark, since=before)

    def _made(self, mark: Mark, *, since: int) -> Commit:
        """The commit of this attempt, or else the one that had made its transaction before."""
        for commit in self._log.commits(since):
            if commit.attempt == mark.attempt:
                return commit
        for commit in self._log.newest_first():
            if mark.txn is not None and commit.txn == mark.txn and (commit.txn_version or 0) >= mark.txn_version:
                return with_values(commit, repeated=True)
        if mark.txn is None and self.version() == since:
            return Commit(since, clock.now(), "nothing", repeated=True)  # Delta makes no commit of no rows
        raise CommitNotFound(table=self.name, txn=mark.txn or mark.attempt)

    def _understood(self, look: Callable[[], DataFrame], *, version: int | None) -> DataFrame:
        try:
            frame = look()
            if type(frame).__module__.startswith("pyspark.sql.connect"):  # which looks only when asked
                frame.schema  # noqa: B018
            return frame
        except Exception as error:
            if condition(error).startswith(_NO_VERSION):
                raise VersionGone(table=self.name, version=version, known=self._span()) from None
            if condition(error) in _ABSENT and not self.exists():
                raise TableMissing(table=self.name) from None
            raise TableUnreadable(table=self.name, problem=summary(error), place=self.identifier) from error

    def _span(self) -> str:
        known = [commit.version for commit in self._log.commits()]
        return f"{known[0]} to {known[-1]}" if known else "none"


def _layout(partition: Sequence[str], cluster: Sequence[str]) -> str:
    partitioned = f"PARTITIONED BY ({', '.join(map(quote, partition))})" if partition else ""
    return partitioned or (f"CLUSTER BY ({', '.join(map(quote, cluster))})" if cluster else "")


def _plain(place: str) -> str:
    """`file:/x`, `file:///x` and `/x` are one place."""
    local = local_path(place)
    return str(local) if local else place
