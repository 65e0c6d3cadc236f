"""A source that must be heard from regularly, and was not."""

from __future__ import annotations

from datetime import timedelta

from muniment import clock

from tests.spark.timeline.conftest import Make

ITEM = """
entity: item
key: {id: string}
attributes: {name: string}
sources: {loud: {load: changes, event_time: at}, quiet: {load: changes, event_time: at}, free: {load: changes, event_time: at}}
checks: [{fresh: {source: loud, within: 26 hours}}, {fresh: {source: quiet, within: 26 hours}}]
"""


def test_a_source_that_was_not_heard_within_its_time_is_named_by_status(make: Make) -> None:
    project = make(ITEM)
    for source, ago in (("loud", timedelta(hours=25)), ("quiet", timedelta(hours=27)), ("free", timedelta(days=90))):
        row = {"id": "1", "at": "2026-03-01", "name": source}
        project.land("item", source, [row], received_at=clock.now() - ago)
    notes = {row["source"]: row["note"] for row in project.status().select("source", "note").collect()}
    assert notes == {"loud": None, "quiet": "nothing heard within 1 day, 2:00:00", "free": None}
