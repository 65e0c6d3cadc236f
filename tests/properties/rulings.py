"""Random rule sets and overrides for random histories."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from tests.properties.belief_oracle import Override, Rule, RuleName, Rules
from tests.properties.generate import DAWN, DOMAIN, HEARD, LOAD_TYPE

NAMES: tuple[RuleName, ...] = ("precedence", "most_recent", "most_complete", "longest", "most_frequent")


def rule_set(seed: int) -> Rules:
    """Attributes in random groups, each with a random rule, some left to the default."""
    rng = Random(seed)
    names = rng.sample(sorted(DOMAIN), rng.randint(2, len(DOMAIN)))
    rules: list[Rule] = []
    while names:
        size = rng.randint(1, min(3, len(names)))
        group, names = tuple(names[:size]), names[size:]
        sources = tuple(rng.sample(sorted(LOAD_TYPE), rng.randint(1, 4))) if rng.random() < 0.5 else ()
        rules.append(Rule(group, rng.choice(NAMES), sources, rng.random() < 0.4, rng.choice(("silent", "silent", "compete"))))
    return Rules(tuple(rules), tuple(rng.sample(sorted(LOAD_TYPE), rng.randint(1, 3))) if rng.random() < 0.5 else ())


def overrides(seed: int, keys: Iterable[str]) -> list[Override]:
    """For one key in four an override or two; some begin or end exactly where rows do, some were withdrawn."""
    rng = Random(seed)
    made = [_override(rng, f"{key}/{n}", key) for key in sorted(keys) if rng.random() < 0.25 for n in range(rng.randint(1, 2))]
    return [one for one in made if one.start is None or one.end is None or one.start < one.end]


def _override(rng: Random, name: str, key: str) -> Override:
    start, end = (DAWN + rng.randint(0, 8) if rng.random() < 0.6 else None for _ in range(2))
    given: dict[str, object] = {attribute: rng.choice(DOMAIN[attribute]) for attribute in DOMAIN if rng.random() < 0.4}
    given |= {"is_deleted": rng.random() < 0.5} if rng.random() < 0.2 else {}
    made = HEARD + rng.randint(0, 4)
    return Override(name, key, given, start, end, made, made + rng.randint(1, 3) if rng.random() < 0.3 else None)
