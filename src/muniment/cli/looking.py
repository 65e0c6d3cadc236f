"""Looking: status, runs, verify and sql."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.output import View, answer_frame, answer_object
from muniment.cli.progress import working
from muniment.cli.projects import entity_names, opened
from muniment.config.mistakes import printable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from muniment.quality.problems import Verification

FOUND = 1
_COUNTS = frozenset({"received", "landed", "set aside"})
_MEASURES = frozenset({"rows", "late", "lag p95 (s)", "ties", "backward", "repeats", "bad times"})

Wide = Annotated[bool, typer.Option("--wide", help="All columns.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for function in (status, runs, monitor, verify, sql):
        command(app, function)


def status(asked: Asked, wide: Wide = False) -> None:
    """Show each source: its contract, what it landed, what waits, when it was last heard; and each load."""
    frame = opened(asked).status()
    answer_frame(frame, asked, View(status_brief(frame), None, wide, _COUNTS, rows=1_000), empty="no source is declared")


def status_brief(frame: DataFrame) -> DataFrame:
    """What a person looks at first."""
    from pyspark.sql import functions as F

    contract = F.substring_index("contract", "_", 1).alias("contract")
    received = F.date_trunc("second", "last_received").alias("last received")
    return frame.select("entity", "source", contract, "landed", F.col("quarantined").alias("set aside"), received, "note")


def runs(
    asked: Asked,
    entity: Annotated[str | None, typer.Argument(autocompletion=entity_names, help="One entity; default: all.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many rows; default for a table: 20.")] = None,
    wide: Wide = False,
) -> None:
    """List the runs, newest first."""
    frame = opened(asked).runs(entity)
    view = View(runs_brief(frame), limit, wide, _COUNTS, names=frozenset({"run"}), rows=20)
    answer_frame(frame, asked, view, empty="nothing has run yet")


def runs_brief(frame: DataFrame) -> DataFrame:
    """What a person looks at first."""
    from pyspark.sql import functions as F

    state = F.when(F.col("status") != "done", F.concat(F.lit("("), "status", F.lit(")")))
    return frame.select(
        F.col("run_id").alias("run"),
        F.concat_ws(" ", "step", "entity", "source", state).alias("what"),
        F.date_trunc("second", "started_at").alias("started"),
        F.col("counts")["landed"].alias("landed"),
        F.col("counts")["quarantined"].alias("set aside"),
    )


def monitor(
    asked: Asked,
    entity: Annotated[str, typer.Argument(autocompletion=entity_names, help="The entity.")],
    limit: Annotated[int | None, typer.Option(min=1, help="How many rows; default for a table: 20.")] = None,
    wide: Wide = False,
) -> None:
    """Show how well each source keeps time: late rows, lags, ties, repeats, silence."""
    project = opened(asked)
    with working(f"Measuring {entity}"):
        frame = project.monitor(entity)
    answer_frame(frame, asked, View(_monitor_brief(frame), limit, wide, _MEASURES, rows=20), empty="nothing was landed yet")


def _monitor_brief(frame: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    received = F.date_trunc("second", "received_at").alias("received")
    bad = (F.col("null_times") + F.col("impossible_times")).alias("bad times")
    lag = F.col("lag_p95").alias("lag p95 (s)")
    return frame.select("source", received, "rows", "late", lag, "ties", "backward", "repeats", bad, "warning")


def verify(
    asked: Asked,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", autocompletion=entity_names, help="Entities or series; default: all.")
    ] = None,
) -> None:
    """Prove that nothing was edited; each problem is named."""
    project = opened(asked)
    with working("Verifying"):
        found = project.verify(*(names or ()))
    answer_object(found, asked, verdict(found))
    if not found.ok:
        raise typer.Exit(FOUND)


def verdict(found: Verification) -> Iterator[str]:
    """What was checked, and what is wrong."""
    problems = len(found.problems)
    result = "nothing is wrong" if found.ok else f"{problems:,} {'problem' if problems == 1 else 'problems'}"
    yield f"checked {', '.join(found.checks)}: {result}"
    for problem in found.problems:
        yield printable(f"  {problem.check}  {problem.where}: {problem.detail}")


def sql(
    asked: Asked,
    query: Annotated[
        str, typer.Argument(help="A query; tables have the names people see, such as bronze.customer_log. - reads it from stdin.")
    ],
    limit: Annotated[int | None, typer.Option(min=1, help="How many rows; default for a table: 100.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="Long values in full.")] = False,
) -> None:
    """Ask the tables; only queries."""
    text = sys.stdin.read() if query == "-" else query
    answer_frame(opened(asked).sql(text), asked, View(None, limit, wide), empty="no rows")
