"""The commands of dimensions on a real lake: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.cli.conftest import Answer
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
    assert (
        SparkSession.active().sparkContext is spark.sparkContext
    )  # the command goes on in this process; a stream may have left its own session active
    folder = tmp_path_factory.mktemp("casino")
    (folder / "muniment.yml").write_text("name: casino\ninclude: [d.yml]\nlake: {path: ./lake}\n", encoding="utf-8")
    (folder / "d.yml").write_text(PLAYER, encoding="utf-8")
    (folder / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (folder / "plays.csv").write_text(PLAYS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def applied(casino: Path) -> Answer:
    return called("dimension", "apply", "dim_player", casino / "rows.json", "--project", casino, "--by", "jane")


def test_apply_show_stamp_verify_and_repair(casino: Path, applied: Answer, spark: SparkSession) -> None:
    assert (applied.code, applied.err) == (0, "")
    assert applied.out.splitlines() == [
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


STAMP = ("stamp", "dim_player", "plays.csv", "--at", "played_at")
MISTAKES = {
    "a dimension that is not declared": (("apply", "dim_plaier"), "MU-NAME-001 there is no dimension 'dim_plaier'; did you mean 'dim_player'?"),
    "rows that are not there": (("apply", "dim_player", "nowhere.json"), "nowhere.json"),
    "a time that is none": (("apply", "dim_player", "rows.json", "--at", "soon"), "MU-ARG-001 at: 'soon' is not a time"),
    "an absence that is none": (("apply", "dim_player", "rows.json", "--absence", "perhaps"), "absence"),
    "a day that is none": (("show", "dim_player", "--as-of", "2026-02-30"), "MU-ARG-001 as_of: '2026-02-30' is not a time"),
    "facts that are not there": (("stamp", "dim_player", "nowhere.csv", "--at", "played_at"), "'nowhere.csv' is no table and no file"),
    "facts without the time": (("stamp", "dim_player", "plays.csv", "--at", "playd_at"), "there is no column 'playd_at'; did you mean 'played_at'?"),
    "facts without the key": ((*STAMP, "--key", "player"), "there is no column 'player'"),
    "a key of other parts": ((*STAMP, "--key", "player_id", "--key", "play"), "dim_player has the key player_id"),
    "facts that were never stamped": ((*STAMP, "--repair"), "these facts were never stamped"),
    "a folder that is there": ((*STAMP, "--to", "lake"), "'lake' is there already"),
    "facts without surrogate keys": (("verify", "dim_player", "--facts", "plays.csv"), "these facts were never stamped"),
    "a verb that is none": (("verfy", "dim_player"), "verfy"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said_with_what_to_do_and_changes_nothing(
    casino: Path, applied: Answer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(casino)
    before = _versions(casino)
    arguments, says = MISTAKES[name]
    answer = called("dimension", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert says in answer.err
    assert "Traceback" not in answer.err
    assert _versions(casino) == before
    assert applied.code == 0


def _versions(casino: Path) -> list[Path]:
    return sorted((casino / "lake").rglob("_delta_log/*.json"))


@pytest.mark.heavy  # a session of its own: make heavy
def test_facts_with_a_key_that_nobody_has_and_a_rebuild_after_a_lost_row(
    casino: Path, applied: Answer, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(casino)
    (casino / "lost.csv").write_text("play,player_key\n1,42\n2,-1\n", encoding="utf-8")
    orphan = called("dimension", "verify", "dim_player", "--facts", "lost.csv")
    assert (orphan.code, "orphans: 1 members, such as player_key 42" in orphan.out) == (1, True)
    sound = called("dimension", "repair", "dim_player")
    assert (sound.code, sound.out) == (0, "dim_player: there is nothing to repair\n")

    spark.sql(f"DELETE FROM delta.`{casino}/lake/gold/dim_player` WHERE version = 1")
    again = called("dimension", "rebuild", "dim_player", "--by", "jane", "--reason", "a row was lost")
    assert (again.code, again.out.startswith("dim_player: ")) == (0, True)
    assert called("dimension", "verify", "dim_player").code == 0
    told = called("dimension", "statistics", "dim_player", "--output", "json")
    assert {row["attribute"]: row["changes"] for row in json.loads(told.out)} == {"tier": 1, "born": 0}
    assert applied.code == 0
