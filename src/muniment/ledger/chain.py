"""The hash chain over the log: each appending commit carries its run's digest and a link to the commit before it (R27)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from muniment.lake.commits import Commit
from muniment.lake.tables import Table
from muniment.ledger.digest import digest_of

START = ""


def next_link(previous: str, facts: Mapping[str, Any]) -> str:
    """The link of a commit that says these facts after the commit with the link `previous`."""
    said = {name: value for name, value in facts.items() if name not in ("link", "previous")}
    return digest_of([previous, json.dumps(said, sort_keys=True)])


def linked(facts: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """The facts with their place in the chain, after the newest link there is now; writers at once may share a predecessor."""
    previous = table.last_metadata("link") or START
    return {**facts, "previous": previous, "link": next_link(previous, facts)}


def appending(commits: list[Commit]) -> list[Commit]:
    """The commits that landed rows."""
    return [commit for commit in commits if commit.metadata and "link" in commit.metadata]
