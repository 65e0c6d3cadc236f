"""`make sp500`: replay twelve years of an index through a real server, and ask about them."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from muniment.project import Project

from examples.sp500.days import published_days
from examples.sp500.picture import draw, spans
from examples.sp500.questions import came_back, members, months, sector_changes
from examples.sp500.years import capture_years, write_project

DAY = "2020-08-01T00:00:00Z"


def main(arguments: list[str]) -> int:
    """All of it, in a folder that is named or thrown away."""
    with TemporaryDirectory() as scratch:
        root = Path(arguments[0]) if arguments else Path(scratch)
        days = published_days()
        project = Project.open(write_project(root))
        captured = capture_years(project, days)
        bad = [each for each in captured if not each.complete]
        same = sum(1 for each in captured if each.duplicate_of)
        _say(
            f"{len(captured)} captures over HTTP, {same} of them as the one before; not complete: {'; '.join(str(each.reason) for each in bad)}"
        )
        landed = project.land("member", "list")
        derived = project.derive("member")
        _say(f"landed {landed.landed:,} rows, {derived.opened:,} versions; held: {landed.held}")
        _ask(project, root)
        changes = sector_changes(project, days)
        real = changes.where("NOT with_columns")
        _say(
            f"\nSectors that changed on a day on which the source changed its columns: {changes.count() - real.count()}; on others: {real.count()}"
        )
        real.show(10, truncate=40)
        place = (root if arguments else Path.cwd()) / "sp500.svg"
        place.write_text(draw(spans(project), until=days[-1].published), encoding="utf-8")
        _say(f"The picture: {place}")
    return 0


def _ask(project: Project, root: Path) -> None:
    project.captures("member").where("status NOT IN ('success', 'skipped_duplicate')").select("effective_ts", "status", "reason").show(
        truncate=90
    )
    _say(f"Members on {DAY}, as known then: {members(project, DAY).count()}")
    _say("\nWho left and came back:")
    came_back(project).show(10, truncate=40)
    _say("The busiest months:")
    months(project).show(5)


def _say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
