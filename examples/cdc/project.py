"""The project that reads the topic, written beside the servers, and Muniment's stream as one more process there."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copy

from examples.cdc.artefacts import SPARK, fetched
from examples.cdc.processes import Server

_HERE = Path(__file__).parent
_PROJECT = """name: bank
include: [account.yml]
lake: {{path: ./lake}}
connections: {{bank_kafka: {{servers: {{env: BANK_KAFKA}}}}}}
spark:
  spark.jars: "{jars}"
"""


def write_project(root: Path) -> Path:
    """The two files of a project; Spark's connector for Kafka comes from the cache."""
    root.mkdir(parents=True, exist_ok=True)
    jars = ",".join(map(str, fetched(SPARK)))
    (root / "muniment.yml").write_text(_PROJECT.format(jars=jars), encoding="utf-8")
    copy(_HERE / "account.yml", root)
    return root


def stream(root: Path, *options: str, servers: str) -> Server:
    """The command `muniment run --stream`, ready to be started."""
    command = [sys.executable, "-m", "muniment", "run", "--stream", *options]
    return Server("stream", command, root / "stream.log", environment={"BANK_KAFKA": servers}, folder=root)
