"""A series against its records: the rows of every partition have the checksum that was recorded, and there are no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from muniment.canon.hashes import quoted
from muniment.lake.commits import Commit
from muniment.lake.errors import TableUnreadable, VersionGone
from muniment.lake.failed import FAILED
from muniment.lake.tables import Lake
from muniment.lake.trouble import summary
from muniment.model.series import Role, Series
from muniment.model.tables import delta_name, state_name
from muniment.quality.chain import HARMLESS
from muniment.quality.problems import Problem
from muniment.series.checksum import Sums, read_sums, sums, sums_of, with_digest
from muniment.series.records import Partition
from muniment.series.rows import DELETED, PARTITION
from muniment.steps.series_store import standing_of

CHECKS = ("partitions", "records")
_UNREADABLE: tuple[type[Exception], ...] = (TableUnreadable, VersionGone, *FAILED)


def verify_series(lake: Lake, series: Series) -> list[Problem]:
    """All problems of a series; what a process that was killed left is one only until the same is done again."""
    known = standing_of(lake, series.name).partitions
    versions = {each.version for each in known.values() if each.role is not Role.DELTA}
    try:
        deltas = _deltas(lake, series)
    except _UNREADABLE as error:
        return [_unreadable(delta_name(series), error)]
    found = [*_lost_lines(series, known), *_without_record(lake, series, known), *_strangers(lake, series, known, deltas)]
    for version in sorted(versions):
        found += _state_problems(lake, series, version, [each for each in known.values() if _has(each, version)])
    return found + [problem for each in known.values() if each.role is Role.DELTA for problem in _differs(series, each, deltas)]


def _has(partition: Partition, version: int) -> bool:
    return partition.role is not Role.DELTA and partition.version == version


def _deltas(lake: Lake, series: Series) -> dict[str, Sums]:
    """The sums of all deltas there are rows of, in one look."""
    table = lake.table(delta_name(series))
    if not table.exists():
        return {}
    rows = table.read()
    digested = with_digest(rows, [name for name in rows.columns if name != PARTITION])
    return {row[PARTITION]: read_sums(row) for row in digested.groupBy(PARTITION).agg(*sums()).collect()}


def _state_problems(lake: Lake, series: Series, version: int, made: list[Partition]) -> list[Problem]:
    """A version of the state against the dump, and the targets, that it is recorded as."""
    try:
        there = sums_of(lake.table(state_name(series)).read(version).where(~quoted(DELETED)).drop(DELETED))
    except _UNREADABLE as error:
        return [_unreadable(_where(series, made[0]), error)]
    return [problem for each in made for problem in _differs(series, each, {each.partition_id: there})]


def _differs(series: Series, partition: Partition, there: Mapping[str, Sums]) -> Iterator[Problem]:
    found = there.get(partition.partition_id, Sums())
    if found.checksum != partition.checksum:
        counted = f"{found.rows:,} rows, recorded are {partition.rows:,}" if found.rows != partition.rows else "as many rows, but others"
        yield Problem(CHECKS[0], _where(series, partition), f"its rows have changed since they were recorded: {counted}")


def _lost_lines(series: Series, known: Mapping[str, Partition]) -> Iterator[Problem]:
    """What a target says that it was made of must be recorded too."""
    for each in known.values():
        for name in (*filter(None, (each.base,)), *each.deltas):
            if name not in known:
                yield Problem(CHECKS[1], _where(series, each), f"it was made of {name}, of which there is no record")


def _without_record(lake: Lake, series: Series, known: Mapping[str, Partition]) -> Iterator[Problem]:
    """Commits that no record speaks of: of a process that was killed and of nobody since, or made by hand."""
    places = {(str(each.ref), each.generation) for each in known.values()}
    for name in (state_name(series), delta_name(series)):
        table = lake.table(name)
        for commit in table.commits() if table.exists() else []:
            said = commit.metadata or {}
            if commit.operation in HARMLESS or said.get("partition") in known or (said.get("place"), said.get("generation")) in places:
                continue
            yield Problem(CHECKS[1], f"{name} version {commit.version}", _unrecorded(commit))


def _unrecorded(commit: Commit) -> str:
    said = commit.metadata or {}
    if "place" in said:
        return f"{said['place']} was begun and never recorded: a process was killed; the same command again makes it"
    return f"it is no partition of the series: {commit.operation} by hand; nobody reads it"


def _strangers(lake: Lake, series: Series, known: Mapping[str, Partition], deltas: Mapping[str, Sums]) -> Iterator[Problem]:
    """Rows in the table of deltas that belong to no delta that was ever begun."""
    table = lake.table(delta_name(series))
    begun = {(commit.metadata or {}).get("partition") for commit in (table.commits() if deltas else [])}
    for name in sorted(set(deltas) - known.keys() - {each for each in begun if each}):
        yield Problem(CHECKS[1], table.name, f"{deltas[name].rows:,} rows belong to {name}, of which there is no record")


def _unreadable(where: str, error: Exception) -> Problem:
    return Problem(CHECKS[0], where, f"it cannot be read: {summary(error)[:200]}")


def _where(series: Series, partition: Partition) -> str:
    return f"{series.name} {partition.ref}"
