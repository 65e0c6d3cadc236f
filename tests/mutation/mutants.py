"""The table of mutants: small wrong changes to the fold, each with the rule it breaks."""

from __future__ import annotations

from collections.abc import Iterable

from tests.mutation.mutant import Mutant
from tests.mutation.of_absence import MUTANTS as OF_ABSENCE
from tests.mutation.of_fold import MUTANTS as OF_FOLD
from tests.mutation.of_heads import MUTANTS as OF_HEADS
from tests.mutation.of_lanes import MUTANTS as OF_LANES
from tests.mutation.of_order import MUTANTS as OF_ORDER
from tests.mutation.of_statements import MUTANTS as OF_STATEMENTS

MUTANTS: tuple[Mutant, ...] = (*OF_ORDER, *OF_STATEMENTS, *OF_FOLD, *OF_ABSENCE, *OF_LANES, *OF_HEADS)


def chosen(names: Iterable[str]) -> tuple[Mutant, ...]:
    """The mutants of these names, or whose module is so named; none named: all of them."""
    wanted = set(names)
    unknown = wanted - {mutant.name for mutant in MUTANTS} - {mutant.module for mutant in MUTANTS}
    if unknown:
        raise SystemExit(f"no such mutant: {', '.join(sorted(unknown))}")
    return tuple(mutant for mutant in MUTANTS if not wanted or {mutant.name, mutant.module} & wanted)
