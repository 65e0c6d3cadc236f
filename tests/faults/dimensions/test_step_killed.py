"""Where all news is later the record of changes is not read before it is written: after a kill it is, and no change stands in it twice."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from pyspark.sql import SparkSession

from muniment.project import Project

from tests.faults.dying import die

pytestmark = pytest.mark.heavy  # each story needs a process of its own: make heavy

POINTS = ("land:after-log", "apply:after-audit", "apply:before-commit", "apply:after-commit")
PLAYER = """
dimension: dim_player
key: {id: string}
surrogate: player_key
event_time: at
columns: {tier: string, mail: {type: string, scd: 1}}
"""
TABLES = ("gold.dim_player", "gold.dim_player_audit", "bronze.dim_player_log")
WHENEVER = ("made_at", "run_id", "salt", "row_digest", "ingest_ts", "ingest_run_id")


def day(number: int, *, mail: str = "a@b") -> list[dict[str, object]]:
    """Five of ten members change."""
    return [
        {"id": str(key), "at": f"2026-03-{number:02}", "tier": f"day {number}", "mail": mail} for key in range(10 if number == 1 else 5)
    ]


@pytest.fixture(scope="module")
def prepared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("prepared") / "project"
    root.mkdir()
    (root / "muniment.yml").write_text("name: p\ninclude: [d.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "d.yml").write_text(PLAYER, encoding="utf-8")
    Project.open(root, spark=spark).apply("dim_player", day(1))
    return root


def content(project: Project) -> dict[str, list[str]]:
    """All tables, less when and by which run each row was written."""
    return {name: sorted(str(row) for row in project.table(name).drop(*WHENEVER).collect()) for name in TABLES}


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("mail", ["a@b", "c@d"])  # one step, and one that closed versions show too
@pytest.mark.parametrize("point", POINTS)
def test_after_a_kill_a_later_batch_again_gives_the_same_tables(
    prepared: Path, spark: SparkSession, tmp_path: Path, point: str, mail: str
) -> None:
    killed, whole = (Project.open(copytree(prepared, tmp_path / name), spark=spark) for name in ("killed", "whole"))
    die(lambda: killed.apply("dim_player", day(2, mail=mail)), at=point)
    for project in (killed, whole):
        project.apply("dim_player", day(2, mail=mail))
        project.apply("dim_player", day(3, mail=mail))
    assert content(killed) == content(whole)
    assert killed.verify_dimension("dim_player").ok


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", ["land:after-log", "apply:before-commit", "apply:after-commit"])
def test_after_a_kill_an_apply_of_nothing_new_is_enough_and_every_run_is_on_record_once(
    prepared: Path, spark: SparkSession, tmp_path: Path, point: str
) -> None:
    killed, whole = (Project.open(copytree(prepared, tmp_path / name), spark=spark) for name in ("killed", "whole"))
    die(lambda: killed.apply("dim_player", day(2)), at=point)
    killed.apply("dim_player")
    whole.apply("dim_player", day(2))
    assert content(killed) == content(whole)
    assert sorted(row["step"] for row in killed.runs("dim_player").collect()) == ["apply", "apply", "land", "land"]
    assert killed.verify_dimension("dim_player").ok
