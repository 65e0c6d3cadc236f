"""Judge the mutants: one line each, and how many of them a test noticed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from muniment.clock import stopwatch
from muniment.lake.session import start

from tests.conftest import SMALL
from tests.mutation.changed import forget, in_place
from tests.mutation.mutant import Mutant
from tests.mutation.mutants import chosen
from tests.mutation.verdict import first_failure

ENOUGH = 0.9


def main(names: Sequence[str]) -> int:
    """0: enough of them noticed; 1: not enough; 2: the tests fail without any change, so nothing was judged."""
    mutants = chosen(names)
    start(SMALL)
    forget()
    if failed := first_failure("fold"):
        _tell(f"void: without any change, {failed} fails")
        return 2
    survivors = [mutant for mutant in mutants if not _is_killed(mutant)]
    killed = len(mutants) - len(survivors)
    _tell(f"{killed} of {len(mutants)} mutants killed, {killed / len(mutants):.0%}; {len(survivors)} survived")
    for mutant in survivors:
        _tell(f"  {mutant.name}: {mutant.equivalent or 'unexplained: a test is missing'}")
    return 0 if killed >= ENOUGH * len(mutants) else 1


def _is_killed(mutant: Mutant) -> bool:
    begun = stopwatch()
    with in_place(mutant):
        failed = first_failure(mutant.near)
    took = stopwatch() - begun
    _tell(f"{mutant.name:32} {took:5.1f} s  {f'killed by {failed}' if failed else f'SURVIVED ({mutant.breaks})'}")
    return bool(failed)


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
