"""Mistakes in an entity's file, apart from its sources."""

from __future__ import annotations

from tests.unit.config.cases import Case

ENTITY: dict[str, Case] = {
    "a name that is like no other": Case(
        """
        entity: customer
        key: {id: string}
        history:
          zzz: 1  # <- here
        """,
        "history.zzz: unknown name; known here: completion, deletes, late, max_lateness, mixed_time",
    ),
    "a missing key": Case(
        """
        entity: customer  # <- here
        attributes: {name: string}
        """,
        "key: 'key' is missing; write, for example, key: {customer_id: string}",
    ),
    "an empty key": Case(
        """
        entity: customer
        key: {}  # <- here
        """,
        "key: an entity without a key is refused (R1); write, for example, key: {customer_id: string}",
    ),
    "a key that is a list": Case(
        """
        entity: customer
        key: [id]  # <- here
        """,
        "key: a mapping (name: value) is expected, not a list; write, for example, key: {customer_id: string}",
    ),
    "an unknown type": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          name: strnig  # <- here
        """,
        "attributes.name: there is no type 'strnig'; did you mean 'string'?",
    ),
    "a type of another database": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          name: {type: varchar}  # <- here
        """,
        "attributes.name.type: there is no type 'varchar'; write string",
    ),
    "a key part that is not exact": Case(
        """
        entity: customer
        key:
          id: double  # <- here
        """,
        "key.id: a key part cannot be double: equal numbers may differ in the last bit, so one entity could get two keys; "
        "write string, long or decimal(p,s)",
    ),
    "a key part that is a list": Case(
        """
        entity: customer
        key:
          id: array<string>  # <- here
        """,
        "key.id: a key part cannot be array<string>: it needs one plain value; name the fields inside as parts of their own",
    ),
    "a key part that may be null": Case(
        """
        entity: customer
        key:
          id:
            type: string
            nullable: true  # <- here
        """,
        "key.id.nullable: unknown name; a key part is never null, so there is nothing to say; leave it out (R1)",
    ),
    "an entity's name that no table can have": Case(
        """
        entity: my-customer  # <- here
        key: {id: string}
        """,
        "entity: 'my-customer' cannot be a name here; use letters, digits and _, not a digit first, at most 64",
    ),
    "an attribute's name that no column can have": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          first name: string  # <- here
        """,
        "attributes.'first name': 'first name' cannot be a column; use letters, digits and _ (any script), not a digit first, at most 128",
    ),
    "an attribute that takes the name of a system column": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          Is_Current: boolean  # <- here
        """,
        "attributes.Is_Current: 'Is_Current' is a column that Muniment keeps itself; choose another name and map it under 'columns'",
    ),
    "an attribute that is a key part": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          id: string  # <- here
        """,
        "attributes.id: 'id' is a key part already; leave it out here",
    ),
    "attributes that differ by case": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          Name: string
          name: string  # <- here
        """,
        "attributes.name: 'name' and 'Name' differ by letter case only, which SQL does not see; rename one",
    ),
    "an attribute twice": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          name: string
          status: string
          name: string  # <- here
        """,
        "attributes.name: 'name' is written twice, in lines 4 and 6; keep one of them",
    ),
    "rounding of text": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          name:
            type: string
            scale: 2  # <- here
        """,
        "attributes.name.scale: only numbers are rounded, and 'name' is string; leave scale out",
    ),
    "trimming of a number": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          balance:
            type: double
            trim: true  # <- here
        """,
        "attributes.balance.trim: only strings are trimmed, and 'balance' is double; leave trim out",
    ),
    "a scale beyond any number": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          balance:
            type: double
            scale: 99  # <- here
        """,
        "attributes.balance.scale: 99 is out of bounds; 'scale' must be from 0 to 38",
    ),
    "precedence that names nobody": Case(
        """
        entity: customer
        key: {id: string}
        precedence:
          - core
          - crmm  # <- here
        sources: {core: {}, crm: {}}
        """,
        "precedence[1]: there is no source 'crmm'; did you mean 'crm'?",
    ),
    "precedence that names a source twice": Case(
        """
        entity: customer
        key: {id: string}
        precedence: [core, crm, core]  # <- here
        sources: {core: {}, crm: {}}
        """,
        "precedence[2]: 'core' is named twice; a source has one place in the order",
    ),
    "a duration that is none": Case(
        """
        entity: customer
        key: {id: string}
        history:
          max_lateness: 30 dasy  # <- here
        """,
        "history.max_lateness: '30 dasy' is not a duration; did you mean 'days'?; "
        "write a whole number and a unit: 15 minutes, 26 hours, 30 days",
    ),
    "a duration that is a number": Case(
        """
        entity: customer
        key: {id: string}
        history:
          max_lateness: 30  # <- here
        """,
        "history.max_lateness: text is expected, not '30' (put text in quotes); write, for example, max_lateness: 30 days",
    ),
    "an unknown rule": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        belief:
          rules:
            - {attributes: [name], rule: most_recents}  # <- here
        """,
        "belief.rules[0].rule: 'most_recents' is not a choice for 'rule'; "
        "write precedence, most_recent, most_complete, longest or most_frequent; did you mean 'most_recent'?",
    ),
    "a rule for an attribute that does not exist": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        belief:
          rules:
            - {attributes: [nmae], rule: most_recent}  # <- here
        """,
        "belief.rules[0].attributes[0]: there is no attribute 'nmae'; did you mean 'name'?",
    ),
    "a rule for a key part": Case(
        """
        entity: customer
        key: {id: string}
        belief:
          rules:
            - {attributes: [id], rule: most_recent}  # <- here
        """,
        "belief.rules[0].attributes[0]: 'id' is a key part, which nobody decides; leave it out",
    ),
    "a rule for nothing": Case(
        """
        entity: customer
        key: {id: string}
        belief:
          rules:
            - {attributes: [], rule: most_recent}  # <- here
        """,
        "belief.rules[0].attributes: nothing stands here; name at least one, or leave it out; write, for example, attributes: [status]",
    ),
    "an attribute with two rules": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string, status: string}
        belief:
          rules:
            - {attributes: [name], rule: most_recent}
            - {attributes: [status, name], rule: longest}  # <- here
        """,
        "belief.rules[1].attributes[1]: 'name' already has a rule (line 6); keep one",
    ),
    "a rule that listens to nobody": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        sources: {core: {}}
        belief:
          rules:
            - {attributes: [name], rule: precedence, sources: [cor]}  # <- here
        """,
        "belief.rules[0].sources[0]: there is no source 'cor'; did you mean 'core'?",
    ),
    "deletion by nobody": Case(
        """
        entity: customer
        key: {id: string}
        sources: {core: {}}
        belief:
          deletion: {sources: [crm]}  # <- here
        """,
        "belief.deletion.sources[0]: there is no source 'crm'; declared: core",
    ),
    "a check that does not exist": Case(
        """
        entity: customer
        key: {id: string}
        checks:
          - {uniqe: id}  # <- here
        """,
        "checks[0]: this is no check; write one of not_null, accepted, range, pattern, unique, reference, fresh, sql, such as {not_null: name}",
    ),
    "two checks in one": Case(
        """
        entity: customer
        key: {id: string}
        checks:
          - not_null: id
            sql: id > 'a'  # <- here
        """,
        "checks[0].sql: only one of not_null, accepted, range, pattern, unique, reference, fresh, sql may stand here; keep one",
    ),
    "a check of nothing": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        checks:
          - {not_null: nam}  # <- here
        """,
        "checks[0].not_null: there is no attribute 'nam'; did you mean 'name'?",
    ),
    "the country that YAML takes for false": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {country: string}
        checks:
          - accepted:
              country: [SE, NO]  # <- here
        """,
        "checks[0].accepted.country[1]: 'country' is a string and YAML reads this as false; write the value in quotes",
    ),
    "freshness of nobody": Case(
        """
        entity: customer
        key: {id: string}
        sources: {core: {}}
        checks:
          - {fresh: {source: croe, within: 26 hours}}  # <- here
        """,
        "checks[0].fresh.source: there is no source 'croe'; did you mean 'core'?",
    ),
    "a condition with a wrong column": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {balance: double}
        checks:
          - {sql: "balnce >= 0"}  # <- here
        """,
        "checks[0].sql: there is no column 'balnce'; did you mean 'balance'?",
    ),
    "a condition that holds a query": Case(
        """
        entity: customer
        key: {id: string}
        checks:
          - {sql: "id in (select id from other)"}  # <- here
        """,
        "checks[0].sql: '(SELECT id FROM other)' is refused: a check looks at one row, so it cannot hold a query",
    ),
    "a correction of state": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {fixes: string}
        corrects: fixes  # <- here
        """,
        "corrects: only facts are corrected by other facts; write 'kind: event' or leave it out",
    ),
    "a correction by an attribute that does not exist": Case(
        """
        entity: payment
        kind: event
        key: {id: string}
        attributes: {fixes: string}
        corrects: fixs  # <- here
        """,
        "corrects: there is no attribute 'fixs'; did you mean 'fixes'?",
    ),
    "a name that YAML takes for true": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          on: boolean  # <- here
        """,
        "attributes.on: YAML reads this name as true or false; write it in quotes: 'on'",
    ),
    "a name that YAML takes for a number": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          2024: double  # <- here
        """,
        "attributes.2024: YAML reads this name as a number; write it in quotes: '2024'",
    ),
    "a tag": Case(
        """
        entity: customer
        key: {id: string}
        description: !!python/object/apply:os.system [ls]  # <- here
        """,
        "description: the tag !!python/object/apply:os.system is refused; leave it out and write plain YAML",
    ),
    "a file that describes nothing": Case(
        """
        # a stray file
        colour: blue  # <- here
        """,
        "it does not say what it describes; begin with 'entity: NAME'",
    ),
}
