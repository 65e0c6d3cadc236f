"""`make dimension`: casino players as a dimension; their plays keep the tier of their time, also when news comes late."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from pyspark.sql import DataFrame

from muniment.project import Project

from examples.dimension import story

HERE = Path(__file__).parent
_SHOWN = ("player_id", "version", "effective_from", "is_current", "tier", "segment", "current_segment", "previous_segment", "email")


def main() -> int:
    """All of it, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        place = shutil.copytree(HERE, Path(folder) / "casino", ignore=shutil.ignore_patterns("__pycache__", "lake"))
        tell(Project.open(place))
    return 0


def tell(project: Project) -> DataFrame:
    """The story; the plays as they are stamped in the end."""
    _say("The first day: three players, one of them without a proper address.")
    first = project.apply("dim_player", list(story.PLAYERS))
    _say(f"  {first.inserted} came in, {first.rejected} was set aside.")
    project.apply("dim_machine", list(story.MACHINES))
    project.apply("dim_threshold", list(story.THRESHOLDS))
    _say("Days later: a tier, a segment, a consent; a birth date that nobody may change; a player who leaves.")
    second = project.apply("dim_player", list(story.CHANGES), by="loyalty desk", reason="weekly review")
    _say(f"  {second.opened} versions opened, {second.closed} closed, {second.refused} attempt refused.")
    _show(project.dimension("dim_player").orderBy("player_id", "version").select(*_SHOWN))
    plays = project.spark.createDataFrame(list(story.PLAYS), story.PLAY_COLUMNS)
    _say("Plays get the keys of their time; a machine that nobody has described becomes a member to be completed.")
    machines = project.stamp("dim_machine", plays, key="machine_id", at="played_at")
    found = project.stamp("dim_player", machines, key="player_id", at="played_at")
    stamped = project.spark.createDataFrame(found.collect(), found.schema)
    project.apply("dim_machine", list(story.NEW_MACHINE))
    _say("Late news: on 3 March the player was promoted already. These plays have another key now:")
    project.apply("dim_player", list(story.LATE))
    again = project.stamp("dim_player", stamped, key="player_id", at="played_at", repair=True)
    _show(again.where("previous_player_key IS NOT NULL").select("play", "player_key", "previous_player_key"))
    _say("What must be reported is decided by the amount in force on the day, for all dimensions at once:")
    at = dict.fromkeys(("dim_player", "dim_machine", "dim_threshold"), "played_at")
    joined = project.as_of_join(plays, at).selectExpr("play", "tier", "game_title", "coin_in", "coin_in >= amount AS reported", "uncovered")
    _show(joined.orderBy("play"))
    return again.drop("previous_player_key")


def _say(text: str) -> None:
    print(text, flush=True)


def _show(rows: DataFrame) -> None:
    rows.show(truncate=False)


if __name__ == "__main__":
    sys.exit(main())
