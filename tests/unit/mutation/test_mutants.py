"""The table of mutants stays true to the code it changes."""

from __future__ import annotations

import ast

import pytest

from tests.mutation.mutant import Mutant
from tests.mutation.mutants import MUTANTS, chosen


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_text_of_a_mutant_occurs_once_and_its_change_is_code_that_differs(mutant: Mutant) -> None:
    original = mutant.path.read_text(encoding="utf-8")
    assert original.count(mutant.old) == 1
    assert ast.dump(ast.parse(mutant.source())) != ast.dump(ast.parse(original))


def test_there_are_enough_mutants_each_with_a_name_of_its_own_and_every_part_of_the_fold_has_some() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
    assert {mutant.module for mutant in MUTANTS} == {"order", "slots", "statements", "fold", "absence", "loads", "lanes", "heads"}


def test_mutants_are_chosen_by_name_or_by_module() -> None:
    first, *_ = MUTANTS
    assert chosen([first.name]) == (first,)
    assert set(chosen(["lanes", first.name])) == {first, *(mutant for mutant in MUTANTS if mutant.module == "lanes")}
    assert chosen([]) == MUTANTS
    with pytest.raises(SystemExit, match="no such mutant: nobody"):
        chosen(["nobody"])
