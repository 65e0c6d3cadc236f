"""What the database says happened, in the words of a history: by its own trigger, at the instants of its own commits."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, pairwise

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from examples.cdc.postgres import Session

Version = tuple[str | None, ...]

_VALUES = "id, owner, status, balance::text, (extract(epoch FROM opened) * 1000000)::bigint::text, md5(note)"
_LAST = f"""
SELECT DISTINCT ON (id, at) at, gone::text, {_VALUES}
FROM (SELECT *, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000000)::bigint AS at FROM audit) AS dated
ORDER BY id, at, seq DESC
"""


def table(session: Session) -> list[Version]:
    """The rows as they are now."""
    return sorted(session.run(f"SELECT {_VALUES} FROM account"), key=str)


def versions(session: Session, *, since: int) -> list[Version]:
    """From, to, deleted and values of each version: the last state per key and transaction, where it differs from the one before it.

    What was there before `since` has no beginning: the connector dates it to its own reading.
    """
    rows = ((None if int(row[0] or 0) < since else row[0], *row[1:]) for row in session.run(_LAST))
    chains = (_chain(list(states)) for _, states in groupby(rows, key=lambda row: row[2]))
    return sorted((version for chain in chains for version in chain), key=str)


def _chain(states: list[Version]) -> Iterable[Version]:
    changed = [state for before, state in pairwise([(), *states]) if before[1:] != state[1:]]
    ends = [*(state[0] for state in changed[1:]), None]
    return [(state[0], end, *state[1:]) for state, end in zip(changed, ends, strict=True)]


def told(history: DataFrame, *, since: int) -> list[Version]:
    """A history in the same words."""
    start = F.when(F.unix_micros("effective_from") >= since, F.unix_micros("effective_from")).cast("string")
    end = F.unix_micros("effective_to").cast("string")
    return sorted(map(tuple, history.select(start, end, F.col("is_deleted").cast("string"), *_values()).collect()), key=str)


def told_now(history: DataFrame) -> list[Version]:
    """The current rows of a history, without those that are deleted."""
    return sorted(map(tuple, history.where("is_current AND NOT is_deleted").select(*_values()).collect()), key=str)


def _values() -> list[Column]:
    texts = (F.col("balance").cast("string"), F.unix_micros("opened").cast("string"), F.md5(F.col("note").cast("binary")))
    return [F.col("id"), F.col("owner"), F.col("status"), *texts]
