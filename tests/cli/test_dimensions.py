"""The commands of dimensions on a real lake: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.cli.test_lake import called

PLAYER = """\
dimension: dim_player
key: {player_id: string}
surrogate: player_key
event_time: at
columns:
  born: {type: string, scd: 0}
  tier: string
checks: [{not_null: tier, on_fail: quarantine}]
"""
ROWS = [
    {"player_id": "1", "at": "2026-03-01", "tier": "Bronze", "born": "1980"},
    {"player_id": "1", "at": "2026-03-03", "tier": "Gold", "born": "1990"},
    {"player_id": "2", "at": "2026-03-01", "tier": None},
]
PLAYS = "play,player_id,played_at\n1,1,2026-03-01\n2,1,2026-03-03\n3,7,2026-03-03\n"


@pytest.fixture(scope="module")
def casino(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One dimension, rows for it, and plays."""
    assert SparkSession.getActiveSession() is spark
    folder = tmp_path_factory.mktemp("casino")
    (folder / "muniment.yml").write_text("name: casino\ninclude: [d.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (folder / "d.yml").write_text(PLAYER, encoding="utf-8")
    (folder / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (folder / "plays.csv").write_text(PLAYS, encoding="utf-8")
    return folder


def test_apply_show_stamp_verify_and_repair(casino: Path, spark: SparkSession) -> None:
    done = called("dimension", "apply", "dim_player", casino / "rows.json", "--project", casino, "--by", "jane")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "dim_player: inserted 1, updated 0, deleted 0, unchanged 0; versions opened 2, closed 1",
        "  1 rows set aside    muniment quarantine dim_player",
        "  1 attempts to change what never changes were refused and recorded in gold.dim_player_audit",
    ]
    shown = called("dimension", "show", "dim_player", "--as-of", "2026-03-02", "--project", casino, "--output", "json")
    assert [(row["tier"], row["born"], row["version"]) for row in json.loads(shown.out)] == [("Bronze", "1980", 1)]
    stamped = called("dimension", "stamp", "dim_player", casino / "plays.csv", "--at", "played_at", "--project", casino, "--output", "json")
    keys = [row["player_key"] for row in json.loads(stamped.out)]
    assert len(set(keys)) == 3
    assert keys[2] == -1

    good = called("dimension", "verify", "dim_player", "--project", casino)
    assert (good.code, good.out.strip().endswith("nothing is wrong")) == (0, True)
    spark.sql(f"UPDATE delta.`{casino}/lake/gold/dim_player` SET tier = 'Lead' WHERE version = 1")
    bad = called("dimension", "verify", "dim_player", "--project", casino)
    assert bad.code == 1
    assert 'drift: 1 members, such as {"player_id":"1"}' in bad.out
    mended = called("dimension", "repair", "dim_player", "--yes", "--by", "jane", "--reason", "an edit", "--project", casino)
    assert mended.out.splitlines() == [
        "dim_player: 1 rows would go (and be kept in gold.dim_player_removed), 1 would come",
        '  drift: 1 members, such as {"player_id":"1"}',
        "dim_player: repaired; what was taken out is in gold.dim_player_removed",
    ]
    assert called("dimension", "apply", "dim_plaier", "--project", casino).code == 2
