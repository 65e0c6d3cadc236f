"""Mutants of heads: which of its source's statements a head has to keep, and where the others are read."""

from __future__ import annotations

from tests.mutation.mutant import Mutant

MUTANTS = (
    Mutant(
        "another-source-said-it-for-me",
        "heads",
        "WHEN origin.{name}.source = source_system THEN",
        "WHEN origin.{name} IS NOT NULL THEN",
        "R12: what is shown from another source is no statement of the own one",
        near="judge.py::test_going_on",
    ),
    Mutant(
        "shown-is-the-last-said",
        "heads",
        'F.when(~own["assertion_id"].eqNullSafe(shown["assertion_id"]), own)',
        "F.when(shown.isNull(), own)",
        "section 6: a head carries its source's last own statement, whatever is displayed",
        near="judge.py::test_going_on",
    ),
)
