"""Mistakes in a dimension's file."""

from __future__ import annotations

from tests.unit.config.cases import Case

DIMENSIONS: dict[str, Case] = {
    "a dimension without a key": Case(
        """
        dimension: dim_player
        key: {}  # <- here
        """,
        "key: a dimension without a key is refused (R1); write, for example, key: {player_id: string}",
    ),
    "a type that does not exist": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns:
          tier: {type: string, scd: 5}  # <- here
        """,
        "columns.tier.scd: there is no type 5; write 0, 1, 2, 3, 4 or 6",
    ),
    "a dimension of an entity that nobody declared": Case(
        """
        dimension: dim_player
        from: player  # <- here
        key: {player_id: string}
        """,
        "from: there is no entity 'player'; declared: none",
    ),
    "a column that a type adds already": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns:
          manager: {type: string, scd: 3}
          previous_manager: string  # <- here
        """,
        "columns.previous_manager: the column 'previous_manager' is there already, from columns.manager; rename one",
    ),
    "a column that a dimension keeps itself": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns:
          version: integer  # <- here
        """,
        "columns.version: 'version' is a column that Muniment keeps in a dimension itself; choose another name",
    ),
    "a refusal where nothing is frozen": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns:
          tier: {type: string, scd: 2, on_change: fail}  # <- here
        """,
        "columns.tier.on_change: only type 0 refuses a change, and 'tier' is type 2; leave it out",
    ),
    "a value that cannot be compared": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns:
          scores: "map<string, int>"  # <- here
        """,
        "columns.scores: maps cannot be compared, so nobody could tell when 'scores' changes; write struct<…> or string",
    ),
    "bounds for a text": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns: {tier: string}
        checks:
          - {range: {tier: {min: 1}}}  # <- here
        """,
        "checks[0].range.tier: only numbers have bounds, and 'tier' is string; write a check with sql instead",
    ),
    "a pattern that is none": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns: {tier: string}
        checks:
          - {pattern: {tier: "("}}  # <- here
        """,
        "checks[0].pattern.tier: '(' is not a regular expression: missing ), unterminated subpattern at position 0",
    ),
    "a reference to no column": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns: {tier: string}
        checks:
          - {reference: {tier: dim_tier}}  # <- here
        """,
        "checks[0].reference.tier: 'dim_tier' is not a column of a table; write schema.table.column, such as gold.dim_property.property_id",
    ),
    "a name that is like none of a dimension": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        attributes: {tier: string}  # <- here
        """,
        "attributes: unknown name; known here: dimension, from, key, surrogate, event_time, op, columns, absence, open_end, unmatched, checks",
    ),
}

OF_BELIEF: dict[str, Case] = {
    "an event time beside belief": Case(
        """
        dimension: dim_player
        from: player
        key: {player_id: string}
        event_time: changed_at  # <- here
        """,
        "event_time: belief brings its own times and deletes; leave 'event_time' out, or take 'from' out",
    ),
    "an absence beside belief": Case(
        """
        dimension: dim_player
        from: player
        key: {player_id: string}
        absence: deletes  # <- here
        """,
        "absence: belief says itself who is gone; leave 'absence' out, or take 'from' out",
    ),
    "an inferred member beside belief": Case(
        """
        dimension: dim_player
        from: player
        key: {player_id: string}
        unmatched: infer  # <- here
        """,
        "unmatched: a member that is inferred cannot come from belief; write 'unmatched: unknown', or take 'from' out",
    ),
    "a check that marks": Case(
        """
        dimension: dim_player
        key: {player_id: string}
        columns: {tier: {type: string, scd: 2}}
        checks:
          - {not_null: tier, on_fail: mark}  # <- here
        """,
        "checks[0].on_fail: a dimension holds none of its runs; write quarantine, warn or stop",
    ),
    "a refusal of belief": Case(
        """
        dimension: dim_player
        from: player
        key: {player_id: string}
        columns:
          born: {type: date, scd: 0, on_change: fail}  # <- here
        """,
        "columns.born.on_change: belief cannot be refused; leave 'on_change' out: the first value stays, and attempts are recorded",
    ),
}
