"""Upkeep of a dimension: which column makes the versions, and files that are joined without a row changing."""

from __future__ import annotations

import pytest

from tests.spark.timeline.conftest import Make
from tests.spark.timeline.telling import day

MEMBER = "dimension: dim_member\nkey: {id: string}\nevent_time: at\ncolumns: {tier: string, mood: string}\n"


@pytest.mark.heavy
def test_a_column_that_makes_many_versions_is_named_and_compaction_changes_no_row(make: Make) -> None:
    project = make(MEMBER)
    project.apply("dim_member", [{"id": "m", "at": day(at), "tier": "Gold", "mood": str(at)} for at in range(1, 13)])
    told = {row["attribute"]: row for row in project.dimension_statistics("dim_member").collect()}
    assert (told["mood"]["rows"], told["mood"]["members"], told["mood"]["changes"], told["mood"]["versions_per_member"]) == (
        12,
        1,
        11,
        12.0,
    )
    assert "type 4" in told["mood"]["warning"]
    assert (told["tier"]["changes"], told["tier"]["warning"]) == (0, None)

    project.apply("dim_member", [{"id": "n", "at": day(13), "tier": "Gold", "mood": "calm"}])
    before = sorted(map(str, project.dimension("dim_member").collect()))
    done = {each.table: each for each in project.maintain("dim_member", many=1)}
    assert done["gold.dim_member"].files_after <= done["gold.dim_member"].files_before
    assert sorted(map(str, project.dimension("dim_member").collect())) == before
    assert project.verify_dimension("dim_member").ok
