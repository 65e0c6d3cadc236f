"""The years, captured through HTTP in the order they were published, with what goes wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from shutil import copyfile

from muniment.captures.http import HttpFetch
from muniment.model.source import Http, Pages, PagesBy
from muniment.project import Project
from muniment.steps.capture import Captured, Shot

from examples.sp500.days import Day
from examples.sp500.server import BROKEN, CUT, SIZE, serving

HERE = Path(__file__).parent
_PROJECT = "name: sp500\ninclude: [member.yml]\nlake: {path: ./lake}\n"
_HOUR = timedelta(hours=1)
BROKEN_AFTER, SHORT_AFTER = 40, 90  # the days after which an hour brings a fault


def write_project(root: Path, *, late: str = "forward_only") -> Path:
    """The project's files in a folder."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "muniment.yml").write_text(_PROJECT, encoding="utf-8")
    copyfile(HERE / "member.yml", root / "member.yml")
    if late != "forward_only":
        text = (root / "member.yml").read_text(encoding="utf-8")
        (root / "member.yml").write_text(text.replace("late: forward_only", f"late: {late}"), encoding="utf-8")
    return root


def capture_years(project: Project, days: Sequence[Day]) -> list[Captured]:
    """Every day's list through a real server, and an hour after two of them a broken page and a short answer."""
    with serving(days) as url:
        return project.capture_many("member", "list", list(_shots(url, days)))


def _shots(url: str, days: Sequence[Day]) -> Iterator[Shot]:
    for number, day in enumerate(days):
        yield Shot(_fetch(f"{url}/{day.name}"), captured_at=day.published)
        fault = {BROKEN_AFTER: BROKEN, SHORT_AFTER: CUT}.get(number)
        if fault is not None:
            yield Shot(_fetch(f"{url}/{day.name}/{fault}"), captured_at=day.published + _HOUR)


def _fetch(url: str) -> HttpFetch:
    return HttpFetch(Http(url, records="data", total="total", pages=Pages(PagesBy.PAGE, size=SIZE), wait=0.01, attempts=2))
