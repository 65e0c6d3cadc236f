"""What a head keeps to go on without its past: its source's last own statements. Those that its row shows are read from there, `stated` has the rest."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from muniment.canon.encode import identifier
from muniment.evidence.origin import is_own, stated_here
from muniment.evidence.slots import Slot


def kept(own: Column, shown: Column, slot: Slot) -> Column:
    """A head's own last statement as `stated` keeps it: an assertion has one id, so what the row shows from it need not be there again."""
    return own if slot.attribute is None else F.when(~own["assertion_id"].eqNullSafe(shown["assertion_id"]), own)


def own_statement(slot: Slot) -> Column:
    """A head's own last statement, with its source; what `kept` left out is what the row shows from its own source."""
    name = identifier(slot.name)
    cases = [f"WHEN stated.{name} IS NOT NULL THEN {_statement(f'stated.{name}.value', f'stated.{name}')}"]
    if slot.attribute is not None:  # nobody asks for the origin of `is_deleted`
        cases.append(f"WHEN {is_own(slot.name)} THEN {stated_here(slot.name)}")
        cases.append(f"WHEN origin.{name}.source = source_system THEN {_statement(name, f'origin.{name}')}")
    return F.expr(f"CASE {' '.join(cases)} END")


def _statement(value: str, place: str) -> str:
    return f"named_struct('value', {value}, 'source', source_system, 'event_ts', {place}.event_ts, 'assertion_id', {place}.assertion_id)"
