"""`make sp500`: replay twelve years of an index through a real server, and ask about them."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.project import Project

from examples.sp500.days import published_days
from examples.sp500.picture import draw, spans
from examples.sp500.questions import came_back, members, months, sector_changes
from examples.sp500.years import capture_years, write_project

DAY = "2020-08-01T00:00:00Z"
ROWS = 10


def main(arguments: list[str]) -> int:
    """All of it, in a folder that is named or thrown away; the picture stays."""
    with TemporaryDirectory() as scratch:
        root = Path(arguments[0]) if arguments else Path(scratch)
        days = published_days()
        project = Project.open(write_project(root))
        _say(f"Capturing {len(days)} lists from a server on this machine, and two answers that go wrong …")
        captured = capture_years(project, days)
        same = sum(1 for each in captured if each.duplicate_of)
        _say(
            f"{len(captured)} captures, {sum(1 for each in captured if not each.complete)} of them not complete, {same} like the one before"
        )
        landed = project.land("member", "list")
        _say(f"{landed.landed:,} rows landed; deriving the history …")
        project.derive("member")
        _say(f"{project.history('member').count():,} versions\n")
        _ask(project)
        changes = sector_changes(project, days)
        real = changes.where("NOT with_columns")
        came_along, others = changes.count() - real.count(), real.count()
        _say(f"Changes of sector: {came_along} came with a change of the source's columns, {others} were real. The real ones:")
        _print(real.select("symbol", _day("effective_from"), "old", "new"), total=others)
        place = (root if arguments else Path.cwd()) / "sp500.svg"
        place.write_text(draw(spans(project), until=days[-1].published), encoding="utf-8")
        _say(f"Who was in the index and when, as a picture: {place}")
    return 0


def _ask(project: Project) -> None:
    bad = project.captures("member").where("status NOT IN ('success', 'skipped_duplicate')")
    _say("Captures that say nothing of who has left, and why:")
    for row in bad.select(_day("effective_ts"), "status", "reason").collect():
        _say(f"  {row[0]}  {row['status']}: {row['reason']}")
    _say(f"\nMembers on {DAY[:10]}, as known on that day: {members(project, DAY).count()}")
    back = came_back(project)
    count = back.count()
    _say(f"\nWho left and came back ({count}):")
    _print(back.select("symbol", "name", _day("left"), _day("back")), total=count)
    _say("The busiest months:")
    _print(months(project).limit(5), total=5)


def _day(name: str) -> Column:
    """A time as the day it is in UTC."""
    return F.date_format(F.from_utc_timestamp(F.col(name).cast("timestamp"), "UTC"), "yyyy-MM-dd").alias(name)


def _print(frame: DataFrame, *, total: int) -> None:
    """The first rows as columns of text."""
    rows = [frame.columns, *([str(cell) for cell in row] for row in frame.limit(ROWS).collect())]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        _say("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    _say(f"  … and {total - ROWS} more\n" if total > ROWS else "")


def _say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
