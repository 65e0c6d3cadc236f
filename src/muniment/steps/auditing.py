"""The record of changes to a dimension: append-only, each change once, sealed like the log (R27)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock
from muniment.canon.encode import identifier
from muniment.canon.moment import of_run
from muniment.dimensions.audit import REFUSE
from muniment.lake.errors import Outrun
from muniment.lake.tables import Lake, Table
from muniment.ledger.chain import linked
from muniment.ledger.digest import lanes, row_digest, salt, seal
from muniment.model.dimension import Dimension, Unmatched
from muniment.model.dimension_tables import audit_columns, audit_name
from muniment.steps.kept import keeping
from muniment.steps.newest import goes_on
from muniment.steps.position import KEY, Position, reached
from muniment.steps.ran import Running
from muniment.steps.spoken import News

_APPEND_ONLY = {"delta.enableExpiredLogCleanup": "false"}  # the commits hold the hash chain (R27)


@dataclass(frozen=True, slots=True)
class Author:
    """Who changes a dimension, and why."""

    by: str | None = None
    reason: str | None = None


NOBODY = Author()


@dataclass(frozen=True, slots=True)
class Writing:
    """The run that records changes, and for whom."""

    running: Running
    author: Author
    now: Position  # as far as the dimension will have read
    since: Position | None = None  # from where on it reads


def record_changes(lake: Lake, dimension: Dimension, told: DataFrame, *, news: News, writing: Writing) -> int:
    """Append what is not recorded yet, and say how many attempts on columns of type 0 are among it."""
    table = lake.table(audit_name(dimension))
    table.create(audit_columns(dimension), comment=f"Changes of {dimension.name}", properties=_APPEND_ONLY)
    number = reached(table).number + 1
    first = news.since if dimension.unmatched is not Unmatched.INFER else None
    told = told.where(F.col("effective_ts") >= of_run(first, beside=F.col("sk"))) if first is not None else told
    fresh = told.dropDuplicates(["assertion_id"]) if dimension.of_type(0) else told  # one attempt may be said twice, a change never
    if first is None or not goes_on(lake, dimension, first) or _is_ahead(table, writing.since):
        known = table.read(table.version())
        known = known.join(news.rows.select("sk"), "sk", "left_semi") if writing.since is not None else known
        known = known.where(F.col("effective_ts") >= F.lit(first)) if first is not None else known
        fresh = fresh.join(known.select("assertion_id"), "assertion_id", "left_anti")
    with keeping() as kept:
        rows = kept.keep(_sealed(fresh, dimension=dimension, writing=writing))
        row = rows.agg(
            F.count(F.lit(1)).alias("rows"), F.count_if(F.col("change_type") == REFUSE).alias("refused"), *lanes("row_digest", "d")
        ).first()
        if row is None or not row["rows"]:
            return 0
        said = {
            "run": writing.running.run_id,
            "rows": row["rows"],
            "digest": seal([row], "d", count="rows"),
            KEY: {"number": number, "log": writing.now.log},
        }
        _append(lake, table, rows, linked(said, table))
        return int(row["refused"])


def _append(lake: Lake, table: Table, rows: DataFrame, said: Mapping[str, Any]) -> None:
    """Of two writers that took the same number the second computes again; on a local disk they take turns."""
    txn, number = f"audit:{table.name}", said[KEY]["number"]
    made = table.append(rows, txn=lake.once(f"{txn}:{number}"), metadata=said)
    if made.repeated:
        raise Outrun(table=table.name, txn=txn, txn_version=number)


def _is_ahead(audit: Table, since: Position | None) -> bool:
    """Changes may stand in it already that the dimension does not show: the commit that was to follow never came, or had nothing to say."""
    said = audit.last_metadata(KEY)
    return said is not None and (since is None or said.get("log", since.log + 1) > since.log)


def _sealed(fresh: DataFrame, *, dimension: Dimension, writing: Writing) -> DataFrame:
    """The rows as the table has them, with who, why, and their digests."""
    author, run_id = writing.author, writing.running.run_id
    texts = {"made_by": author.by, "reason": author.reason, "run_id": run_id}
    said = {"made_at": of_run(clock.now(), beside=F.col("sk")), **{name: F.lit(text) for name, text in texts.items()}}
    columns = [col for col in audit_columns(dimension) if col.name != "row_digest"]
    named = fresh.withColumns(said).withColumn("salt", salt(clock.nonce()))
    typed = named.selectExpr(*(f"CAST({identifier(col.name)} AS {col.type}) AS {identifier(col.name)}" for col in columns))
    return typed.withColumn("row_digest", row_digest(typed.schema))
