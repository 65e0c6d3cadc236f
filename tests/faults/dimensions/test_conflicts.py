"""Two writers that meet at the commit of one dimension: Delta itself refuses the second, which tries again; nothing else is tried again (R24)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from muniment.project import Project

from tests.faults.gate import Gate, watch

pytestmark = pytest.mark.heavy  # a lake of its own: make heavy

MEMBER = "dimension: dim_member\nkey: {id: string}\nsurrogate: member_key\nevent_time: at\ncolumns: {tier: string}\n"
TABLE = "gold.dim_member"
Line = tuple[int, str, int, bool]


def batch(keys: range, at: str, tier: str) -> list[dict[str, object]]:
    return [{"id": str(key), "at": at, "tier": tier} for key in keys]


@pytest.fixture(scope="module")
def project(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Six members, one version of each."""
    root = tmp_path_factory.mktemp("meeting")
    (root / "muniment.yml").write_text("name: p\ninclude: [d.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "d.yml").write_text(MEMBER, encoding="utf-8")
    project = Project.open(root, spark=spark)
    project.apply("dim_member", batch(range(6), "2026-03-01", "one"))
    return project


def versions(project: Project) -> list[Line]:
    rows = project.dimension("dim_member").collect()
    return sorted((int(row["id"]), row["tier"], row["version"], row["is_current"]) for row in rows)


def test_an_apply_that_meets_another_at_the_commit_is_outrun_and_computes_again(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(tmp_path)
    seen = watch(monkeypatch, TABLE, gate=gate)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(project.apply, "dim_member", batch(range(4), "2026-03-05", "five"))
        gate.wait_until_reached()  # it has looked at the table, and has not committed
        project.apply("dim_member", batch(range(2, 6), "2026-03-06", "six"))
        gate.open()
        first.result()
    assert seen.conflicts == ["Outrun"]  # the other has taken its number: Delta writes nothing
    assert versions(project) == [
        (0, "five", 2, True), (0, "one", 1, False), (1, "five", 2, True), (1, "one", 1, False),
        (2, "five", 2, False), (2, "one", 1, False), (2, "six", 3, True), (3, "five", 2, False), (3, "one", 1, False), (3, "six", 3, True),
        (4, "one", 1, False), (4, "six", 2, True), (5, "one", 1, False), (5, "six", 2, True),
    ]  # fmt: skip
    assert project.verify_dimension("dim_member").ok
    told = project.table("gold.dim_member_audit").groupBy("assertion_id").count()
    assert told.where("count > 1").count() == 0


def test_a_rebuild_that_meets_an_apply_is_refused_by_delta_and_takes_its_rows_in_too(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, before = Gate(tmp_path), versions(project)
    seen = watch(monkeypatch, TABLE, gate=gate)
    with ThreadPoolExecutor(1) as pool:
        rebuilt = pool.submit(project.rebuild_dimension, "dim_member")
        gate.wait_until_reached()
        project.apply("dim_member", batch(range(9, 10), "2026-03-06", "new"))
        gate.open()
        rebuilt.result()
    assert len(seen.conflicts) == 1
    assert "concurrent" in seen.conflicts[0].casefold()  # Delta's own error
    assert versions(project) == sorted([*before, (9, "new", 1, True)])
    assert project.verify_dimension("dim_member").ok


def test_an_error_that_is_no_conflict_is_not_tried_again_and_loses_nothing(
    project: Project, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watch(monkeypatch, TABLE)
    gold = project.lake.table(TABLE).identifier
    spark.sql(f"ALTER TABLE {gold} ADD CONSTRAINT few CHECK (tier != 'seven')")
    with pytest.raises(PySparkException, match="few"):
        project.apply("dim_member", batch(range(1), "2026-03-07", "seven"))
    assert seen.writes == 1
    spark.sql(f"ALTER TABLE {gold} DROP CONSTRAINT few")
    assert project.apply("dim_member").changed == 2  # what was said stands in the log
    assert (0, "seven", 3, True) in versions(project)
    assert project.verify_dimension("dim_member").ok
