"""Vendors as HTTP servers, and one lake for all their stories."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from muniment.captures.http import HttpFetch
from muniment.captures.pages import Mode
from muniment.clock import utc
from muniment.model.source import Http, Pages, PagesBy
from muniment.project import Project
from muniment.steps.capture import Captured, Shot

from tests.captures.api import Answer, serving

ATTRIBUTES = "{tick_size: {type: double, scale: 10}, lot: int, name: {type: string, track: false}, exchange: string}"
FULL = "load: full, absence: deletes"
HISTORY = "{deletes: close, late: forward_only}"
SCOPED = f"{FULL}, scope: [exchange]"
ENTITIES = {
    "plain": f"sources: {{x: {{read: {{format: json, capture: captures/plain}}, {FULL}}}}}",
    "scoped": "sources:\n"
    f"  x: {{read: {{format: json, capture: captures/scoped_x}}, {SCOPED}, authority: [SZSE, SSE], exclude: \"symbol LIKE 'TEST%'\"}}\n"
    f"  y: {{read: {{format: json, capture: captures/scoped_y}}, {SCOPED}, authority: [NYSE]}}",
    "twice": f"sources: {{x: {{read: {{format: json, capture: captures/twice}}, {FULL}, complete: {{absences: 2, min_fraction: 0.1}}}}}}",
    "backdated": f"sources: {{x: {{read: {{format: json, capture: captures/backdated}}, {FULL}, complete: {{min_fraction: 0.1}}}}}}",
    "dated": "sources: {x: {read: {format: json, capture: captures/dated}, load: changes, event_time: listed, until: delisted}}",
    "lines": f"sources: {{x: {{read: {{format: json, capture: captures/lines}}, {FULL}}}}}",
    "columns": f"sources: {{x: {{read: {{format: parquet, capture: captures/columns}}, {FULL}}}}}",
    "listed": "sources:\n"
    f"  x: {{read: {{format: json, capture: captures/listed_x}}, {SCOPED}, authority: [SZSE], until: ended}}\n"
    f"  y: {{read: {{format: parquet, capture: captures/listed_y}}, {SCOPED}, authority: [NYSE], until: ended}}",
    "old": f"sources: {{x: {{read: {{format: json, capture: captures/old}}, {FULL}}}}}",
}
STORIES = ("scoped", "twice", "dated", "old", "backdated")


@dataclass(frozen=True, slots=True)
class Market:
    """A project whose entities are each one story."""

    project: Project

    @property
    def root(self) -> Path:
        return self.project.model.root

    def capture(self, entity: str, answer: Answer, at: str, *, source: str = "x", **given: Any) -> Captured:
        """One capture through real HTTP."""
        with serving(answer) as api:
            return self.project.capture(entity, source, fetching(api.url), captured_at=at, **given)

    def captures(self, entity: str, answers: Mapping[str, Answer], *, source: str = "x", lists: Collection[str] = ()) -> list[Captured]:
        """Several captures by their times, noted in one commit; `lists` are the times of those that are lists of delistings."""
        with ExitStack() as servers:
            urls = {at: servers.enter_context(serving(answer)).url for at, answer in answers.items()}
            modes = {at: Mode.DELISTINGS if at in lists else Mode.FULL_SNAPSHOT for at in answers}
            shots = [Shot(fetching(url), modes[at], captured_at=utc(at)) for at, url in urls.items()]
            return self.project.capture_many(entity, source, shots)

    def take(self, entity: str) -> None:
        """Land what waits, and derive."""
        self.project.land(entity, "x")
        self.project.derive(entity)

    def versions(self, entity: str, *columns: str) -> list[tuple[object, ...]]:
        """Key, from, to as hours of the day, then some columns."""
        frame = self.project.history(entity).orderBy("symbol", "effective_from")
        clock = [
            f"date_format(from_utc_timestamp(cast({name} AS timestamp), 'UTC'), 'dd HH:mm') AS {name}"
            for name in ("effective_from", "effective_to")
        ]
        return [tuple(row) for row in frame.selectExpr("symbol", *clock, *columns).collect()]

    def statuses(self, entity: str) -> list[str]:
        """What became of the captures, in the order they speak."""
        return [row["status"] for row in self.project.captures(entity).select("status").collect()]


def fetching(url: str, *, by: PagesBy = PagesBy.PAGE, **given: Any) -> HttpFetch:
    """A client that does not wait long."""
    pages = given.pop("pages", None) or Pages(by, size=2)
    settings = {"records": "data", "total": "total", "wait": 0.01, "timeout": 5.0, **given}
    return HttpFetch(Http(url, pages=pages, **settings))


def market_at(root: Path, spark: SparkSession, *entities: str) -> Market:
    """A project with some of the entities."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "muniment.yml").write_text("name: market\ninclude: [e_*.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    for name in entities:
        history = "{deletes: close}" if name == "dated" else HISTORY
        text = f"entity: {name}\nkey: {{symbol: string}}\nattributes: {ATTRIBUTES}\nhistory: {history}\n{ENTITIES[name]}\n"
        (root / f"e_{name}.yml").write_text(text, encoding="utf-8")
    return Market(Project.open(root, spark=spark))
