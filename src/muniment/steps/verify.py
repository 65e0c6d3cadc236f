"""Verify: every check on demand, each problem by name."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.quality.chain import CHECKS, verify_chain, verify_runs
from muniment.quality.problems import Verification


def verify(lake: Lake, entities: Sequence[Entity]) -> Verification:
    """All problems of these entities and of the record of runs."""
    problems = [*verify_runs(lake), *(problem for entity in entities for problem in verify_chain(lake, entity))]
    return Verification(not problems, tuple(dict.fromkeys(problems)), CHECKS)
